//! An array without its element type: what batches, back ends and the proof handle.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use kernels_gen::spec::Scalar;

use crate::error::Error;
use crate::inside::{self, Inside};

/// The elements of one array, where the back end keeps them.
pub(crate) trait ArrayStore: Any + Send + Sync {
    /// Copies all elements to the host, as words. The caller holds the array, see [`hold`].
    fn words(&self) -> Result<Vec<u64>, Error>;
}

/// Says which device an array is of. No two devices of a process have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceId(pub(super) u64);

/// What an array is, apart from its elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayShape {
    /// The element type.
    pub(crate) scalar: Scalar,
    /// How many elements.
    pub(crate) len: usize,
    /// How many elements a part has; 0 for no parts.
    pub(crate) part: usize,
    /// The base-2 logarithm of the elements under one lock word.
    pub(crate) coverage_log2: u32,
}

/// One shared array: a handle on what a back end keeps. Clones are the same array.
#[derive(Clone)]
pub struct Array {
    inner: Arc<Inner>,
}

struct Inner {
    device: DeviceId,
    shape: ArrayShape,
    store: Box<dyn ArrayStore>,
    gate: Gate,
}

impl Array {
    pub(crate) fn new(device: DeviceId, shape: ArrayShape, store: Box<dyn ArrayStore>) -> Array {
        Array { inner: Arc::new(Inner { device, shape, store, gate: Gate::default() }) }
    }

    /// The device that it lives on.
    pub(crate) fn device(&self) -> DeviceId {
        self.inner.device
    }

    /// The element type.
    pub(crate) fn scalar(&self) -> Scalar {
        self.inner.shape.scalar
    }

    /// How many elements.
    pub(crate) fn len(&self) -> usize {
        self.inner.shape.len
    }

    /// How many elements a part has; 0 for no parts.
    pub(crate) fn part(&self) -> usize {
        self.inner.shape.part
    }

    /// The base-2 logarithm of the elements under one lock word.
    pub(crate) fn coverage_log2(&self) -> u32 {
        self.inner.shape.coverage_log2
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

    /// The elements as the back end of type `S` keeps them; `None` for an array of another back end.
    pub(crate) fn store<S: ArrayStore>(&self) -> Option<&S> {
        let store: &dyn Any = &*self.inner.store;
        store.downcast_ref()
    }

    /// All elements as words. The caller holds the array, see [`hold`].
    pub(crate) fn words(&self) -> Result<Vec<u64>, Error> {
        self.inner.store.words()
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
