//! The transactions of the suite, written as users write them.
//!
//! Each engine sees every way in which it may run one: all addresses known from the arguments (`increment`), an address
//! that was read (`increment_found`), accesses in loops (`increment_run`), nothing written (`total`). Wide elements (8
//! bytes) and narrow ones lie differently on a device, so the important ones are there for both.

pub mod bank;
pub mod counters;
pub mod endings;
pub mod guards;
pub mod pairs;
pub mod sets;
pub mod types;
