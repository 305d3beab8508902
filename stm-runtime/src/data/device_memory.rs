//! The memory of an array on a GPU, for code of the user's own between runs.

use std::fmt;
use std::marker::PhantomData;

use super::shared::Shared;
use super::value::GpuData;
use crate::backend::{Array, Holding, hold};
use crate::error::Error;

/// The memory of an array on a GPU, lent to kernels and copies of your own: [`Shared::device_memory`]. The array is back when this is
/// dropped.
///
/// The addresses belong to the primary context of the device: that of `cudarc::driver::CudaContext::new(0)` for `cuda:0`, and of the CUDA run
/// time. Everything that the library did with the array has ended.
///
/// Using an address is `unsafe`, and these are the conditions:
/// - All work on the memory has ended before this is dropped: your stream was waited for, or the device joined it.
/// - It stays within [`DeviceMemory::len`] elements.
/// - What it leaves are values of the type: a `bool` is 0 or 1, a `char` is one, a variant of an enum exists.
pub struct DeviceMemory<'s> {
    addresses: Vec<u64>,
    len: usize,
    _held: Holding,
    array: PhantomData<&'s ()>,
}

impl<T: GpuData> Shared<T> {
    /// Lends the array's memory on its GPU. Waits for the end of runs that use the array; until the result is dropped, other runs wait, and
    /// calls of this thread that use the array are errors.
    ///
    /// The elements of each component lie packed, one after the other: 8 bytes each for an `i64`, 1 for a `bool`. The engine
    /// `priority` keeps scalars of 8 bytes beside their lock words; then they are copied on the device, here and in the next run of it.
    ///
    /// # Errors
    /// The array is not on a GPU ([`Error::NoDeviceMemory`]), the device has not enough memory or failed, or the call is made from inside of
    /// a run while that run or another one uses the array.
    pub fn device_memory(&self) -> Result<DeviceMemory<'_>, Error> {
        let arrays = self.arrays();
        let held = hold(&arrays)?;
        let none = || Error::NoDeviceMemory { device: self.device().describe() };
        let address = |array: &Array| {
            let first = self.first() * array.scalar().size();
            Ok(array.packed()?.ok_or_else(none)? + first as u64)
        };
        let addresses = arrays.iter().map(address).collect::<Result<_, Error>>()?;
        Ok(DeviceMemory { addresses, len: self.len(), _held: held, array: PhantomData })
    }
}

impl DeviceMemory<'_> {
    /// Returns the address of the first element of a component. Components are the scalars of the elements, in the order of declaration; a
    /// scalar itself is component 0.
    ///
    /// # Panics
    /// The elements have no such component.
    #[must_use]
    pub fn address(&self, component: usize) -> u64 {
        self.addresses[component]
    }

    /// Returns the addresses of all components.
    #[must_use]
    pub fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for DeviceMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceMemory({} elements at {:x?})", self.len, self.addresses)
    }
}
