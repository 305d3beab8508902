//! A running transaction, for the executors: its memory, and its limits.

use std::fmt;
use std::sync::Arc;

use kernels_gen::spec::ProcedureSpec;

use super::abort::Abort;
use super::access::Memory;
use super::alarm::Alarm;
use super::kind::{AnyMemory, Kind, SlowPath};
use super::limits::AttemptLimits;
use super::prefetch::{Prefetcher, Touched};
use super::sequential::Sequential;
use crate::print::Printer;
use crate::sync::AtomicU64;

/// A running transaction, through which its function reads and writes.
///
/// `#[gpu_transaction]` also passes each verb its source location, so that reports can name the line, and compiles the function for
/// each kind of memory. In your program the type is always `Tx`.
#[derive(Debug)]
pub struct Tx<'a, K: Kind = SlowPath> {
    memory: K::Memory<'a>,
    limits: AttemptLimits<'a>,
    /// The partition index of its `Partition` parameters.
    part: u32,
    /// The destination of its lines; `None` where they are not printed.
    printer: Option<Arc<Printer>>,
}

impl<'a> Tx<'a> {
    /// Returns a transaction that runs alone; without an alarm, every transaction runs to its end.
    pub(crate) fn alone(state: Sequential, alarm: Option<&'a Alarm>) -> Tx<'a> {
        Tx::new(AnyMemory::Alone(state), alarm)
    }

    pub(crate) fn prefetching(prefetcher: Prefetcher<'a>) -> Tx<'a> {
        Tx::new(AnyMemory::Prefetcher(prefetcher), None)
    }

    /// Starts a prefetch of a transaction of a procedure.
    #[inline]
    pub(crate) fn begin_look_ahead(&mut self, procedure: &'static ProcedureSpec, iterations: u32) {
        self.limits.begin_look_ahead(iterations);
        if let AnyMemory::Prefetcher(prefetcher) = &mut self.memory {
            prefetcher.begin(procedure);
        }
    }

    /// Loads the elements that prefetched transactions have collected.
    #[inline]
    pub(crate) fn touch_collected(&mut self) {
        if let AnyMemory::Prefetcher(prefetcher) = &mut self.memory {
            prefetcher.touch();
        }
    }

    /// Takes the accesses that a prefetched transaction has collected.
    pub(crate) fn take_collected(&mut self) -> impl Iterator<Item = Touched> {
        let prefetcher = match &mut self.memory {
            AnyMemory::Prefetcher(prefetcher) => Some(prefetcher),
            _ => None,
        };
        prefetcher.into_iter().flat_map(Prefetcher::take)
    }

    pub(crate) fn sequential(&self) -> Option<&Sequential> {
        match &self.memory {
            AnyMemory::Alone(state) => Some(state),
            _ => None,
        }
    }

    pub(crate) fn sequential_mut(&mut self) -> Option<&mut Sequential> {
        match &mut self.memory {
            AnyMemory::Alone(state) => Some(state),
            _ => None,
        }
    }
}

impl<'a, K: Kind> Tx<'a, K> {
    pub(super) fn new(memory: K::Memory<'a>, alarm: Option<&'a Alarm>) -> Tx<'a, K> {
        Tx { memory, limits: AttemptLimits::new(alarm), part: 0, printer: None }
    }

    /// Returns the same with a printer for its lines.
    pub(crate) fn printing(self, printer: &Arc<Printer>) -> Tx<'a, K> {
        Tx { printer: Some(printer.clone()), ..self }
    }

    /// Prepares for attempts at transactions of a procedure. `for_update` has a bit for each location whose reads take the lock.
    #[inline]
    pub(crate) fn prepare(&mut self, procedure: &'static ProcedureSpec, for_update: u64) {
        self.limits.prepare(procedure, K::Memory::IS_FAST, K::Memory::IS_ALONE);
        self.memory.prepare(for_update);
    }

    /// Starts an attempt at a transaction of the procedure that was prepared.
    #[inline]
    pub(crate) fn begin(&mut self) {
        if K::Memory::IS_FAST {
            self.limits.begin_uncounted()
        } else {
            self.limits.begin()
        }
        self.memory.begin();
    }

    #[inline]
    pub(super) fn memory(&mut self) -> &mut K::Memory<'a> {
        &mut self.memory
    }

    /// See [`Memory::has_written`].
    #[inline(always)]
    pub(crate) fn has_written(&self) -> bool {
        self.memory.has_written()
    }

    /// Makes the writes of the attempt final. Returns whether there are any.
    #[inline]
    pub(crate) fn commit(&mut self) -> Result<bool, Abort> {
        self.memory.commit()
    }
}

/// One access to one component of an element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordAccess {
    /// Index of the component's array among those of the run.
    pub(crate) place: u32,
    pub(crate) index: u64,
    /// The number of the array's elements.
    pub(crate) len: usize,
    pub(crate) location: u32,
    /// Whether it is the last component of the element.
    pub(crate) is_last: bool,
}

