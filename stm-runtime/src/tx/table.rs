//! The elements of shared arrays in host memory, beside the lock words that guard them.
//!
//! An element with several components is a record. Its components lie one after the other behind its lock word, so that one load of
//! that word serves them all, and most records are in one or two cache lines. An array of scalars is an array of records with one
//! component.

use std::ops::Range;
use std::slice;
use std::sync::Arc;

use crate::memory::{self, NoMemory};
use crate::sync::{AtomicU64, Ordering};

/// The purpose of the memory, for the error when an array does not fit.
const WHAT: &str = "a shared array";
/// Bytes of a cache line.
const LINE: usize = 64;

/// A record of one component: its lock word, and its value.
pub(crate) type Cell = [AtomicU64; 2];

/// The records of an array.
#[derive(Debug)]
pub(crate) struct Table {
    layout: Layout,
    len: usize,
    components: usize,
    coverage_log2: u32,
}

// With a tag of its own, which every access compares.
#[derive(Debug)]
#[repr(u8)]
enum Layout {
    /// One record under each lock word: the lock word, then the components.
    Rows(Vec<AtomicU64>),
    /// Several records under each lock word.
    Split { values: Vec<AtomicU64>, locks: Vec<AtomicU64> },
}

/// One record and its lock word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) lock: &'a AtomicU64,
    /// One value for each component.
    pub(crate) values: &'a [AtomicU64],
}

impl<'a> Row<'a> {
    #[inline(always)]
    pub(crate) fn of(cell: &'a Cell) -> Row<'a> {
        let [lock, value] = cell;
        Row { lock, values: slice::from_ref(value) }
    }

    /// Returns a number that no other record has.
    #[inline]
    pub(crate) fn id(self) -> u64 {
        self.values.as_ptr().addr() as u64
    }
}

impl Table {
    /// Returns a table of records of zeros. Every lock word is free and at version 0.
    fn zeros(len: usize, components: usize, coverage_log2: u32) -> Result<Table, NoMemory> {
        let layout = if coverage_log2 == 0 {
            Layout::Rows(zeros(len.saturating_mul(components + 1))?)
        } else {
            let values = zeros(len.saturating_mul(components))?;
            Layout::Split { values, locks: zeros(len.div_ceil(1 << coverage_log2))? }
        };
        Ok(Table { layout, len, components, coverage_log2 })
    }

    /// Returns the record at an index; `None` past the end.
    #[inline]
    pub(crate) fn row(&self, index: u64) -> Option<Row<'_>> {
        let at = usize::try_from(index).ok().filter(|at| *at < self.len)?;
        match &self.layout {
            Layout::Rows(words) => {
                let (lock, rest) = words.get(at * (self.components + 1)..)?.split_first()?;
                Some(Row { lock, values: rest.get(..self.components)? })
            }
            Layout::Split { values, locks } => {
                let values = values.get(at * self.components..)?.get(..self.components)?;
                Some(Row { lock: locks.get(at >> self.coverage_log2)?, values })
            }
        }
    }

    /// Returns the address of the first lock word, and the bytes from each to the next.
    fn locks(&self) -> (usize, usize) {
        const WORD: usize = size_of::<AtomicU64>();
        match &self.layout {
            Layout::Rows(words) => (words.as_ptr().addr(), (self.components + 1) * WORD),
            Layout::Split { locks, .. } => (locks.as_ptr().addr(), WORD),
        }
    }

    pub(crate) fn components(&self) -> usize {
        self.components
    }

    /// Returns the indices of the records under a lock word.
    pub(crate) fn elements_under(&self, lock: u64) -> Range<usize> {
        let first = (lock as usize) << self.coverage_log2;
        first..self.len.min(first + (1 << self.coverage_log2))
    }

    /// Returns the number of lock words.
    pub(crate) fn lock_count(&self) -> usize {
        self.len.div_ceil(1 << self.coverage_log2)
    }

    /// Sets every lock word to version 0, where recorded histories start. No run uses the array meanwhile.
    pub(crate) fn reset_versions(&self) {
        let reset = |lock: &AtomicU64| lock.store(0, Ordering::Relaxed);
        match &self.layout {
            Layout::Rows(words) => words.iter().step_by(self.components + 1).for_each(reset),
            Layout::Split { locks, .. } => locks.iter().for_each(reset),
        }
    }
}

