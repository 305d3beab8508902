//! The transaction as the user's function sees it: the verbs, and why an attempt ended early.

use std::fmt;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::KindSpec;

use crate::cpu::{Attempt, Scout, Sequential};
use crate::element::{Element, Index};
use crate::job::NO_SITE;
use crate::limits::Limits;
use crate::shared::Shared;

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
    Fault { code: FaultCode, site: u32 },
}

impl Abort {
    pub(crate) const CONFLICT: Abort = Abort(AbortKind::Conflict);

    #[cold]
    pub(crate) fn fault(code: FaultCode, site: u32) -> Abort {
        Abort(AbortKind::Fault { code, site })
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
        }
    }
}

/// A running transaction: what its function reads and writes with.
///
/// `#[gpu_transaction]` also tells each verb where it stands in the source, so that reports can name the line.
#[derive(Debug)]
pub struct Tx<'a> {
    memory: Memory<'a>,
    limits: Limits,
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
    pub(crate) fn threaded(attempt: Attempt<'a>) -> Tx<'a> {
        Tx { memory: Memory::Threaded(attempt), limits: Limits::new() }
    }

    pub(crate) fn alone(state: Sequential) -> Tx<'static> {
        Tx { memory: Memory::Alone(Box::new(state)), limits: Limits::new() }
    }

    pub(crate) fn scout(scout: Scout<'a>) -> Tx<'a> {
        Tx { memory: Memory::Scout(scout), limits: Limits::new() }
    }

    /// Starts an attempt of a kind.
    #[inline]
    pub(crate) fn begin(&mut self, kind: &'static KindSpec) {
        self.limits.begin(kind);
        if let Memory::Threaded(attempt) = &mut self.memory {
            attempt.begin();
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
    /// a second read gives the same.
    ///
    /// # Errors
    /// Another transaction is in the way, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn read<T: Element, I: Index>(&mut self, region: &Shared<T>, index: I) -> Result<T, Abort> {
        self.read_at(region, index, NO_SITE)
    }

    /// Replaces the element at an index, if and when the transaction commits.
    ///
    /// # Errors
    /// Another transaction is in the way, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn write<T: Element, I: Index>(&mut self, region: &Shared<T>, index: I, value: T) -> Result<(), Abort> {
        self.write_at(region, index, value, NO_SITE)
    }

    /// Goes on only where the condition holds. Otherwise the transaction is postponed, without effect, and tried again
    /// when others have changed something.
    ///
    /// # Errors
    /// The condition is false. Pass the error on with `?`.
    #[inline]
    pub fn guard(&mut self, condition: bool) -> Result<(), Abort> {
        self.guard_at(condition, NO_SITE)
    }

    /// Gives up for good, without effect. The report counts the code.
    ///
    /// # Errors
    /// Always. Pass the error on with `?`, or return it.
    #[inline]
    pub fn reject<R>(&mut self, code: u32) -> Result<R, Abort> {
        self.reject_at(code, NO_SITE)
    }

    #[doc(hidden)]
    #[inline]
    pub fn read_at<T: Element, I: Index>(&mut self, region: &Shared<T>, index: I, site: u32) -> Result<T, Abort> {
        let index = self.check_access(region, index, site)?;
        let word = match &mut self.memory {
            Memory::Threaded(attempt) => attempt.read(region.place(), index, site),
            Memory::Alone(state) => state.read(region.place(), index, site),
            Memory::Scout(scout) => Ok(scout.touch(region.place(), index)),
        };
        word.map(T::from_word)
    }

    #[doc(hidden)]
    #[inline]
    pub fn write_at<T: Element, I: Index>(
        &mut self,
        region: &Shared<T>,
        index: I,
        value: T,
        site: u32,
    ) -> Result<(), Abort> {
        let index = self.check_access(region, index, site)?;
        match &mut self.memory {
            Memory::Threaded(attempt) => attempt.write(region.place(), index, value.to_word(), site),
            Memory::Alone(state) => state.write(region.place(), index, value.to_word(), site),
            Memory::Scout(scout) => {
                scout.touch(region.place(), index);
                Ok(())
            }
        }
    }

    #[doc(hidden)]
    #[inline]
    pub fn guard_at(&mut self, condition: bool, _site: u32) -> Result<(), Abort> {
        if condition || matches!(self.memory, Memory::Scout(_)) { Ok(()) } else { Err(Abort(AbortKind::Postponed)) }
    }

    #[doc(hidden)]
    #[inline]
    pub fn reject_at<R>(&mut self, code: u32, _site: u32) -> Result<R, Abort> {
        Err(Abort(AbortKind::Rejected { code }))
    }

    #[doc(hidden)]
    #[inline]
    pub fn iteration_at(&mut self, site: u32) -> Result<(), Abort> {
        self.limits.iteration(site)
    }

    /// The index, with `u64::MAX` for a negative one: no region is that long. Counts the access where that is asked for.
    #[inline]
    fn check_access<T: Element, I: Index>(&mut self, region: &Shared<T>, index: I, site: u32) -> Result<u64, Abort> {
        let index = index.to_index().unwrap_or(u64::MAX);
        if self.limits.counts() && index < region.len() as u64 {
            self.limits.access(region.place(), index, site)?;
        }
        Ok(index)
    }
}
