//! An array without its element type, as batches, back ends and the proof handle it.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use kernels_gen::device::unit::ColumnWidth;
use kernels_gen::spec::Scalar;

use crate::columns::Column;
use crate::device_cells as cells;
use crate::error::{Error, ForeignProblem};
use crate::inside::{self, Inside};
use crate::memory;
use crate::new_rows::CellsMut;

/// The purpose of the memory of copies, for the error when it does not fit.
pub(crate) const COPY: &str = "a copy of a shared array";

/// The most words of an array that pass through host memory at once, where elements are copied.
pub(crate) const PIECE: usize = if cfg!(test) { 1 << 6 } else { 1 << 20 };

/// The elements of one array, in the memory of a back end. The caller holds the array, see [`hold`], and asks for elements that exist.
pub(crate) trait ArrayStore: Any + Send + Sync {
    /// Copies the elements from an index on to the host, as words.
    fn read(&self, first: usize, words: &mut [u64]) -> Result<(), Error>;

    /// Does the same with values as they lie in memory. Returns false where elements lie otherwise: then nothing is done.
    fn read_values(&self, _first: usize, _values: &mut CellsMut<'_>) -> Result<bool, Error> {
        Ok(false)
    }

    /// Replaces the elements from an index on by these words.
    fn write(&self, first: usize, words: &[u64]) -> Result<(), Error>;

    /// Does the same with values as they lie in memory. Returns false where elements lie otherwise: then nothing is done.
    fn write_values(&self, _first: usize, _values: &Column<'_>) -> Result<bool, Error> {
        Ok(false)
    }

    /// Returns the address of the elements in the memory of a GPU, where they lie packed, and where nothing writes them until the caller
    /// gives the array back; `None` for an array that is elsewhere.
    fn packed(&self) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Takes the elements from device memory of another owner, and lets them be there. After an error, the caller still has the owner.
    fn adopt(&self, foreign: &mut Foreign) -> Result<(), Error> {
        Err(Error::ForeignMemory { problem: ForeignProblem::NoGpu, at: foreign.at })
    }

    /// Moves the elements to the memory of an owner of that type, and returns the owner, if there is one. Then they are 0.
    fn give_back(&self, _owner: TypeId) -> Result<Option<Box<dyn Any + Send>>, Error> {
        Ok(None)
    }

    /// Copies some elements to cells on the device; `None` where that is the host.
    fn column(&self, _elements: Range<usize>) -> Result<Option<cells::Place>, Error> {
        Ok(None)
    }

    /// Repeats the first `known` elements of a range in the rest of it, without the host. Returns false where it cannot.
    fn repeat(&self, _elements: Range<usize>, _known: usize) -> Result<bool, Error> {
        Ok(false)
    }

    /// Copies elements of another array of the back end, from one index to the other, without the host. Returns false where it cannot.
    fn copy(&self, _to: usize, _source: &dyn Any, _from: usize, _len: usize) -> Result<bool, Error> {
        Ok(false)
    }
}

/// Packed elements in device memory of another owner.
pub(crate) struct Foreign {
    pub(crate) address: u64,
    pub(crate) elements: usize,
    /// `None` once an array has it.
    pub(crate) owner: Option<Box<dyn Any + Send>>,
    /// The call of the user.
    pub(crate) at: &'static Location<'static>,
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

    /// Copies the elements from an index on to cells of their width. The caller holds the array.
    pub(crate) fn read_values(&self, first: usize, mut values: CellsMut<'_>) -> Result<(), Error> {
        if self.inner.store.read_values(first, &mut values)? {
            return Ok(());
        }
        if let CellsMut::U64(words) = values {
            return self.read(first, words);
        }
        let mut words = memory::zeroed(COPY, values.len().min(PIECE))?;
        let (mut rest, mut done) = (values, 0);
        while rest.len() > 0 {
            let (piece, others) = rest.split_first(PIECE);
            let words = &mut words[..piece.len()];
            self.read(first + done, words)?;
            done += words.len();
            piece.put_all(words);
            rest = others;
        }
        Ok(())
    }

    /// Replaces the elements from an index on. The caller holds the array.
    pub(crate) fn write(&self, first: usize, words: &[u64]) -> Result<(), Error> {
        self.inner.store.write(first, words)
    }