/// Returns that many zeros.
fn zeros(words: usize) -> Result<Vec<AtomicU64>, NoMemory> {
    #[cfg(not(loom))]
    return memory::zeroed(WHAT, words);
    #[cfg(loom)]
    memory::collected(WHAT, (0..words).map(|_| AtomicU64::new(0)))
}

/// One component of the records of a shared array.
#[derive(Debug)]
pub(crate) struct CpuArray {
    table: Arc<Table>,
    component: usize,
}

impl CpuArray {
    /// Returns the arrays of the components of records of zeros.
    pub(crate) fn zeros(len: usize, components: usize, coverage_log2: u32) -> Result<Vec<CpuArray>, NoMemory> {
        let table = Arc::new(Table::zeros(len, components, coverage_log2)?);
        Ok((0..components).map(|component| CpuArray { table: table.clone(), component }).collect())
    }

    /// Returns the arrays of the components of records with these words.
    #[cfg(any(test, feature = "mutation"))]
    pub(crate) fn of_record(words: &[Vec<u64>], coverage_log2: u32) -> Result<Vec<CpuArray>, NoMemory> {
        let arrays = CpuArray::zeros(words.first().map_or(0, Vec::len), words.len(), coverage_log2)?;
        arrays.iter().zip(words).for_each(|(array, words)| array.write(0, words));
        Ok(arrays)
    }

    /// Returns an array of scalars.
    #[cfg(any(test, feature = "mutation"))]
    pub(crate) fn of_scalars(words: impl IntoIterator<Item = u64>, coverage_log2: u32) -> CpuArray {
        let words = [words.into_iter().collect()];
        CpuArray::of_record(&words, coverage_log2).expect("room for an array").remove(0)
    }

    /// Returns the records of which it is a component.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the number of the component.
    pub(crate) fn component(&self) -> usize {
        self.component
    }

    /// Copies the values of records from an index on. No run uses the array meanwhile.
    pub(crate) fn read(&self, first: usize, words: &mut [u64]) {
        words.iter_mut().zip(self.values_from(first)).for_each(|(word, value)| *word = value.load(Ordering::Relaxed));
    }

    /// Replaces the values of records from an index on. No run uses the array meanwhile.
    pub(crate) fn write(&self, first: usize, words: &[u64]) {
        self.values_from(first).zip(words).for_each(|(value, word)| value.store(*word, Ordering::Relaxed));
    }

    /// Returns the value of each record from an index on.
    fn values_from(&self, first: usize) -> impl Iterator<Item = &AtomicU64> {
        (first..self.table.len).filter_map(|at| self.table.row(at as u64)?.values.get(self.component))
    }

    /// Returns the value of each record. No run uses the array meanwhile.
    #[cfg(any(test, feature = "mutation"))]
    pub(crate) fn words(&self) -> Result<Vec<u64>, NoMemory> {
        let mut words = memory::zeroed(WHAT, self.table.len)?;
        self.read(0, &mut words);
        Ok(words)
    }
}

/// An array as the transactions of a run see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// The scalars with a lock word each; none of other arrays.
    pub(crate) cells: &'a [Cell],
    pub(crate) table: &'a Table,
    pub(crate) component: usize,
    /// The number of components, from this one on, that no procedure of the run writes.
    pub(crate) constant: usize,
    /// The number of the first array of the run that is a component of the same records and not constant, if there is one.
    pub(crate) name: usize,
}

/// The name of records of which all components are constant.
const NO_NAME: usize = usize::MAX;