/// The primitives of the verbs.
impl<K: Kind> Tx<'_, K> {
    /// Sets the partition index of the next call.
    #[doc(hidden)]
    #[inline]
    pub fn work_on_part(&mut self, part: u32) {
        self.part = part;
    }

    /// Prints a line, unless the transaction is prefetched or replayed for a proof.
    #[doc(hidden)]
    pub fn stm_print(&self, line: fmt::Arguments<'_>) {
        if let Some(printer) = &self.printer {
            printer.line(line);
        }
    }

    #[doc(hidden)]
    #[inline]
    pub fn guard_at(&mut self, condition: bool, _location: u32) -> Result<(), Abort> {
        if condition || self.memory.is_blind() { Ok(()) } else { Err(Abort::POSTPONED) }
    }

    #[doc(hidden)]
    #[inline]
    pub fn reject_at<R>(&mut self, code: u32, _location: u32) -> Result<R, Abort> {
        Err(Abort::rejected(code))
    }

    #[doc(hidden)]
    #[inline]
    pub fn iteration_at(&mut self, location: u32) -> Result<(), Abort> {
        if K::Memory::IS_ALONE {
            return self.limits.iteration_alone();
        }
        if self.limits.iteration(location)? { self.memory.look() } else { Ok(()) }
    }

    /// Returns the partition index of the current call.
    #[inline]
    pub(crate) fn part(&self) -> u32 {
        self.part
    }

    /// Reads a word of a whole array. An array of which transactions see a partition has no place among them.
    #[inline(always)]
    pub(crate) fn read_at_once(&mut self, place: u32, index: u64, location: u32) -> Result<u64, Abort> {
        match self.memory.read_at_once(place, index, location) {
            Some(word) => Ok(word),
            None => self.memory.read_otherwise(place, index, location),
        }
    }

    /// Writes a word of a whole array.
    #[inline(always)]
    pub(crate) fn write_at_once(&mut self, place: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        match self.memory.write_at_once(place, index, word, location) {
            true => Ok(()),
            false => self.memory.write_otherwise(place, index, word, location),
        }
    }

    #[inline]
    pub(crate) fn read_word(&mut self, access: WordAccess) -> Result<u64, Abort> {
        self.count_access(access)?;
        let WordAccess { place, index, location, is_last, .. } = access;
        self.memory.read(place, index, location, is_last)
    }

    #[inline]
    pub(crate) fn write_word(&mut self, access: WordAccess, word: u64) -> Result<(), Abort> {
        self.count_access(access)?;
        let WordAccess { place, index, location, is_last, .. } = access;
        self.memory.write(place, index, word, location, is_last)
    }

    /// Returns whether that many components of a record are accessed in one step; `place` is that of the first.
    #[inline]
    pub(crate) fn has_rows(&self, place: u32, components: usize) -> bool {
        self.memory.has_rows(place, components)
    }

    /// Returns the values of components of a record, if they can be loaded without further ado. `access` is that to the first, and
    /// `places` has those of all.
    #[inline(always)]
    pub(crate) fn plain_row(
        &mut self,
        access: WordAccess,
        places: impl ExactSizeIterator<Item = u32>,
    ) -> Result<Option<&[AtomicU64]>, Abort> {
        let components = places.len();
        if self.memory.plain_row(access.place, access.index, components).is_some() {
            self.count_accesses(access, places)?;
        }
        Ok(self.memory.plain_row(access.place, access.index, components))
    }

    /// Reads components of a record. `access` is that to the first, and `places` has those of all.
    #[inline]
    pub(crate) fn read_row(
        &mut self,
        access: WordAccess,
        places: impl Iterator<Item = u32>,
        words: &mut [u64],
    ) -> Result<(), Abort> {
        self.count_accesses(access, places)?;
        self.memory.read_row(access.place, access.index, access.location, words)
    }

    /// Writes components of a record. `access` is that to the first, and `places` has those of all.
    #[inline]
    pub(crate) fn write_row(
        &mut self,
        access: WordAccess,
        places: impl Iterator<Item = u32>,
        words: &[u64],
    ) -> Result<(), Abort> {
        self.count_accesses(access, places)?;
        self.memory.write_row(access.place, access.index, access.location, words)
    }

    #[inline]
    fn count_accesses(&mut self, access: WordAccess, mut places: impl Iterator<Item = u32>) -> Result<(), Abort> {
        if K::Memory::IS_FAST || !self.limits.counts() {
            return Ok(());
        }
        places.try_for_each(|place| self.count_access(WordAccess { place, ..access }))
    }

    /// Counts an access where the procedure states how many there are. One past the end is a fault of its own.
    #[inline]
    fn count_access(&mut self, access: WordAccess) -> Result<(), Abort> {
        if self.limits.counts() && access.index < access.len as u64 {
            self.limits.access(access.place, access.index, access.location)?;
        }
        Ok(())
    }
}
