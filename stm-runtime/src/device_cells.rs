//! The cells of an argument column that lives on a device.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bytemuck::{AnyBitPattern, cast_slice, cast_slice_mut};
use kernels_gen::device::unit::ColumnWidth;

use crate::error::Error;
use crate::memory::{self, NoMemory};
use crate::new_rows::CellsMut;

/// The purpose of the memory, for the error when a copy of the cells does not fit.
const COPY: &str = "a copy of a column of the device";
/// Cells that are read one by one before all of them are copied to the host.
const MOST_LOOKS: usize = 1 << 6;

/// Cells in the memory of a device. They never change.
pub(crate) trait CellStore: Any + Send + Sync {
    /// Copies bytes from an offset on to the host.
    fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Error>;

    /// Copies the lowest bytes of that many words from an offset on to cells of that width, on the device.
    fn narrowed(&self, offset: usize, words: usize, width: ColumnWidth) -> Result<Place, Error>;
}

/// Where cells are.
pub(crate) enum Place {
    /// The device is the host. Cells one after the other, from the lowest bits of the words on.
    Host(Vec<u64>),
    Device(Box<dyn CellStore>),
}

/// A range of the cells of a device. Clones are the same cells.
#[doc(hidden)]
#[derive(Clone)]
pub struct DeviceCells {
    held: Arc<Held>,
    first: usize,
    rows: usize,
    /// A copy of the range on the host, once that was needed.
    copy: Arc<OnceLock<Vec<u64>>>,
    looks: Arc<AtomicUsize>,
}

struct Held {
    width: ColumnWidth,
    place: Place,
}

impl DeviceCells {
    /// Returns that many cells from the first one on.
    pub(crate) fn new(width: ColumnWidth, rows: usize, place: Place) -> DeviceCells {
        DeviceCells::of(Arc::new(Held { width, place }), 0..rows)
    }

    fn of(held: Arc<Held>, rows: Range<usize>) -> DeviceCells {
        DeviceCells { held, first: rows.start, rows: rows.len(), copy: Arc::default(), looks: Arc::default() }
    }

    /// Returns a range of the cells, which is within them.
    pub(crate) fn range(&self, rows: Range<usize>) -> DeviceCells {
        if rows == (0..self.rows) {
            return self.clone();
        }
        DeviceCells::of(self.held.clone(), self.first + rows.start..self.first + rows.end)
    }

    /// Returns these cells and the other ones as one range, if those are the next ones.
    pub(crate) fn joined(&self, next: &DeviceCells) -> Option<DeviceCells> {
        let follows = Arc::ptr_eq(&self.held, &next.held) && self.first + self.rows == next.first;
        follows.then(|| DeviceCells::of(self.held.clone(), self.first..next.first + next.rows))
    }

    pub(crate) fn width(&self) -> ColumnWidth {
        self.held.width
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the bytes before the first cell.
    pub(crate) fn offset(&self) -> usize {
        mutant!("columns: a part of a column begins where it does", self.first, 0) * self.width().bytes()
    }

    /// Returns the store of a back end of type `S`; `None` for cells elsewhere.
    pub(crate) fn store<S: CellStore>(&self) -> Option<&S> {
        let Place::Device(store) = &self.held.place else { return None };
        let store: &dyn Any = &**store;
        store.downcast_ref()
    }

    /// Returns a number that no other range of living cells has.
    pub(crate) fn identity(&self) -> [u64; 2] {
        [Arc::as_ptr(&self.held).addr() as u64, self.first as u64]
    }

    /// Returns the words of these cells as cells of that width, on the device.
    pub(crate) fn narrowed(&self, width: ColumnWidth) -> Result<DeviceCells, Error> {
        if width == self.width() {
            return Ok(self.clone());
        }
        let place = match &self.held.place {
            Place::Device(store) => store.narrowed(self.offset(), self.rows, width)?,
            Place::Host(_) => {
                let bytes = width.bytes();
                let mut words = memory::zeroed::<u64>(COPY, (self.rows * bytes).div_ceil(8))?;
                let cells = cast_slice_mut::<u64, u8>(&mut words).chunks_exact_mut(bytes);
                cells
                    .zip(self.cells::<u64>())
                    .for_each(|(cell, word)| cell.copy_from_slice(&word.to_le_bytes()[..bytes]));
                Place::Host(words)
            }
        };
        Ok(DeviceCells::new(width, self.rows, place))
    }

    /// Copies the cells to the host, where they are not there yet.
    pub(crate) fn fetch(&self) -> Result<(), Error> {
        let Place::Device(store) = &self.held.place else { return Ok(()) };
        if self.copy.get().is_none() {
            let bytes = self.rows * self.width().bytes();
            let mut words = memory::zeroed::<u64>(COPY, bytes.div_ceil(8))?;
            store.read(self.offset(), &mut cast_slice_mut(&mut words)[..bytes])?;
            // Another thread may have done the same.
            let _ = self.copy.set(words);
        }
        Ok(())
    }

    /// Copies the cells to others of the same width.
    pub(crate) fn copy_to(&self, mut into: CellsMut<'_>) -> Result<(), Error> {
        match &self.held.place {
            Place::Device(store) => store.read(self.offset(), into.bytes()),
            Place::Host(words) => {
                let bytes: &[u8] = cast_slice(words);
                into.bytes().copy_from_slice(&bytes[self.offset()..][..self.rows * self.width().bytes()]);
                Ok(())
            }
        }
    }

    /// Returns the cells as a list of their type; an empty one before they were fetched.
    pub(crate) fn cells<C: AnyBitPattern + bytemuck::NoUninit>(&self) -> &[C] {
        match &self.held.place {
            Place::Host(words) => &cast_slice(words)[self.first..][..self.rows],
            Place::Device(_) => self.copy.get().map_or(&[], |words| &cast_slice(words)[..self.rows]),
        }
    }

    /// Returns the value in a row that exists, with a small copy if the cells were not fetched; `None` where the device has failed. Many such
    /// copies take longer than one of all cells.
    pub(crate) fn word(&self, row: usize) -> Option<u64> {
        let Place::Device(store) = &self.held.place else { return Some(self.fetched(row)) };
        if self.copy.get().is_none() {
            if self.looks.fetch_add(1, Ordering::Relaxed) < MOST_LOOKS {
                let (mut word, bytes) = ([0_u8; 8], self.width().bytes());
                store.read(self.offset() + row * bytes, &mut word[..bytes]).ok()?;
                return Some(u64::from_le_bytes(word));
            }
            self.fetch().ok()?;
        }
        Some(self.fetched(row))
    }

    fn fetched(&self, row: usize) -> u64 {
        match self.width() {
            ColumnWidth::U8 => self.cells::<u8>()[row].into(),
            ColumnWidth::U16 => self.cells::<u16>()[row].into(),
            ColumnWidth::U32 => self.cells::<u32>()[row].into(),
            ColumnWidth::U64 => self.cells()[row],
        }
    }
}

impl PartialEq for DeviceCells {
    fn eq(&self, other: &DeviceCells) -> bool {
        (self.identity(), self.rows) == (other.identity(), other.rows)
    }
}

impl Eq for DeviceCells {}

impl fmt::Debug for DeviceCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceCells({} x {:?})", self.rows, self.width())
    }
}

