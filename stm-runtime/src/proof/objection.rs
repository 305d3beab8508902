//! The reasons why a proof ends early.

use super::verdict::Violation;
use crate::error::Error;
use crate::memory::NoMemory;

/// The reason why a proof ends early.
#[derive(Debug)]
pub(super) enum Objection {
    /// The run violates serializability.
    Violated(Box<Violation>),
    /// The run cannot be checked.
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
