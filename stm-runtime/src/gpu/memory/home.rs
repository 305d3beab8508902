//! Memory of another owner, where the elements of an array are while they lie packed on the device.

use std::any::{Any, TypeId};
use std::sync::Arc;

use kernels_gen::spec::Scalar;

use super::layout::WORD;
use crate::backend::Foreign;
use crate::error::{Error, ForeignProblem, GpuError};
use crate::gpu::backend::{Allocation, DeviceBuffer, Driver};

/// Device memory with its owner.
pub(super) struct Home {
    backend: Arc<dyn Driver>,
    memory: Allocation,
    /// Whether a kernel can work there. Atomics on elements of one or two bytes need whole words.
    is_whole: bool,
    /// `None` before it has come, and once it has left.
    pub(super) owner: Option<Box<dyn Any + Send>>,
}

impl Home {
    /// Checks memory for as many elements, which has no owner yet.
    pub(super) fn new(backend: &Arc<dyn Driver>, foreign: &Foreign, scalar: Scalar, len: usize) -> Result<Home, Error> {
        let (address, each) = (foreign.address, scalar.size());
        let (needed, has) = (len * each, foreign.elements.saturating_mul(each));
        let wrong = |problem| Error::ForeignMemory { problem, at: foreign.at };
        if has < needed {
            return Err(wrong(ForeignProblem::TooShort { needed, has }));
        }
        let memory = backend.adopt(address, needed)?.map_err(wrong)?;
        let is_whole = needed.is_multiple_of(WORD) && address.is_multiple_of(each.max(WORD) as u64);
        Ok(Home { backend: backend.clone(), memory, is_whole, owner: None })
    }

    /// Returns the memory, if packed elements can be there in a run.
    pub(super) fn packed(&self) -> Option<DeviceBuffer> {
        self.is_whole.then(|| DeviceBuffer::foreign(&self.backend, &self.memory))
    }

    /// Copies the elements from here to memory of the array, or back, unless they are here anyway.
    pub(super) fn exchange(&self, own: &DeviceBuffer, is_back: bool) -> Result<(), GpuError> {
        let here = DeviceBuffer::foreign(&self.backend, &self.memory);
        let (to, from) = if is_back { (&here, own) } else { (own, &here) };
        if self.is_whole { Ok(()) } else { to.copy(0, from, 0, self.memory.bytes) }
    }

    pub(super) fn is_of(&self, owner: TypeId) -> bool {
        self.owner.as_deref().is_some_and(|own| own.type_id() == owner)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.owner.is_some() {
            // Where this fails, the context is lost, and the memory with it.
            let _ = self.backend.finish();
        }
    }
}
