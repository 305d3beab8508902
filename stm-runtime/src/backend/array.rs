//! An array without its element type, as batches, back ends and the proof handle it.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use kernels_gen::spec::Scalar;

use crate::error::Error;
use crate::inside::{self, Inside};
use crate::memory;

/// The purpose of the memory of copies, for the error when it does not fit.
pub(crate) const COPY: &str = "a copy of a shared array";

/// The most words of an array that pass through host memory at once, where elements are copied.
pub(crate) const PIECE: usize = if cfg!(test) { 1 << 6 } else { 1 << 20 };

/// The elements of one array, in the memory of a back end. The caller holds the array, see [`hold`], and asks for elements that exist.
pub(crate) trait ArrayStore: Any + Send + Sync {
    /// Copies the elements from an index on to the host, as words.
    fn read(&self, first: usize, words: &mut [u64]) -> Result<(), Error>;

    /// Replaces the elements from an index on by these words.
    fn write(&self, first: usize, words: &[u64]) -> Result<(), Error>;

    /// Copies elements of another array of the back end, from one index to the other, without the host. Returns false where it cannot.
    fn copy(&self, _to: usize, _source: &dyn Any, _from: usize, _len: usize) -> Result<bool, Error> {
        Ok(false)
    }
}

/// The identity of the device of an array. It is unique in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceId(pub(super) u64);

/// The description of an array without its elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayShape {
    /// The element type.
    pub(crate) scalar: Scalar,
    /// The number of elements.
    pub(crate) len: usize,
    /// The elements of a partition; 0 for no partitions.
    pub(crate) part: usize,
    /// The base-2 logarithm of the elements under one lock word.
    pub(crate) coverage_log2: u32,
}

/// What is locked when a transaction accesses a component of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Granularity {
    /// The record: its components have the same lock words.
    Record,
    /// The component alone.
    Field,
}

/// One shared array: a handle to the elements in a back end. Clones are the same array.
#[derive(Clone)]
pub struct Array {
    inner: Arc<Inner>,
}

struct Inner {
    device: DeviceId,
    shape: ArrayShape,
    store: Box<dyn ArrayStore>,
    /// The number of arrays that the process had made before.
    age: u64,
    /// One for all arrays with the same lock words: two runs must not use these at once.
    gate: Arc<Gate>,
}

impl Array {
    /// Returns the arrays of the components of a record.
    pub(crate) fn of_components(
        device: DeviceId,
        stores: impl IntoIterator<Item = (ArrayShape, Box<dyn ArrayStore>)>,
        granularity: Granularity,
    ) -> Vec<Array> {
        let gate = Arc::default();
        let of_one = || match granularity {
            Granularity::Record => Arc::clone(&gate),
            Granularity::Field => Arc::default(),
        };
        static MADE: AtomicU64 = AtomicU64::new(0);
        let array = |(shape, store)| {
            let age = MADE.fetch_add(1, Ordering::Relaxed);
            Array { inner: Arc::new(Inner { device, shape, store, age, gate: of_one() }) }
        };
        stores.into_iter().map(array).collect()
    }

    /// Returns the identity of the array's device.
    pub(crate) fn device(&self) -> DeviceId {
        self.inner.device
    }

    /// Returns its description.
    pub(crate) fn shape(&self) -> ArrayShape {
        self.inner.shape
    }

    /// Returns the element type.
    pub(crate) fn scalar(&self) -> Scalar {
        self.inner.shape.scalar
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.inner.shape.len
    }

    /// Returns the elements of a partition; 0 for no partitions.
    pub(crate) fn part(&self) -> usize {
        self.inner.shape.part
    }

    /// Returns the base-2 logarithm of the elements under one lock word.
    pub(crate) fn coverage_log2(&self) -> u32 {
        self.inner.shape.coverage_log2
    }

    /// Returns whether both handles are the same array.
    #[inline]
    pub(crate) fn same(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns a number that the components of one record have, and no other living array.
    pub(crate) fn record(&self) -> u64 {
        Arc::as_ptr(&self.inner.gate).addr() as u64
    }

    /// Returns a number that is larger for arrays that were made later.
    pub(crate) fn age(&self) -> u64 {
        self.inner.age
    }

    /// Returns a number that no other living array has.
    #[inline]
    pub(crate) fn identity(&self) -> u64 {
        Arc::as_ptr(&self.inner).addr() as u64
    }

    /// Returns the store of a back end of type `S`; `None` for an array of another back end.
    pub(crate) fn store<S: ArrayStore>(&self) -> Option<&S> {
        let store: &dyn Any = &*self.inner.store;
        store.downcast_ref()
    }

    /// Returns all elements as words. The caller holds the array, see [`hold`].
    pub(crate) fn words(&self) -> Result<Vec<u64>, Error> {
        let mut words = memory::zeroed(COPY, self.len())?;
        self.inner.store.read(0, &mut words)?;
        Ok(words)
    }

    /// Copies the elements from an index on to the host. The caller holds the array.
    pub(crate) fn read(&self, first: usize, words: &mut [u64]) -> Result<(), Error> {
        self.inner.store.read(first, words)
    }

    /// Replaces the elements from an index on. The caller holds the array.
    pub(crate) fn write(&self, first: usize, words: &[u64]) -> Result<(), Error> {
        self.inner.store.write(first, words)
    }

    /// Copies elements of an array of the same element type, from one index to the other. The caller holds both arrays. Within one array
    /// the ranges are the same, or have no element in common.
    pub(crate) fn copy(&self, to: usize, source: &Array, from: usize, len: usize) -> Result<(), Error> {
        if self.same(source) {
            if to == from {
                return Ok(());
            }
        } else if self.inner.store.copy(to, &*source.inner.store, from, len)? {
            return Ok(());
        }
        let mut words = memory::zeroed(COPY, len.min(PIECE))?;
        (0..len).step_by(PIECE).try_for_each(|done| {
            let words = &mut words[..PIECE.min(len - done)];
            source.read(from + done, words)?;
            self.write(to + done, words)
        })
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} x {})", self.len(), self.scalar().rust())
    }
}

/// Acquires arrays, and the other components of their records, for one run or copy. Other callers wait for its end, unless they are inside a run themselves: see
/// [`inside`](crate::inside).
pub(crate) fn hold(arrays: &[Array]) -> Result<Holding<'_>, Error> {
    // Always acquire in the same order, so that two runs cannot wait for each other.
    let mut order: Vec<&Array> = arrays.iter().collect();
    order.sort_by_key(|array| Arc::as_ptr(&array.inner.gate));
    order.dedup_by_key(|array| array.record());
    let held = order.into_iter().map(|array| array.inner.gate.enter()).collect::<Result<_, _>>()?;
    Ok(Holding { _held: held, _inside: inside::enter() })
}

/// The right to use some arrays until it is dropped. Its holder waits for no other array.
pub(crate) struct Holding<'a> {
    _held: Vec<Held<'a>>,
    _inside: Inside,
}

/// A lock that admits one run at a time.
#[derive(Default)]
struct Gate {
    is_held: Mutex<bool>,
    left: Condvar,
}

/// The right to use an array until it is dropped.
struct Held<'a>(&'a Gate);

impl Gate {
    fn enter(&self) -> Result<Held<'_>, Error> {
        // A panic cannot happen while the lock is held, so the value under a poisoned lock is still valid.
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
