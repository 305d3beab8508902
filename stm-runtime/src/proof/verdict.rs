//! The verdict of a proof, for people and programs.

use std::fmt;

use crate::outcome::write_call;

/// The verdict on the recorded history of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proof {
    transactions: u64,
    order: Vec<u32>,
    violation: Option<Violation>,
}

impl Proof {
    pub(crate) fn new(transactions: u64, order: Vec<u32>, violation: Option<Violation>) -> Proof {
        Proof { transactions, order, violation }
    }

    /// Returns whether the outcome is that of some one-at-a-time order.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.violation.is_none()
    }

    /// Returns the violation, if there is one.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Returns the indices of all finished transactions in the one-at-a-time order that was found and replayed. It is one of the
    /// possible orders. Empty if there is a violation. Unresolved transactions are not in it: they had no effect.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the number of transactions of the history.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        self.transactions
    }
}

/// The first violation: something that no one-at-a-time order explains.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// The history lacks a finished transaction, or has one twice, or one that is not finished.
    Incomplete {
        /// The index of the transaction.
        transaction: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Two transactions installed the same version: one of them overwrote the other without reading it.
    WrittenTwice {
        /// The lock word.
        place: Place,
        /// The version.
        version: u64,
        /// The indices of the two transactions.
        transactions: [usize; 2],
    },
    /// A version is missing between two installed ones: a commit was not recorded.
    Gap {
        /// The lock word.
        place: Place,
        /// The missing version.
        version: u64,
        /// The transaction that installed the next one.
        next: usize,
    },
    /// A transaction read a version that no committed transaction installed.
    NeverWritten {
        /// The lock word.
        place: Place,
        /// The version.
        version: u64,
        /// The index of the reader.
        transaction: usize,
    },
    /// Each of these transactions must come before the next, and the last before the first.
    Cycle {
        /// The transactions in order, each with the reason why it precedes the next.
        steps: Vec<Step>,
    },
    /// Run alone at its position in the order, a transaction ended in another way.
    OtherOutcome {
        /// The index of the transaction.
        transaction: usize,
        /// The outcome in the run.
        recorded: String,
        /// The outcome in the replay.
        replayed: String,
    },
    /// The replay left another value in an array.
    OtherValue {
        /// Index of the array among those of the batch, in the order in which calls named them.
        array: usize,
        /// Index of the element.
        index: usize,
        /// The bits that the run left.
        recorded: u64,
        /// The bits that the replay left.
        replayed: u64,
    },
    /// A transaction was given up because its guard never held, but it holds at the end.
    GuardHolds {
        /// The index of the transaction.
        transaction: usize,
    },
}

/// A lock word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index of the array among those of the batch, in the order in which calls named them. For a record that is locked as a whole,
    /// that of one of its arrays.
    pub array: usize,
    /// The first element under the lock word.
    pub index: u64,
}

/// A transaction in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its index in the batch.
    pub transaction: usize,
    /// Its function.
    pub procedure: &'static str,
    /// The values that it was called with: name and value.
    pub arguments: Vec<(&'static str, String)>,
    /// Why it must come before the next one.
    pub dependency: Dependency,
    /// The lock word that both used.
    pub place: Place,
    /// The version that this transaction read or installed there.
    pub version: u64,
}

/// Why one transaction must come before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dependency {
    /// The other overwrote what it wrote.
    WriteWrite,
    /// The other read what it wrote.
    WriteRead,
    /// The other overwrote what it read.
    ReadWrite,
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dependency::WriteWrite => "its write is overwritten by",
            Dependency::WriteRead => "its write is read by",
            Dependency::ReadWrite => "what it read is overwritten by",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {} of array {}", self.index, self.array)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, self.transaction, self.procedure, &self.arguments)?;
        write!(f, ", version {} of {}: {}", self.version, self.place, self.dependency)
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.violation {
            None => write!(f, "yes, proved on {} transactions", self.transactions),
            Some(violation) => write!(f, "NO: {violation}"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Incomplete { transaction, what } => write!(f, "transaction {transaction} {what}"),
            Violation::WrittenTwice { place, version, transactions: [a, b] } => {
                write!(f, "transactions {a} and {b} both wrote version {version} of {place}")
            }
            Violation::Gap { place, version, next } => {
                write!(f, "no transaction wrote version {version} of {place}, and transaction {next} wrote a later one")
            }
            Violation::NeverWritten { place, version, transaction } => {
                write!(f, "transaction {transaction} read version {version} of {place}, which no transaction wrote")
            }
            Violation::Cycle { steps } => {
                write!(f, "these transactions each precede the next, and the last precedes the first")?;
                steps.iter().try_for_each(|step| write!(f, "\n    {step}"))
            }
            Violation::OtherOutcome { transaction, recorded, replayed } => {
                write!(f, "transaction {transaction} ended with {recorded}, and run alone in its place with {replayed}")
            }
            Violation::OtherValue { array, index, recorded, replayed } => write!(
                f,
                "element {index} of array {array} has the bits {recorded:#x}, and after the replay {replayed:#x}"
            ),
            Violation::GuardHolds { transaction } => {
                write!(f, "transaction {transaction} was given up for its guard, which holds at the end")
            }
        }
    }
}