impl<'a> View<'a> {
    pub(crate) fn new(array: &'a CpuArray, constant: usize, name: Option<usize>) -> View<'a> {
        let has_lock = mutant!("cpu: only the first field of a record has a lock", true, array.component == 0);
        let constant = if has_lock { constant } else { usize::MAX };
        let cells = match &array.table.layout {
            Layout::Rows(words) if array.table.components == 1 => words.as_chunks().0,
            Layout::Rows(_) | Layout::Split { .. } => &[],
        };
        View { cells, table: &array.table, component: array.component, constant, name: name.unwrap_or(NO_NAME) }
    }

    /// Returns the view of an array that transactions write.
    #[cfg(any(test, feature = "mutation"))]
    pub(crate) fn written(array: &'a CpuArray) -> View<'a> {
        View::new(array, 0, Some(0))
    }

    /// Returns the values without their lock words.
    pub(crate) fn plain(&self) -> Plain<'a> {
        let components = self.table.components;
        let (words, first, stride) = match &self.table.layout {
            Layout::Rows(words) => (&words[..], 1 + self.component, components + 1),
            Layout::Split { values, .. } => (&values[..], self.component, components),
        };
        let components = (components - self.component) as u32;
        Plain { cells: self.cells, words: words.get(first..).unwrap_or_default(), stride: stride as u32, components }
    }

    /// Returns whether no procedure of the run writes it.
    #[inline]
    pub(crate) fn is_constant(&self) -> bool {
        self.constant > 0
    }

    /// Returns whether it is the first of that many components of one record.
    #[inline]
    pub(crate) fn begins_record_of(&self, components: usize) -> bool {
        self.table.components > 1 && components <= self.table.components - self.component
    }

    /// Returns whether transactions use the lock words of its records.
    pub(crate) fn is_locked(&self) -> bool {
        self.name != NO_NAME
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.table.len
    }

    pub(crate) fn coverage_log2(&self) -> u32 {
        self.table.coverage_log2
    }

    /// Returns the version of an element's lock word, which no thread holds; 0 past the end.
    pub(crate) fn version(&self, index: u64) -> u64 {
        self.table.row(index).map_or(0, |row| row.lock.load(Ordering::Relaxed) >> 1)
    }

    /// Sets the version of an element's lock word. No other thread uses it meanwhile.
    pub(crate) fn set_version(&self, index: u64, version: u64) {
        if let Some(row) = self.table.row(index) {
            row.lock.store(version << 1, Ordering::Relaxed);
        }
    }

    /// Returns whether a load of the other array's element also loads the cache line of this one's, mostly.
    pub(crate) fn is_near(&self, other: &View<'_>) -> bool {
        let line = |view: &View<'_>| (view.component + 1) * size_of::<u64>() / LINE;
        std::ptr::eq(self.table, other.table) && line(self) == line(other)
    }

    /// Loads the cache lines of an element and of its lock word, if it exists. The values are not used, so nothing waits for them.
    #[inline]
    pub(crate) fn touch(&self, index: u64) {
        let scalar = usize::try_from(index).ok().and_then(|at| self.cells.get(at));
        match scalar {
            Some(cell) => _ = cell[0].load(Ordering::Relaxed),
            None => self.touch_field(index),
        }
    }

    fn touch_field(&self, index: u64) {
        let Some(row) = self.table.row(index) else { return };
        let Some(value) = row.values.get(self.component) else { return };
        let _ = value.load(Ordering::Relaxed);
        let is_one_line = std::ptr::from_ref(value).addr() / LINE == std::ptr::from_ref(row.lock).addr() / LINE;
        if !is_one_line && !self.is_constant() {
            let _ = row.lock.load(Ordering::Relaxed);
        }
    }
}

/// One component of records, without their lock words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'a> {
    /// The scalars with their lock words; none of other arrays.
    cells: &'a [Cell],
    /// Begins with the component of the first record.
    words: &'a [AtomicU64],
    /// The words from one record to the next. In 32 bits, because the product with an index of 32 bits cannot overflow then.
    stride: u32,
    /// The number of components of a record from this one on.
    components: u32,
}

impl<'a> Plain<'a> {
    /// Returns the value at an index; `None` past the end.
    #[inline(always)]
    pub(crate) fn get(&self, index: u64) -> Option<&'a AtomicU64> {
        match self.cells.get(usize::try_from(index).ok()?) {
            Some(cell) => Some(&cell[1]),
            None => self.get_in_row(index),
        }
    }

    #[inline(always)]
    fn get_in_row(&self, index: u64) -> Option<&'a AtomicU64> {
        // Past the last record, the word would be past the end too.
        self.words.get(usize::try_from(index.checked_mul(u64::from(self.stride))?).ok()?)
    }

    /// Returns the values of that many components of the record at an index; `None` if they are not all of one record.
    #[inline(always)]
    pub(crate) fn row(&self, index: u64, components: usize) -> Option<&'a [AtomicU64]> {
        if components > self.components as usize {
            return None;
        }
        let at = usize::try_from(index.checked_mul(u64::from(self.stride))?).ok()?;
        self.words.get(at..)?.get(..components)
    }
}

/// The lock words of a run as histories name them: by an array and the number of the lock word.
#[derive(Debug)]
pub(crate) struct LockNames<'a> {
    /// By the address of the first lock word.
    tables: Vec<(usize, View<'a>)>,
}

