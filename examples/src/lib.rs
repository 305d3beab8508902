//! The parts that the example programs share: a seeded stream of bank transfers, random numbers by their index, number formats, Ctrl-C,
//! and exit statuses.

mod interrupt;
mod order;
mod output;
mod random;
mod text;
mod workload;

pub use interrupt::stop_on_interrupt;
pub use order::OrderName;
pub use output::{device, ending, help_or_refuse, json, remark};
pub use random::draw;
pub use text::{grouped, millions};
pub use workload::{MAX_AMOUNT, Teller, Transfer, Transfers};

/// Compiles and runs the program in the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
