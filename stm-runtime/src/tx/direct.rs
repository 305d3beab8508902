//! The arrays of a CPU device in place, for one transaction at a time.

use kernels_gen::fault::FaultCode;

use super::abort::Abort;
use super::access::Memory;
use super::sets::WHAT;
use super::table::{Plain, View};
use crate::memory;
use crate::sync::{AtomicU64, Ordering};

/// An access to a record: the array that names it, its index, and whether it is a write.
pub(crate) type TracedAccess = (usize, u64, bool);

/// The arrays of a run, and what the current transaction has done to them. No other thread uses them meanwhile.
#[derive(Debug)]
pub struct Direct<'a> {
    views: Vec<View<'a>>,
    /// The values of the arrays for accesses at once. It is empty once accesses are traced.
    plain: Vec<Plain<'a>>,
    /// The undo log: the overwritten words, oldest first.
    undo: Vec<(&'a AtomicU64, u64)>,
    /// The accesses of the current transaction, if traced, without those to what no procedure writes.
    trace: Option<Vec<TracedAccess>>,
}

impl<'a> Direct<'a> {
    pub(crate) fn new(views: Vec<View<'a>>) -> Direct<'a> {
        let plain = views.iter().map(View::plain).collect();
        Direct { views, plain, undo: Vec::new(), trace: None }
    }

    /// Starts an attempt on the slow path.
    #[inline]
    pub(crate) fn begin_slowly(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
    }

    /// Traces the accesses of each transaction from now on.
    pub(crate) fn trace_accesses(&mut self) {
        self.trace.get_or_insert_default();
        self.plain.clear();
    }

    /// Returns the accesses of the current transaction, in its order.
    pub(crate) fn trace(&self) -> &[TracedAccess] {
        self.trace.as_deref().unwrap_or(&[])
    }

    /// Returns a component, if accesses are not traced.
    #[inline(always)]
    fn value(&self, array: u32, index: u64) -> Option<&'a AtomicU64> {
        self.plain.get(array as usize)?.get(index)
    }

    /// Returns a component, and notes the access to its record.
    #[inline]
    fn access(&mut self, array: u32, index: u64, location: u32, is_write: bool) -> Result<&'a AtomicU64, Abort> {
        let found = self.views.get(array as usize).and_then(|view| {
            let value = view.table.row(index)?.values.get(view.component)?;
            Some((view, value))
        });
        let (view, value) = found.ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))?;
        if let Some(trace) = &mut self.trace {
            let access = (view.name, index, is_write);
            // Components of a record are accessed one after the other.
            if !view.is_constant() && trace.last() != Some(&access) {
                memory::push(WHAT, trace, access)?;
            }
        }
        Ok(value)
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
    const IS_ALONE: bool = true;

    #[inline]
    fn prepare(&mut self, _: u64) {}

    /// Starts an attempt whose accesses are not traced.
    #[inline]
    fn begin(&mut self) {}

    #[inline(always)]
    fn read_at_once(&mut self, array: u32, index: u64, _: u32) -> Option<u64> {
        self.value(array, index).map(|value| value.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn plain_row(&self, array: u32, index: u64, components: usize) -> Option<&[AtomicU64]> {
        self.plain.get(array as usize)?.row(index, components)
    }

    #[inline(always)]
    fn write_at_once(&mut self, array: u32, index: u64, word: u64, _: u32) -> bool {
        let Some(value) = self.value(array, index) else { return false };
        if self.undo.len() == self.undo.capacity() {
            return false;
        }
        self.undo.push((value, value.load(Ordering::Relaxed)));
        value.store(word, Ordering::Relaxed);
        true
    }

    #[inline]
    fn read(&mut self, array: u32, index: u64, location: u32, _: bool) -> Result<u64, Abort> {
        let value = match self.value(array, index) {
            Some(value) => value,
            None => self.access(array, index, location, false)?,
        };
        Ok(value.load(Ordering::Relaxed))
    }

    fn write(&mut self, array: u32, index: u64, word: u64, location: u32, _: bool) -> Result<(), Abort> {
        let value = match self.value(array, index) {
            Some(value) => value,
            None => self.access(array, index, location, true)?,
        };
        memory::push(WHAT, &mut self.undo, (value, value.load(Ordering::Relaxed)))?;
        value.store(word, Ordering::Relaxed);
        Ok(())
    }

    #[inline(always)]
    fn has_written(&self) -> bool {
        !self.undo.is_empty()
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