impl<'a> LockNames<'a> {
    /// Returns the names for the arrays of a run.
    pub(crate) fn new(views: &[View<'a>]) -> LockNames<'a> {
        let named = views.iter().enumerate().filter(|(at, view)| view.name == *at && view.len() > 0);
        let mut tables: Vec<_> = named.map(|(_, view)| (view.table.locks().0, *view)).collect();
        tables.sort_unstable_by_key(|(first, _)| *first);
        LockNames { tables }
    }

    /// Returns the array and the number of a lock word.
    pub(crate) fn of(&self, lock: &AtomicU64) -> (usize, u64) {
        let address = std::ptr::from_ref(lock).addr();
        let after = self.tables.partition_point(|(first, _)| *first <= address);
        let Some((first, view)) = after.checked_sub(1).map(|at| &self.tables[at]) else { return (0, 0) };
        let number = (address - first) / view.table.locks().1;
        (view.name, mutant!("cpu: the lock words of an array have one name", number as u64, 0))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn pairs(coverage_log2: u32) -> Vec<CpuArray> {
        CpuArray::of_record(&[vec![1, 2, 3], vec![10, 20, 30]], coverage_log2).unwrap()
    }

    #[test]
    fn components_of_a_record_have_one_lock_word() {
        for coverage_log2 in [0, 1] {
            let arrays = pairs(coverage_log2);
            assert_eq!([&arrays[0], &arrays[1]].map(|array| array.words().unwrap()), [[1, 2, 3], [10, 20, 30]]);
            let rows: Vec<Row<'_>> = (0..3).map(|at| arrays[1].table().row(at).unwrap()).collect();
            assert!(rows[0].id() != rows[1].id() && rows[1].values.len() == 2);
            assert_eq!(std::ptr::eq(rows[0].lock, rows[1].lock), coverage_log2 == 1);
            assert!(!std::ptr::eq(rows[1].lock, rows[2].lock));
            assert!(arrays[0].table().row(3).is_none() && arrays[0].table().row(u64::MAX).is_none());
            assert_eq!(arrays[0].table().lock_count(), 3 - coverage_log2 as usize);
            let plain = View::written(&arrays[1]).plain();
            let word = |at| plain.get(at).map(|value| value.load(Ordering::Relaxed));
            assert_eq!([2, 3, u64::MAX, 1 << 62].map(word), [Some(30), None, None, None]);
            assert!(plain.row(0, 2).is_none() && plain.row(2, 1).is_some() && plain.row(3, 1).is_none());
            let row = View::written(&arrays[0]).plain().row(2, 2).unwrap();
            assert_eq!([0, 1].map(|k: usize| row[k].load(Ordering::Relaxed)), [3, 30]);
        }
    }

    #[test]
    fn coverage_shares_lock_words() {
        let array = CpuArray::of_scalars([0; 9], 2);
        let lock = |at| array.table().row(at).unwrap().lock;
        assert!(std::ptr::eq(lock(4), lock(7)) && !std::ptr::eq(lock(7), lock(8)));
        assert!(array.table().row(9).is_none());
        assert_eq!(array.table().lock_count(), 3);
    }

    #[test]
    fn lock_words_are_named_by_the_first_array_of_the_record_that_is_written() {
        let (scalars, records, covered) = (CpuArray::of_scalars([0; 5], 0), pairs(0), CpuArray::of_scalars([0; 9], 2));
        let views = [
            View::new(&records[1], 1, Some(3)),
            View::new(&scalars, 0, Some(1)),
            View::new(&covered, 0, Some(2)),
            View::new(&records[0], 0, Some(3)),
        ];
        let names = LockNames::new(&views);
        let name = |array: &CpuArray, at| names.of(array.table().row(at).unwrap().lock);
        assert_eq!((name(&records[1], 0), name(&records[0], 2)), ((3, 0), (3, 2)));
        assert_eq!((name(&scalars, 4), name(&covered, 3), name(&covered, 8)), ((1, 4), (2, 0), (2, 2)));
    }

    #[test]
    fn versions_begin_again_beside_the_values() {
        for arrays in [pairs(0), pairs(1), vec![CpuArray::of_scalars([1, 2, 3], 0)]] {
            let row = arrays[0].table().row(2).unwrap();
            row.lock.store(8, Ordering::Relaxed);
            arrays[0].table().reset_versions();
            assert_eq!((row.lock.load(Ordering::Relaxed), arrays[0].words().unwrap()), (0, vec![1, 2, 3]));
        }
    }
}
