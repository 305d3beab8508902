//! The arrays of a CPU device in place, for one transaction at a time.

use kernels_gen::fault::FaultCode;

use super::abort::Abort;
use super::access::Memory;
use super::lock::{Cell, CpuArray};
use super::sets::WHAT;
use crate::memory;
use crate::sync::{AtomicU64, Ordering};

/// The arrays of a run, and what the current transaction has done to them. No other thread uses them meanwhile.
#[derive(Debug)]
pub struct Direct<'a> {
    arrays: Vec<&'a CpuArray>,
    /// The elements of the arrays for accesses at once. It is empty once accesses are traced.
    cells: Vec<&'a [Cell]>,
    /// The undo log: the overwritten words, oldest first.
    undo: Vec<(&'a AtomicU64, u64)>,
    /// The accesses of the current transaction, if traced: array, index, is a write.
    trace: Option<Vec<(usize, u64, bool)>>,
}

impl<'a> Direct<'a> {
    pub(crate) fn new(arrays: Vec<&'a CpuArray>) -> Direct<'a> {
        let cells = arrays.iter().map(|array| array.cells()).collect();
        Direct { arrays, cells, undo: Vec::new(), trace: None }
    }

    /// Traces the accesses of each transaction from now on.
    pub(crate) fn trace_accesses(&mut self) {
        self.trace.get_or_insert_default();
        self.cells.clear();
    }

    /// Returns the accesses of the current transaction, in its order: array, index, is a write.
    pub(crate) fn trace(&self) -> &[(usize, u64, bool)] {
        self.trace.as_deref().unwrap_or(&[])
    }

    #[inline]
    fn at(&self, array: u32, index: u64, location: u32) -> Result<&'a AtomicU64, Abort> {
        let place = self.arrays.get(array as usize).and_then(|array| array.at(index));
        place.map(|place| place.value).ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
    }

    #[inline]
    fn note(&mut self, array: u32, index: u64, write: bool) -> Result<(), Abort> {
        if let Some(trace) = &mut self.trace {
            memory::push(WHAT, trace, (array as usize, index, write))?;
        }
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

    #[inline]
    fn read(&mut self, array: u32, index: u64, location: u32, _: bool) -> Result<u64, Abort> {
        let value = self.at(array, index, location)?;
        self.note(array, index, false)?;
        Ok(value.load(Ordering::Relaxed))
    }

    fn write(&mut self, array: u32, index: u64, word: u64, location: u32, _: bool) -> Result<(), Abort> {
        let value = self.at(array, index, location)?;
        self.note(array, index, true)?;
        memory::push(WHAT, &mut self.undo, (value, value.load(Ordering::Relaxed)))?;
        value.store(word, Ordering::Relaxed);
        Ok(())
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
