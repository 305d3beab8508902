//! Arrays in device memory of other code.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::panic::Location;

use kernels_gen::spec::Type;

use super::shared::Shared;
use super::value::GpuData;
use crate::backend::{Device, Foreign, hold};
use crate::error::{Error, ForeignProblem};

/// The owner of packed scalars in device memory, for [`Shared::adopt`] and [`Device::adopt_column`]. With the feature `cudarc`, `cudarc::driver::CudaSlice` is one.
///
/// # Safety
/// As long as this lives, wherever it moves, as many elements are at the address, in the primary context of a device or in a memory pool,
/// and nothing else uses them.
pub unsafe trait ForeignMemory: Send + Sized + 'static {
    /// The type of the elements: an integer of at most 8 bytes, `f32`, `f64` or `bool`.
    type Element: GpuData;

    /// Returns the address of the first element.
    fn address(&self) -> u64;

    /// Returns the number of elements.
    fn elements(&self) -> usize;

    /// Lets the device wait for work on the memory. The default is for memory on which all work has ended, or was joined.
    ///
    /// # Errors
    /// The device cannot wait for it.
    fn join(&mut self, _device: &Device) -> Result<(), Error> {
        Ok(())
    }
}

/// Why an array did not adopt memory, with the memory. `?` makes an [`Error`] of it, and drops the memory.
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct NotAdopted<M> {
    /// The memory, as it was.
    pub memory: M,
    /// The reason.
    pub error: Error,
}

impl<M> fmt::Debug for NotAdopted<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NotAdopted").field(&self.error).finish()
    }
}

impl<M> From<NotAdopted<M>> for Error {
    fn from(refused: NotAdopted<M>) -> Error {
        refused.error
    }
}

impl<T: GpuData> Shared<T> {
    /// Replaces all elements by those of device memory of other code, in which the array is from now on. Waits for the end of runs that use
    /// the array. Each field of a record adopts memory of its own, and a partition adopts it for all partitions.
    ///
    /// Elements are copied, on the device, if they have one or two bytes and do not fill whole words of 4 bytes, and in runs under an
    /// engine that keeps them beside their lock words.
    ///
    /// # Errors
    /// The memory is too short, freed, or of another device or context, as far as the driver knows ([`Error::ForeignMemory`]); or as
    /// [`Shared::to_vec`].
    #[track_caller]
    pub fn adopt<M: ForeignMemory<Element = T>>(&self, mut memory: M) -> Result<(), NotAdopted<M>> {
        const { assert!(T::COMPONENTS == 1 && matches!(T::TYPE, Type::Scalar(_)), "only arrays of scalars adopt memory") };
        let (arrays, at) = (self.arrays(), Location::caller());
        let held = match hold(&arrays).and_then(|held| memory.join(self.device()).map(|()| held)) {
            Ok(held) => held,
            Err(Error::ForeignMemory { problem, .. }) => {
                return Err(NotAdopted { memory, error: Error::ForeignMemory { problem, at } });
            }
            Err(error) => return Err(NotAdopted { memory, error }),
        };
        let (address, elements) = (memory.address(), memory.elements());
        let mut foreign = Foreign { address, elements, owner: Some(Box::new(memory)), at };
        let adopted = arrays.iter().try_for_each(|array| array.adopt(&mut foreign));
        drop(held);
        match (adopted, foreign.owner.and_then(owner_of)) {
            (Err(error), Some(memory)) => Err(NotAdopted { memory, error }),
            _ => Ok(()),
        }
    }

    /// Returns the memory that the array has adopted, with the elements; those of the array are 0 then. Waits for the end of runs that use
    /// the array.
    ///
    /// # Errors
    /// The array has no memory of such an owner ([`Error::ForeignMemory`]), or as [`Shared::to_vec`].
    #[track_caller]
    pub fn give_back<M: ForeignMemory<Element = T>>(&self) -> Result<M, Error> {
        let (arrays, at) = (self.arrays(), Location::caller());
        let _held = hold(&arrays)?;
        let owner = arrays.first().map_or(Ok(None), |array| array.give_back(TypeId::of::<M>()))?;
        let problem = ForeignProblem::NotAdopted { owner: type_name::<M>() };
        owner.and_then(owner_of).ok_or(Error::ForeignMemory { problem, at })
    }
}

pub(super) fn owner_of<M: 'static>(owner: Box<dyn Any + Send>) -> Option<M> {
    owner.downcast().ok().map(|owner| *owner)
}
