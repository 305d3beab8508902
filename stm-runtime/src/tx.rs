//! The transaction as the user's function sees it: the verbs, and why an attempt ended early.

use std::fmt;
use std::sync::Arc;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::ProcedureSpec;

use crate::alarm::Alarm;
use crate::cpu::{Attempt, Scout, Sequential};
use crate::data::GpuData;
use crate::element::Index;
use crate::job::NO_LOCATION;
use crate::limits::Limits;
use crate::memory::NoMemory;
use crate::print::Printer;
use crate::shared::Shared;

/// What a negative index counts as: no array is that long.
const PAST_THE_END: u64 = u64::MAX;

/// What a transaction gives back: a result, or the reason why this attempt ended.
pub type TxResult<R = ()> = Result<R, Abort>;

/// Why an attempt ended early. Pass it on with `?`; the runtime knows what to do with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Abort(AbortKind);

/// The reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AbortKind {
    /// Another transaction was in the way. The attempt is repeated.
    Conflict,
    /// A guard is false. The transaction is tried again later.
    Postponed,
    /// `tx.reject`: final.
    Rejected { code: u32 },
    /// What Rust would panic on: final.
    Fault { code: FaultCode, location: u32 },
    /// The run ends: the transaction stays as it is.
    Halted,
    /// The host has no memory for its sets: the run fails.
    NoMemory { kib: u32 },
}

impl Abort {
    pub(crate) const CONFLICT: Abort = Abort(AbortKind::Conflict);
    pub(crate) const HALTED: Abort = Abort(AbortKind::Halted);

    #[cold]
    pub(crate) fn fault(code: FaultCode, location: u32) -> Abort {
        Abort(AbortKind::Fault { code, location })
    }

    #[inline]
    pub(crate) fn kind(self) -> AbortKind {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn fault_code(self) -> Option<FaultCode> {
        match self.0 {
            AbortKind::Fault { code, .. } => Some(code),
            _ => None,
        }
    }
}

impl fmt::Debug for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AbortKind::Conflict => f.write_str("Abort(conflict)"),
            AbortKind::Postponed => f.write_str("Abort(postponed)"),
            AbortKind::Rejected { code } => write!(f, "Abort(rejected with {code})"),
            AbortKind::Fault { code, .. } => write!(f, "Abort({code})"),
            AbortKind::Halted => f.write_str("Abort(the run ends)"),
            AbortKind::NoMemory { kib } => write!(f, "Abort(no memory for {kib} KiB)"),
        }
    }
}

impl From<NoMemory> for Abort {
    #[cold]
    fn from(short: NoMemory) -> Abort {
        // An attempt's sets are far smaller than 4 TiB.
        Abort(AbortKind::NoMemory { kib: u32::try_from(short.bytes.div_ceil(1024)).unwrap_or(u32::MAX) })
    }
}

/// What an attempt that found no memory was short of.
pub(crate) fn short_of_sets(kib: u32) -> NoMemory {
    NoMemory { what: "what one transaction reads and writes", bytes: 1024 * u64::from(kib) }
}

/// A running transaction: what its function reads and writes with.
///
/// `#[gpu_transaction]` also tells each verb where it stands in the source, so that reports can name the line.
#[derive(Debug)]
pub struct Tx<'a> {
    memory: Memory<'a>,
    limits: Limits<'a>,
    /// The part of its `Partition` parameters that the transaction works on.
    part: u32,
    /// Where its lines go; `None` where they are not printed.
    printer: Option<Arc<Printer>>,
}

