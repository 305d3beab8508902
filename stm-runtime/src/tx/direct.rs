//! The arrays of a CPU device in place, for one transaction at a time.

use kernels_gen::fault::FaultCode;

use super::abort::Abort;
use super::access::Memory;
use super::sets::WHAT;
use super::table::{Cell, View};
use crate::memory;
use crate::sync::{AtomicU64, Ordering};

/// An access to a record: the array that names it, its index, and whether it is a write.
pub(crate) type TracedAccess = (usize, u64, bool);

/// The arrays of a run, and what the current transaction has done to them. No other thread uses them meanwhile.
#[derive(Debug)]
pub struct Direct<'a> {
    views: Vec<View<'a>>,
    /// The scalars of the arrays for accesses at once. It is empty once accesses are traced.
    cells: Vec<&'a [Cell]>,
    /// The undo log: the overwritten words, oldest first.
    undo: Vec<(&'a AtomicU64, u64)>,
    /// The accesses of the current transaction, if traced, without those to what no procedure writes.
    trace: Option<Vec<TracedAccess>>,
}

impl<'a> Direct<'a> {
    pub(crate) fn new(views: Vec<View<'a>>) -> Direct<'a> {
        let cells = views.iter().map(View::cells).collect();
        Direct { views, cells, undo: Vec::new(), trace: None }
    }

    /// Traces the accesses of each transaction from now on.
    pub(crate) fn trace_accesses(&mut self) {
        self.trace.get_or_insert_default();
        self.cells.clear();
    }

    /// Returns the accesses of the current transaction, in its order.
    pub(crate) fn trace(&self) -> &[TracedAccess] {
        self.trace.as_deref().unwrap_or(&[])
    }

    /// Returns components of a record, of which the first is in that array, and notes the access.
    #[inline]
    fn access(
        &mut self,
        array: u32,
        index: u64,
        location: u32,
        components: usize,
        is_write: bool,
    ) -> Result<&'a [AtomicU64], Abort> {
        let view = self.views.get(array as usize).copied();
        let found = view.and_then(|view| {
            let values = view.table.row(index)?.values.get(view.component..)?.get(..components)?;
            Some((view, values))
        });
        let (view, values) = found.ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))?;
        if let Some(trace) = &mut self.trace {
            let access = (view.name, index, is_write);
            // Components of a record are accessed one after the other.
            if view.constant < components && trace.last() != Some(&access) {
                memory::push(WHAT, trace, access)?;
            }
        }
        Ok(values)
    }

    fn store(&mut self, value: &'a AtomicU64, word: u64) -> Result<(), Abort> {
        memory::push(WHAT, &mut self.undo, (value, value.load(Ordering::Relaxed)))?;
        value.store(word, Ordering::Relaxed);
        Ok(())
    }

    /// Undoes the writes of the current transaction.
    pub(crate) fn roll_back(&mut self) {
        let undo = self.undo.drain(..).rev();
        mutant!(
            "serial: an abort keeps its writes",
            undo.for_each(|(value, old)| value.store(old, Ordering::Relaxed)),
            ()
        );
    }

    /// Returns whether accesses to an array at once always fail, because its elements are records.
    fn is_apart(&self, array: u32) -> bool {
        self.cells.get(array as usize).is_some_and(|cells| cells.is_empty())
    }
}

impl Memory for Direct<'_> {
    #[inline]
    fn prepare(&mut self, _: u64) {}

    #[inline]
    fn begin(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
    }

    #[inline(always)]
    fn read_at_once(&mut self, array: u32, index: u64, _: u32) -> Option<u64> {
        let cell = self.cells.get(array as usize)?.get(usize::try_from(index).ok()?)?;
        Some(cell.value.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn write_at_once(&mut self, array: u32, index: u64, word: u64, _: u32) -> bool {
        let cell = self.cells.get(array as usize).zip(usize::try_from(index).ok());
        let Some(cell) = cell.and_then(|(cells, index)| cells.get(index)) else { return false };
        if self.undo.len() == self.undo.capacity() {
            return false;
        }
        self.undo.push((&cell.value, cell.value.load(Ordering::Relaxed)));
        cell.value.store(word, Ordering::Relaxed);
        true
    }

    #[inline(never)]
    fn read_otherwise(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        if self.is_apart(array) { self.read(array, index, location, true) } else { Err(Abort::NEEDS_SLOW_PATH) }
    }

    #[inline(never)]
    fn write_otherwise(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        if self.is_apart(array) { self.write(array, index, word, location, true) } else { Err(Abort::NEEDS_SLOW_PATH) }
    }

    #[inline]
    fn has_rows(&self, array: u32, components: usize) -> bool {
        self.views.get(array as usize).is_some_and(|view| view.begins_record_of(components))
    }

    #[inline(never)]
    fn read_row(&mut self, array: u32, index: u64, location: u32, words: &mut [u64]) -> Result<(), Abort> {
        let values = self.access(array, index, location, words.len(), false)?;
        words.iter_mut().zip(values).for_each(|(word, value)| *word = value.load(Ordering::Relaxed));
        Ok(())
    }

    #[inline(never)]
    fn write_row(&mut self, array: u32, index: u64, location: u32, words: &[u64]) -> Result<(), Abort> {
        let values = self.access(array, index, location, words.len(), true)?;
        values.iter().zip(words).try_for_each(|(value, word)| self.store(value, *word))
    }

    #[inline]
    fn read(&mut self, array: u32, index: u64, location: u32, _: bool) -> Result<u64, Abort> {
        let values = self.access(array, index, location, 1, false)?;
        Ok(values[0].load(Ordering::Relaxed))
    }

    fn write(&mut self, array: u32, index: u64, word: u64, location: u32, _: bool) -> Result<(), Abort> {
        let values = self.access(array, index, location, 1, true)?;
        self.store(&values[0], word)
    }

    #[inline]
    fn commit(&mut self) -> Result<bool, Abort> {
        let has_written = !self.undo.is_empty();
        self.undo.clear();
        Ok(has_written)
    }
}

impl Drop for Direct<'_> {
    /// Undoes the transaction whose function panics.
    fn drop(&mut self) {
        self.roll_back();
    }
}
