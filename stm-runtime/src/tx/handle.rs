//! A running transaction, for the executors: its memory, and its limits.

use std::fmt;
use std::sync::Arc;

use kernels_gen::spec::ProcedureSpec;

use super::abort::Abort;
use super::alarm::Alarm;
use super::attempt::Attempt;
use super::direct::Direct;
use super::limits::AttemptLimits;
use super::prefetch::Prefetcher;
use super::sequential::Sequential;
use crate::print::Printer;

/// A running transaction, through which its function reads and writes.
///
/// `#[gpu_transaction]` also passes each verb its source location, so that reports can name the line.
#[derive(Debug)]
pub struct Tx<'a> {
    memory: TxMemory<'a>,
    limits: AttemptLimits<'a>,
    /// The partition index of its `Partition` parameters.
    part: u32,
    /// The destination of its lines; `None` where they are not printed.
    printer: Option<Arc<Printer>>,
}

/// The memory of the verbs.
// With a tag of its own, which every access compares.
#[derive(Debug)]
#[repr(u8)]
enum TxMemory<'a> {
    /// The threaded engine.
    Threaded(Attempt<'a>),
    /// One transaction at a time, on the arrays themselves.
    Direct(Direct<'a>),
    /// One transaction at a time, on plain words: the reference.
    Alone(Box<Sequential>),
    /// No memory: the function only shows the elements that it will use.
    Prefetcher(Prefetcher<'a>),
}

impl<'a> Tx<'a> {
    pub(crate) fn threaded(attempt: Attempt<'a>, alarm: &'a Alarm) -> Tx<'a> {
        Tx { memory: TxMemory::Threaded(attempt), limits: AttemptLimits::new(Some(alarm)), part: 0, printer: None }
    }

    pub(crate) fn direct(direct: Direct<'a>, alarm: &'a Alarm) -> Tx<'a> {
        Tx { memory: TxMemory::Direct(direct), limits: AttemptLimits::new(Some(alarm)), part: 0, printer: None }
    }

    /// Returns a transaction that runs alone; without an alarm, every transaction runs to its end.
    pub(crate) fn alone(state: Sequential, alarm: Option<&'a Alarm>) -> Tx<'a> {
        Tx { memory: TxMemory::Alone(Box::new(state)), limits: AttemptLimits::new(alarm), part: 0, printer: None }
    }

    pub(crate) fn prefetching(prefetcher: Prefetcher<'a>) -> Tx<'a> {
        Tx { memory: TxMemory::Prefetcher(prefetcher), limits: AttemptLimits::new(None), part: 0, printer: None }
    }

    /// Returns the same with a printer for its lines.
    pub(crate) fn printing(self, printer: &Arc<Printer>) -> Tx<'a> {
        Tx { printer: Some(printer.clone()), ..self }
    }

    /// Starts an attempt of a procedure. `for_update`: see [`read_for_update`](super::attempt::read_for_update).
    #[inline]
    pub(crate) fn begin(&mut self, procedure: &'static ProcedureSpec, for_update: u64) {
        self.limits.begin(procedure);
        match &mut self.memory {
            TxMemory::Threaded(attempt) => attempt.begin(for_update),
            TxMemory::Direct(direct) => direct.begin(),
            _ => {}
        }
    }

    /// Starts a prefetch of a transaction of a procedure.
    #[inline]
    pub(crate) fn begin_look_ahead(&mut self, procedure: &'static ProcedureSpec, iterations: u32) {
        self.limits.begin_look_ahead(iterations);
        if let TxMemory::Prefetcher(prefetcher) = &mut self.memory {
            prefetcher.begin(procedure);
        }
    }

    /// Loads the elements that prefetched transactions have collected.
    #[inline]
    pub(crate) fn touch_collected(&mut self) {
        if let TxMemory::Prefetcher(prefetcher) = &mut self.memory {
            prefetcher.touch();
        }
    }

    #[inline]
    pub(crate) fn attempt(&mut self) -> Option<&mut Attempt<'a>> {
        match &mut self.memory {
            TxMemory::Threaded(attempt) => Some(attempt),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn in_place(&mut self) -> Option<&mut Direct<'a>> {
        match &mut self.memory {
            TxMemory::Direct(direct) => Some(direct),
            _ => None,
        }
    }

    pub(crate) fn sequential(&self) -> Option<&Sequential> {
        match &self.memory {
            TxMemory::Alone(state) => Some(state),
            _ => None,
        }
    }

    pub(crate) fn sequential_mut(&mut self) -> Option<&mut Sequential> {
        match &mut self.memory {
            TxMemory::Alone(state) => Some(state),
            _ => None,
        }
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
impl Tx<'_> {
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
        if condition || matches!(self.memory, TxMemory::Prefetcher(_)) { Ok(()) } else { Err(Abort::POSTPONED) }
    }

    #[doc(hidden)]
    #[inline]
    pub fn reject_at<R>(&mut self, code: u32, _location: u32) -> Result<R, Abort> {
        Err(Abort::rejected(code))
    }

    #[doc(hidden)]
    #[inline]
    pub fn iteration_at(&mut self, location: u32) -> Result<(), Abort> {
        match (self.limits.iteration(location)?, &mut self.memory) {
            (true, TxMemory::Threaded(attempt)) => attempt.check_reads_of_loop(),
            _ => Ok(()),
        }
    }

    /// Returns the partition index of the current call.
    #[inline]
    pub(crate) fn part(&self) -> u32 {
        self.part
    }

    #[inline]
    pub(crate) fn read_word(&mut self, access: WordAccess) -> Result<u64, Abort> {
        match &mut self.memory {
            // The one case that is short enough to be part of every function.
            TxMemory::Direct(direct) if !self.limits.counts() => {
                direct.read(access.place, access.index, access.location)
            }
            _ => self.read_elsewhere(access),
        }
    }

    #[inline]
    pub(crate) fn write_word(&mut self, access: WordAccess, word: u64) -> Result<(), Abort> {
        match &mut self.memory {
            TxMemory::Direct(direct) if !self.limits.counts() => {
                direct.write(access.place, access.index, word, access.location)
            }
            TxMemory::Threaded(attempt) if !self.limits.counts() => {
                attempt.write(access.place, access.index, word, access.location)
            }
            _ => self.write_elsewhere(access, word),
        }
    }

    #[cold]
    fn read_elsewhere(&mut self, access: WordAccess) -> Result<u64, Abort> {
        self.count_access(access)?;
        let WordAccess { place, index, location, is_last, .. } = access;
        match &mut self.memory {
            TxMemory::Threaded(attempt) => attempt.read(place, index, location),
            TxMemory::Direct(direct) => direct.read(place, index, location),
            TxMemory::Alone(state) => state.read(place, index, location),
            TxMemory::Prefetcher(prefetcher) => prefetcher.collect(place, index, location, is_last),
        }
    }

    #[cold]
    fn write_elsewhere(&mut self, access: WordAccess, word: u64) -> Result<(), Abort> {
        self.count_access(access)?;
        let WordAccess { place, index, location, is_last, .. } = access;
        match &mut self.memory {
            TxMemory::Threaded(attempt) => attempt.write(place, index, word, location),
            TxMemory::Direct(direct) => direct.write(place, index, word, location),
            TxMemory::Alone(state) => state.write(place, index, word, location),
            TxMemory::Prefetcher(prefetcher) => prefetcher.collect(place, index, location, is_last).map(|_| ()),
        }
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