    /// See [`ArrayStore::write_values`]. The caller holds the array.
    pub(crate) fn write_values(&self, first: usize, values: &Column<'_>) -> Result<bool, Error> {
        self.inner.store.write_values(first, values)
    }

    /// See [`ArrayStore::packed`]. The caller holds the array.
    pub(crate) fn packed(&self) -> Result<Option<u64>, Error> {
        self.inner.store.packed()
    }

    /// See [`ArrayStore::adopt`]. The caller holds the array.
    pub(crate) fn adopt(&self, foreign: &mut Foreign) -> Result<(), Error> {
        self.inner.store.adopt(foreign)
    }

    /// See [`ArrayStore::give_back`]. The caller holds the array.
    pub(crate) fn give_back(&self, owner: TypeId) -> Result<Option<Box<dyn Any + Send>>, Error> {
        self.inner.store.give_back(owner)
    }

    /// Returns a copy of some elements as cells of a column. The caller holds the array.
    pub(crate) fn column(&self, elements: Range<usize>) -> Result<cells::Place, Error> {
        if let Some(place) = self.inner.store.column(elements.clone())? {
            return Ok(place);
        }
        let mut words = memory::zeroed(COPY, elements.len())?;
        self.read(elements.start, &mut words)?;
        let mut column = Column::new(ColumnWidth::of(self.scalar().size()));
        column.reserve(words.len())?;
        words.iter().try_for_each(|word| column.push(*word))?;
        Ok(cells::Place::Host(column.packed()?))
    }

    /// See [`ArrayStore::repeat`].
    pub(crate) fn repeat(&self, elements: Range<usize>, known: usize) -> Result<bool, Error> {
        self.inner.store.repeat(elements, known)
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

/// Acquires arrays, and the other components of their records, for one run or copy. Other callers wait for its end, unless they are inside
/// a run themselves: see [`inside`](crate::inside).
pub(crate) fn hold(arrays: &[Array]) -> Result<Holding, Error> {
    Ok(line_up(arrays)?.wait())
}

/// Takes a place in the line of each array, without a wait: a caller that lines up later has the arrays later. A caller that is inside a
/// run must not wait. So it gets its places only if no other run uses these arrays or waits for them.
pub(crate) fn line_up(arrays: &[Array]) -> Result<Place, Error> {
    // All places are taken at one moment, so two runs cannot wait for each other.
    static ONE_AT_A_TIME: Mutex<u64> = Mutex::new(0);
    let mut gates: Vec<Arc<Gate>> = arrays.iter().map(|array| array.inner.gate.clone()).collect();
    gates.sort_by_key(Arc::as_ptr);
    gates.dedup_by(|one, other| Arc::ptr_eq(one, other));
    let mut places = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if inside::is_inside() && gates.iter().any(|gate| !gate.lock().is_empty()) {
        return Err(Error::ArrayInUse);
    }
    *places += 1;
    gates.iter().for_each(|gate| gate.lock().push_back(*places));
    Ok(Place { number: *places, gates })
}

/// A place in the lines of some arrays. Dropping it leaves the lines.
pub(crate) struct Place {
    number: u64,
    gates: Vec<Arc<Gate>>,
}

/// The right to use some arrays until it is dropped. Its holder waits for no other array.
pub(crate) struct Holding {
    _place: Place,
    inside: Inside,
}

/// The line of those who want an array. The first one has it.
#[derive(Default)]
struct Gate {
    line: Mutex<VecDeque<u64>>,
    moved: Condvar,
}

impl Place {
    /// Waits until all arrays are free.
    pub(crate) fn wait(self) -> Holding {
        for gate in &self.gates {
            let is_later = |line: &mut VecDeque<u64>| line.front() != Some(&self.number);
            drop(gate.moved.wait_while(gate.lock(), is_later).unwrap_or_else(PoisonError::into_inner));
        }
        Holding { _place: self, inside: inside::enter() }
    }
}

impl Holding {
    /// Gives the arrays back. What the thread does until the result is dropped still belongs to the run.
    pub(crate) fn release(self) -> Inside {
        self.inside
    }
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, VecDeque<u64>> {
        // A panic cannot happen while the lock is held, so the value under a poisoned lock is still valid.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for gate in &self.gates {
            let mut line = gate.lock();
            line.retain(|number| *number != self.number);
            let somebody_waits = !line.is_empty();
            drop(line);
            if somebody_waits {
                gate.moved.notify_all();
            }
        }
    }
}
