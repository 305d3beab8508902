//! The reasons why an attempt ends early.

use std::fmt;

use kernels_gen::fault::FaultCode;

use crate::memory::NoMemory;

/// The return value of a transaction's function: a result, or the reason why this attempt ended.
pub type TxResult<R = ()> = Result<R, Abort>;

/// Why an attempt ended early. Pass it on to the runtime with `?`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Abort(pub(super) AbortKind);

/// The reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AbortKind {
    /// Conflict with another transaction. The attempt is repeated.
    Conflict,
    /// A guard is false. The transaction is tried again later.
    Postponed,
    /// `tx.reject`: final.
    Rejected { code: u32 },
    /// What Rust would panic on: final.
    Fault { code: FaultCode, location: u32 },
    /// The run ends: the transaction stays unfinished.
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

/// Returns the error of an attempt that found no memory.
pub(crate) fn short_of_sets(kib: u32) -> NoMemory {
    NoMemory { what: "what one transaction reads and writes", bytes: 1024 * u64::from(kib) }
}
