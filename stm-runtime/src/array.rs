//! An array without its element type: what batches, back ends and the proof handle.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use kernels_gen::spec::Scalar;

use crate::cpu::CpuArray;
use crate::device::Device;
use crate::error::Error;
use crate::gpu::GpuArray;
use crate::inside::{self, Inside};

/// The most elements of one array: an access is recorded with 48 bits of index.
pub(crate) const MAX_LEN: usize = 1 << 47;

/// One shared array. Clones are the same array.
#[derive(Clone)]
pub struct Array {
    inner: Arc<Inner>,
}

struct Inner {
    device: Device,
    scalar: Scalar,
    len: usize,
    coverage_log2: u32,
    part: usize,
    store: Store,
    gate: Gate,
}

/// Where the elements are.
pub(crate) enum Store {
    /// In host memory, with lock words for the threaded engine.
    Cpu(CpuArray),
    /// On a device; the back end owns the layout.
    Gpu(GpuArray),
}

impl Array {
    /// `part`: how many elements a part has, 0 for no parts.
    pub(crate) fn new(
        device: Device,
        scalar: Scalar,
        (len, part): (usize, usize),
        coverage_log2: u32,
        store: Store,
    ) -> Array {
        Array { inner: Arc::new(Inner { device, scalar, len, coverage_log2, part, store, gate: Gate::default() }) }
    }

    /// The device that it lives on.
    pub(crate) fn device(&self) -> &Device {
        &self.inner.device
    }

    /// The element type.
    pub(crate) fn scalar(&self) -> Scalar {
        self.inner.scalar
    }

    /// How many elements.
    pub(crate) fn len(&self) -> usize {
        self.inner.len
    }

    /// How many elements a part has; 0 for no parts.
    pub(crate) fn part(&self) -> usize {
        self.inner.part
    }

    /// The base-2 logarithm of the elements under one lock word.
    pub(crate) fn coverage_log2(&self) -> u32 {
        self.inner.coverage_log2
    }

    /// The same array.
    #[inline]
    pub(crate) fn same(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A number that no other living array has.
    #[inline]
    pub(crate) fn identity(&self) -> u64 {
        Arc::as_ptr(&self.inner).addr() as u64
    }

    /// The host memory, if it is there.
    pub(crate) fn cpu(&self) -> Option<&CpuArray> {
        match &self.inner.store {
            Store::Cpu(array) => Some(array),
            Store::Gpu(_) => None,
        }
    }

    /// The device memory, if it is there.
    pub(crate) fn gpu(&self) -> Option<&GpuArray> {
        match &self.inner.store {
            Store::Gpu(array) => Some(array),
            Store::Cpu(_) => None,
        }
    }

    /// All elements as words. The caller holds the array, see [`hold`].
    pub(crate) fn words(&self) -> Result<Vec<u64>, Error> {
        match &self.inner.store {
            Store::Cpu(array) => Ok(array.words()?),
            Store::Gpu(array) => array.to_words(),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} x {})", self.len(), self.scalar().rust())
    }
}

/// Takes arrays for one run or copy. Others wait for its end, unless they are inside of a run themselves: see
/// [`inside`](crate::inside).
pub(crate) fn hold(arrays: &[Array]) -> Result<Holding<'_>, Error> {
    // Always in the same order, so that two runs cannot wait for each other.
    let mut order: Vec<&Array> = arrays.iter().collect();
    order.sort_by_key(|array| Arc::as_ptr(&array.inner));
    order.dedup_by(|a, b| a.same(b));
    let held = order.into_iter().map(|array| array.inner.gate.enter()).collect::<Result<_, _>>()?;
    Ok(Holding { _held: held, _inside: inside::enter() })
}

/// The right to use some arrays until it is dropped. Whoever has it waits for no other array.
pub(crate) struct Holding<'a> {
    _held: Vec<Held<'a>>,
    _inside: Inside,
}

/// Lets one run at a time in.
#[derive(Default)]
struct Gate {
    is_held: Mutex<bool>,
    left: Condvar,
}

/// The right to use an array until it is dropped.
struct Held<'a>(&'a Gate);

impl Gate {
    fn enter(&self) -> Result<Held<'_>, Error> {
        // A panic cannot happen while the lock is held, so a poisoned one still has a good value.
        let mut is_held = self.is_held.lock().unwrap_or_else(PoisonError::into_inner);
        while *is_held {
            if inside::is_inside() {
                return Err(Error::ArrayInUse);
            }
            is_held = self.left.wait(is_held).unwrap_or_else(PoisonError::into_inner);
        }
        *is_held = true;
        Ok(Held(self))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.0.is_held.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.left.notify_one();
    }
}
