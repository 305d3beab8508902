//! What can be wrong with device memory of another owner, or with a context.

/// Why an array or a column cannot have device memory of another owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignProblem {
    /// The device is not a GPU.
    #[error(
        "the device is no GPU that CUDA drives, so it has no use for memory and streams of CUDA; ask `Device::is_gpu` before"
    )]
    NoGpu,
    /// The memory is shorter than the array, or than its owner says.
    #[error("the memory has {has} bytes, and {needed} are needed; use an array as long as the memory")]
    TooShort {
        /// Bytes of the elements.
        needed: usize,
        /// Bytes of the memory.
        has: usize,
    },
    /// The elements do not lie where elements of their size can.
    #[error(
        "the address {address:#x} is not a multiple of {each}, the bytes of an element; begin where elements are aligned"
    )]
    Unaligned {
        /// The address.
        address: u64,
        /// Bytes of an element.
        each: usize,
    },
    /// It was freed, or is memory of the host.
    #[error("there is no device memory at {address:#x}; was it freed?")]
    NoMemory {
        /// The address.
        address: u64,
    },
    /// It is memory of another device.
    #[error("the memory is on CUDA device {ordinal}; use an array of `Device::cuda({ordinal})`")]
    OtherDevice {
        /// The number of the device that has the memory.
        ordinal: usize,
    },
    /// The device is a cluster.
    #[error(
        "the memory is on one device, and arrays of a cluster are on all; use `Device::cuda`, or copy the elements"
    )]
    Cluster,
    /// Transactions do not run in its context.
    #[error(
        "the context is not the primary one of its device, in which transactions run; make it by `CudaContext::new({ordinal})`, or \
         `cuDevicePrimaryCtxRetain`"
    )]
    OtherContext {
        /// The number of the device.
        ordinal: usize,
    },
    /// The array has no memory of such an owner.
    #[error("the array has adopted no memory of a `{owner}`; name the type that `adopt` got")]
    NotAdopted {
        /// The requested type.
        owner: &'static str,
    },
}
