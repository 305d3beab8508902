//! Why a proof ends early.

use super::verdict::Violation;
use crate::error::Error;
use crate::memory::NoMemory;

/// Why a proof ends early.
#[derive(Debug)]
pub(super) enum Objection {
    /// The run is not as it should be.
    Violated(Box<Violation>),
    /// It cannot be judged.
    Failed(Error),
}

impl From<Violation> for Objection {
    fn from(violation: Violation) -> Objection {
        Objection::Violated(Box::new(violation))
    }
}

impl From<NoMemory> for Objection {
    fn from(short: NoMemory) -> Objection {
        Objection::Failed(short.into())
    }
}
