//! The reasons why an attempt ends early.

use std::fmt;
use std::num::NonZeroU64;

use kernels_gen::fault::FaultCode;

use crate::memory::NoMemory;

/// The return value of a transaction's function: a result, or the reason why this attempt ended.
pub type TxResult<R = ()> = Result<R, Abort>;

/// Why an attempt ended early. Pass it on to the runtime with `?`.
// One word that is not 0, so that results of every access are returned in registers: the number of the kind in the upper half with
// the code of a fault, and the kind's 32-bit value in the lower half.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Abort(NonZeroU64);

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
    /// More was to be done than the fast path can do. The transaction takes the slow path.
    NeedsSlowPath,
}

const CONFLICT: u64 = 1;
const POSTPONED: u64 = 2;
const REJECTED: u64 = 3;
const FAULT: u64 = 4;
const HALTED: u64 = 5;
const NO_MEMORY: u64 = 6;
const NEEDS_SLOW_PATH: u64 = 7;

impl Abort {
    pub(crate) const CONFLICT: Abort = Abort::of(CONFLICT, 0, 0);
    pub(crate) const POSTPONED: Abort = Abort::of(POSTPONED, 0, 0);
    pub(crate) const HALTED: Abort = Abort::of(HALTED, 0, 0);
    pub(crate) const NEEDS_SLOW_PATH: Abort = Abort::of(NEEDS_SLOW_PATH, 0, 0);

    const fn of(kind: u64, code: u8, value: u32) -> Abort {
        match NonZeroU64::new(kind << 40 | (code as u64) << 32 | value as u64) {
            Some(word) => Abort(word),
            None => panic!("kinds begin at 1"),
        }
    }

    #[cold]
    pub(crate) fn fault(code: FaultCode, location: u32) -> Abort {
        Abort::of(FAULT, code as u8, location)
    }

    pub(crate) fn rejected(code: u32) -> Abort {
        Abort::of(REJECTED, 0, code)
    }

    pub(crate) fn kind(self) -> AbortKind {
        let (word, value) = (self.0.get(), self.0.get() as u32);
        match word >> 40 {
            POSTPONED => AbortKind::Postponed,
            REJECTED => AbortKind::Rejected { code: value },
            FAULT => {
                let code = FaultCode::from_code((word >> 32) as u8);
                AbortKind::Fault { code: code.expect("an abort should have a fault's code"), location: value }
            }
            HALTED => AbortKind::Halted,
            NO_MEMORY => AbortKind::NoMemory { kib: value },
            NEEDS_SLOW_PATH => AbortKind::NeedsSlowPath,
            _ => AbortKind::Conflict,
        }
    }
}

impl fmt::Debug for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            AbortKind::Conflict => f.write_str("Abort(conflict)"),
            AbortKind::Postponed => f.write_str("Abort(postponed)"),
            AbortKind::Rejected { code } => write!(f, "Abort(rejected with {code})"),
            AbortKind::Fault { code, .. } => write!(f, "Abort({code})"),
            AbortKind::Halted => f.write_str("Abort(the run ends)"),
            AbortKind::NoMemory { kib } => write!(f, "Abort(no memory for {kib} KiB)"),
            AbortKind::NeedsSlowPath => f.write_str("Abort(needs the slow path)"),
        }
    }
}

impl From<NoMemory> for Abort {
    #[cold]
    fn from(short: NoMemory) -> Abort {
        // An attempt's sets are far smaller than 4 TiB.
        Abort::of(NO_MEMORY, 0, u32::try_from(short.bytes.div_ceil(1024)).unwrap_or(u32::MAX))
    }
}

/// Returns the error of an attempt that found no memory.
pub(crate) fn short_of_sets(kib: u32) -> NoMemory {
    NoMemory { what: "what one transaction reads and writes", bytes: 1024 * u64::from(kib) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abort_keeps_its_kind() {
        assert_eq!(size_of::<TxResult>(), 8);
        for code in FaultCode::ALL {
            let kind = AbortKind::Fault { code: *code, location: u32::MAX };
            assert_eq!(Abort::fault(*code, u32::MAX).kind(), kind);
        }
        assert_eq!(Abort::rejected(u32::MAX).kind(), AbortKind::Rejected { code: u32::MAX });
        let others = [
            Abort::CONFLICT,
            Abort::POSTPONED,
            Abort::HALTED,
            Abort::NEEDS_SLOW_PATH,
            NoMemory { what: "", bytes: 4096 }.into(),
        ];
        let kinds = [
            AbortKind::Conflict,
            AbortKind::Postponed,
            AbortKind::Halted,
            AbortKind::NeedsSlowPath,
            AbortKind::NoMemory { kib: 4 },
        ];
        assert_eq!(others.map(Abort::kind), kinds);
    }
}