/// Who executes the verbs.
#[derive(Debug)]
enum Memory<'a> {
    /// The threaded engine.
    Threaded(Attempt<'a>),
    /// One transaction at a time.
    Alone(Box<Sequential>),
    /// Nobody: the function only shows which elements it will use.
    Scout(Scout<'a>),
}

impl<'a> Tx<'a> {
    pub(crate) fn threaded(attempt: Attempt<'a>, alarm: &'a Alarm) -> Tx<'a> {
        Tx { memory: Memory::Threaded(attempt), limits: Limits::new(Some(alarm)), part: 0, printer: None }
    }

    /// Alone; without an alarm, every transaction runs to its end.
    pub(crate) fn alone(state: Sequential, alarm: Option<&'a Alarm>) -> Tx<'a> {
        Tx { memory: Memory::Alone(Box::new(state)), limits: Limits::new(alarm), part: 0, printer: None }
    }

    pub(crate) fn scout(scout: Scout<'a>) -> Tx<'a> {
        Tx { memory: Memory::Scout(scout), limits: Limits::new(None), part: 0, printer: None }
    }

    /// The same, whose lines are printed.
    pub(crate) fn printing(self, printer: &Arc<Printer>) -> Tx<'a> {
        Tx { printer: Some(printer.clone()), ..self }
    }

    /// Starts an attempt of a kind.
    #[inline]
    pub(crate) fn begin(&mut self, procedure: &'static ProcedureSpec) {
        self.limits.begin(procedure);
        if let Memory::Threaded(attempt) = &mut self.memory {
            attempt.begin();
        }
    }

    /// Starts a look ahead at a transaction of a kind.
    #[inline]
    pub(crate) fn begin_look_ahead(&mut self, procedure: &'static ProcedureSpec, iterations: u32) {
        self.limits.begin_look_ahead(iterations);
        if let Memory::Scout(scout) = &mut self.memory {
            scout.begin(procedure);
        }
    }

    #[inline]
    pub(crate) fn attempt(&mut self) -> Option<&mut Attempt<'a>> {
        match &mut self.memory {
            Memory::Threaded(attempt) => Some(attempt),
            _ => None,
        }
    }

    pub(crate) fn sequential(&self) -> Option<&Sequential> {
        match &self.memory {
            Memory::Alone(state) => Some(state),
            _ => None,
        }
    }

    pub(crate) fn sequential_mut(&mut self) -> Option<&mut Sequential> {
        match &mut self.memory {
            Memory::Alone(state) => Some(state),
            _ => None,
        }
    }
}

