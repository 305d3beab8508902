//! What the driver knows of memory that other code has allocated.

use cudarc::driver::sys::{self, CUpointer_attribute as Attribute, CUresult};

use super::context::Context;
use super::result::failed;
use crate::error::{ForeignProblem, GpuError};

/// Returns why kernels of a context cannot use that many bytes at an address. The context is current.
pub(super) fn problem(
    ordinal: usize,
    context: Context,
    address: u64,
    bytes: usize,
) -> Result<Option<ForeignProblem>, GpuError> {
    let known = |which| attribute(which, address);
    if known(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)? != Some(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u64) {
        return Ok(Some(ForeignProblem::NoMemory { address }));
    }
    let device = known(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)?.map(|of| of as usize);
    if let Some(ordinal) = device.filter(|of| *of != ordinal) {
        return Ok(Some(ForeignProblem::OtherDevice { ordinal }));
    }
    // Memory of a pool has no context.
    let of = known(Attribute::CU_POINTER_ATTRIBUTE_CONTEXT)?.unwrap_or(0);
    if of != 0 && of != context.context.addr() as u64 {
        return Ok(Some(ForeignProblem::OtherContext { ordinal }));
    }
    let first = known(Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)?;
    let range = first.zip(known(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE)?);
    let has = range.map(|(first, length)| first.saturating_add(length).saturating_sub(address) as usize);
    Ok(has.filter(|has| *has < bytes).map(|has| ForeignProblem::TooShort { needed: bytes, has }))
}

/// Returns an attribute of an address; `None` where the driver knows of none.
fn attribute(which: Attribute, address: u64) -> Result<Option<u64>, GpuError> {
    let mut value = 0_u64;
    // SAFETY: none of the attributes is larger, and devices and their hosts are little-endian.
    let code = unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), which, address) };
    match code {
        CUresult::CUDA_ERROR_INVALID_VALUE | CUresult::CUDA_ERROR_NOT_SUPPORTED => Ok(None),
        _ => code.result().map(|()| Some(value)).map_err(|error| failed("cuPointerGetAttribute", error)),
    }
}
