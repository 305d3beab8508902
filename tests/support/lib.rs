//! The suite that every engine has to pass on every back end, as data: each of the `scenarios` runs in an `Environment` and
//! ends in a `TestResult`. The tests that use this library run it over engines and back ends, on broken engines, and under
//! ThreadSanitizer.

#[cfg(doctest)]
pub mod documents;
pub mod draw;
pub mod edges;
pub mod environment;
pub mod failure;
pub mod harness;
pub mod mutation;
pub mod offer;
pub mod procedures;
pub mod restart;
pub mod scenarios;
pub mod skip;
pub mod variants;

pub use environment::{
    Backend, Dice, Environment, engines_by_turns, engines_for_cpu, engines_for_whole_arrays, engines_in_push_order,
    in_push_order, takes_turns,
};
pub use failure::{Failure, TestResult};
pub use scenarios::{SCENARIOS, Scenario};