/// The verbs.
impl Tx<'_> {
    /// The element at an index. What the transaction wrote there before, or else the value at the transaction's own moment:
    /// a second read gives the same. All parts of a record are read; `tx.read(&rooms.free, index)` reads one.
    ///
    /// # Errors
    /// Another transaction is in the way, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn read<T: GpuData, I: Index>(&mut self, array: &Shared<T>, index: I) -> Result<T, Abort> {
        self.read_at(array, index, NO_LOCATION)
    }

    /// Replaces the element at an index, if and when the transaction commits.
    ///
    /// # Errors
    /// Another transaction is in the way, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn write<T: GpuData, I: Index>(&mut self, array: &Shared<T>, index: I, value: T) -> Result<(), Abort> {
        self.write_at(array, index, value, NO_LOCATION)
    }

    /// Goes on only where the condition holds. Otherwise the transaction is postponed, without effect, and tried again
    /// when others have changed something.
    ///
    /// # Errors
    /// The condition is false. Pass the error on with `?`.
    #[inline]
    pub fn guard(&mut self, condition: bool) -> Result<(), Abort> {
        self.guard_at(condition, NO_LOCATION)
    }

    /// Gives up for good, without effect. The report counts the code.
    ///
    /// # Errors
    /// Always. Pass the error on with `?`, or return it.
    #[inline]
    pub fn reject<R>(&mut self, code: u32) -> Result<R, Abort> {
        self.reject_at(code, NO_LOCATION)
    }

    /// Replaces the element at an index by what the closure makes of it.
    ///
    /// # Errors
    /// Another transaction is in the way, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn update<T: GpuData, I: Index>(
        &mut self,
        array: &Shared<T>,
        index: I,
        new: impl FnOnce(T) -> T,
    ) -> Result<(), Abort> {
        let old = self.read(array, index)?;
        self.write(array, index, new(old))
    }

    /// The part that the next call works on.
    #[doc(hidden)]
    #[inline]
    pub fn work_on_part(&mut self, part: u32) {
        self.part = part;
    }

    /// Prints a line, unless the transaction only shows its elements or is replayed for a proof.
    #[doc(hidden)]
    pub fn stm_print(&self, line: fmt::Arguments<'_>) {
        if let Some(printer) = &self.printer {
            printer.line(line);
        }
    }

    #[doc(hidden)]
    #[inline]
    pub fn read_at<T: GpuData, I: Index>(&mut self, array: &Shared<T>, index: I, location: u32) -> Result<T, Abort> {
        let index = array.locate(index.to_index().unwrap_or(PAST_THE_END), self.part);
        if T::COMPONENTS == 1 {
            let word = self.read_component(array, 0, index, location)?;
            return Ok(T::stm_take(&mut || word));
        }
        let (mut component, mut ended) = (0, Ok(()));
        let value = T::stm_take(&mut || {
            let read = ended.and_then(|()| self.read_component(array, component, index, location));
            component += 1;
            read.unwrap_or_else(|abort| {
                ended = Err(abort);
                0
            })
        });
        ended.map(|()| value)
    }

    #[doc(hidden)]
    #[inline]
    pub fn write_at<T: GpuData, I: Index>(
        &mut self,
        array: &Shared<T>,
        index: I,
        value: T,
        location: u32,
    ) -> Result<(), Abort> {
        let index = array.locate(index.to_index().unwrap_or(PAST_THE_END), self.part);
        let (mut component, mut ended) = (0, Ok(()));
        value.stm_put(&mut |word| {
            ended = ended.and_then(|()| self.write_component(array, component, index, word, location));
            component += 1;
        });
        ended
    }

    #[doc(hidden)]
    #[inline]
    pub fn guard_at(&mut self, condition: bool, _location: u32) -> Result<(), Abort> {
        if condition || matches!(self.memory, Memory::Scout(_)) { Ok(()) } else { Err(Abort(AbortKind::Postponed)) }
    }

    #[doc(hidden)]
    #[inline]
    pub fn reject_at<R>(&mut self, code: u32, _location: u32) -> Result<R, Abort> {
        Err(Abort(AbortKind::Rejected { code }))
    }

    #[doc(hidden)]
    #[inline]
    pub fn iteration_at(&mut self, location: u32) -> Result<(), Abort> {
        self.limits.iteration(location)
    }

    #[inline]
    fn read_component<T: GpuData>(
        &mut self,
        array: &Shared<T>,
        component: usize,
        index: u64,
        location: u32,
    ) -> Result<u64, Abort> {
        let place = array.place(component);
        self.count_access(place, index, array.extent(), location)?;
        match &mut self.memory {
            Memory::Threaded(attempt) => attempt.read(place, index, location),
            Memory::Alone(state) => state.read(place, index, location),
            Memory::Scout(scout) => scout.touch(place, index, location, component + 1 == T::COMPONENTS),
        }
    }

    #[inline]
    fn write_component<T: GpuData>(
        &mut self,
        array: &Shared<T>,
        component: usize,
        index: u64,
        word: u64,
        location: u32,
    ) -> Result<(), Abort> {
        let place = array.place(component);
        self.count_access(place, index, array.extent(), location)?;
        match &mut self.memory {
            Memory::Threaded(attempt) => attempt.write(place, index, word, location),
            Memory::Alone(state) => state.write(place, index, word, location),
            Memory::Scout(scout) => scout.touch(place, index, location, component + 1 == T::COMPONENTS).map(|_| ()),
        }
    }

    /// Counts an access where the procedure states how many there are. One past the end is a fault of its own.
    #[inline]
    fn count_access(&mut self, place: u32, index: u64, len: usize, location: u32) -> Result<(), Abort> {
        if self.limits.counts() && index < len as u64 {
            self.limits.access(place, index, location)?;
        }
        Ok(())
    }
}
