//! The outcome of one transaction.

use super::parts::{Fault, UnresolvedReason};

/// How a transaction ended, without its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The effects are in the arrays.
    Committed,
    /// The transaction gave up with this code.
    Rejected(u32),
    /// The transaction did what Rust would panic on.
    Faulted,
    /// The transaction has no final outcome.
    Unresolved,
}

impl Status {
    /// Returns whether its effects are in the arrays.
    #[must_use]
    pub fn is_committed(self) -> bool {
        self == Status::Committed
    }
}

/// The outcome of one transaction; `R` is its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<R = ()> {
    /// The effects are in the arrays.
    Committed(R),
    /// The transaction gave up with this code.
    Rejected(u32),
    /// The transaction did what Rust would panic on.
    Faulted(Fault),
    /// The transaction has no final outcome.
    Unresolved(UnresolvedReason),
}

impl<R> Outcome<R> {
    /// Returns the same outcome with another result.
    #[must_use]
    pub fn map<S>(self, result: impl FnOnce(R) -> S) -> Outcome<S> {
        match self {
            Outcome::Committed(value) => Outcome::Committed(result(value)),
            Outcome::Rejected(code) => Outcome::Rejected(code),
            Outcome::Faulted(fault) => Outcome::Faulted(fault),
            Outcome::Unresolved(reason) => Outcome::Unresolved(reason),
        }
    }

    /// Returns the result of a transaction that committed.
    #[must_use]
    pub fn committed(self) -> Option<R> {
        match self {
            Outcome::Committed(result) => Some(result),
            _ => None,
        }
    }

    /// Returns the result of a transaction that committed.
    ///
    /// # Panics
    /// The transaction did not commit; the message has its outcome.
    #[track_caller]
    pub fn expect_committed(self) -> R {
        match self {
            Outcome::Committed(result) => result,
            Outcome::Rejected(code) => panic!("the transaction was rejected with code {code}"),
            Outcome::Faulted(fault) => panic!("the transaction faulted: {fault}"),
            Outcome::Unresolved(reason) => panic!("the transaction is unresolved: {reason}"),
        }
    }

    /// Returns whether its effects are in the arrays.
    #[must_use]
    pub fn is_committed(&self) -> bool {
        matches!(self, Outcome::Committed(_))
    }

    /// Returns whether it gave up with a code.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        matches!(self, Outcome::Rejected(_))
    }

    /// Returns whether it did what Rust would panic on.
    #[must_use]
    pub fn is_faulted(&self) -> bool {
        matches!(self, Outcome::Faulted(_))
    }

    /// Returns whether it has no final outcome.
    #[must_use]
    pub fn is_unresolved(&self) -> bool {
        matches!(self, Outcome::Unresolved(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_taken_apart() {
        let done = Outcome::Committed(3).map(|result| 2 * result);
        assert!(done.is_committed() && done.clone().expect_committed() == 6 && done.committed() == Some(6));
        let rejected: Outcome<u8> = Outcome::Rejected(7);
        assert!(rejected.is_rejected() && !rejected.is_committed() && !rejected.is_faulted());
        let left = rejected.map(|_| "text");
        assert_eq!((left.clone(), left.committed()), (Outcome::Rejected(7), None));
        assert!(Outcome::<()>::Unresolved(UnresolvedReason::Stopped).is_unresolved());
    }

    #[test]
    #[should_panic(expected = "unresolved: its guard never held")]
    fn a_transaction_that_did_not_commit_has_no_result() {
        Outcome::<u8>::Unresolved(UnresolvedReason::GuardNeverHeld).expect_committed();
    }
}
