//! Transactions shared by the tests: snapshots print them, and rustc checks that it infers the same types.

pub mod branches;
pub mod floats;
pub mod footprint;
pub mod guards;
pub mod integers;
pub mod literals;
pub mod loops;
pub mod names;
pub mod order;
pub mod orderable;
pub mod results;
pub mod short_circuit;
pub mod slots;
pub mod transfer;