/// Why a column did not get rows.
#[derive(Debug)]
pub(crate) enum NotAdded {
    NoMemory(NoMemory),
    /// Cells that have to come from a device did not.
    Device(Box<Error>),
}

impl From<NoMemory> for NotAdded {
    fn from(short: NoMemory) -> NotAdded {
        NotAdded::NoMemory(short)
    }
}

impl From<Error> for NotAdded {
    fn from(error: Error) -> NotAdded {
        NotAdded::Device(Box::new(error))
    }
}

impl From<NotAdded> for Error {
    fn from(not: NotAdded) -> Error {
        match not {
            NotAdded::NoMemory(short) => short.into(),
            NotAdded::Device(error) => *error,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Cells of two bytes that count from 0; after some reads the device fails.
    struct Counting(AtomicUsize);

    impl CellStore for Counting {
        fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Error> {
            if self.0.fetch_sub(1, Ordering::Relaxed) == 0 {
                return Err(Error::ArrayInUse);
            }
            let cells = (offset / 2..).flat_map(|cell| (cell as u16).to_le_bytes());
            into.iter_mut().zip(cells).for_each(|(byte, cell)| *byte = cell);
            Ok(())
        }

        fn narrowed(&self, _: usize, _: usize, _: ColumnWidth) -> Result<Place, Error> {
            Err(Error::ArrayInUse)
        }
    }

    fn counting(reads: usize) -> DeviceCells {
        DeviceCells::new(ColumnWidth::U16, 100, Place::Device(Box::new(Counting(AtomicUsize::new(reads)))))
    }

    #[test]
    fn a_few_cells_are_read_alone_and_many_together() {
        let cells = counting(MOST_LOOKS + 1).range(10..90);
        for look in 0..MOST_LOOKS + 20 {
            assert_eq!(
                (cells.word(look % 80), cells.cells::<u16>().len()),
                (Some(10 + look as u64 % 80), if look < MOST_LOOKS { 0 } else { 80 })
            );
        }
        assert_eq!((cells.fetch(), cells.cells::<u16>()[3]), (Ok(()), 13), "they are there");
        let failed = counting(0);
        assert_eq!((failed.word(3), failed.cells::<u16>().len()), (None, 0));
        let failed = counting(0);
        assert_eq!((failed.fetch(), failed.cells::<u16>().len()), (Err(Error::ArrayInUse), 0));
    }

    #[test]
    fn ranges_that_follow_each_other_are_one() {
        let all = counting(1);
        let [one, two, three] = [0..4, 4..9, 5..9].map(|rows| all.range(rows));
        assert_eq!(one.joined(&two), Some(all.range(0..9)));
        assert_eq!((one.joined(&three), two.joined(&one), one.joined(&counting(1).range(4..9))), (None, None, None));
        assert_eq!((two.range(1..3), two.offset(), all.range(0..100)), (all.range(5..7), 8, all.clone()));
        let here = DeviceCells::new(ColumnWidth::U8, 3, Place::Host(vec![0x0003_0201]));
        assert_eq!(
            (here.range(1..3).cells::<u8>(), here.range(2..3).word(0), here.fetch()),
            (&[2, 3][..], Some(3), Ok(()))
        );
    }
}
