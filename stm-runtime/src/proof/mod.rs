//! The proof that a run's outcome is that of some one-at-a-time order.
//!
//! It trusts no engine. The recorded versions must fit together, and their order must have no cycle. Running
//! the transactions in that order, one at a time, must give the same outcomes, results and final words.

mod check;
mod graph;
mod judge;
mod objection;
pub(crate) mod pushed;
mod replay;
mod same;
#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests;
mod verdict;

pub(crate) use judge::{judge, judge_pushed};
pub use verdict::{Dependency, Place, Proof, Step, Violation};
