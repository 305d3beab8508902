//! The papers' benchmarks. Each states its source and its invariant at its head, and checks the invariant after every run.

mod bank;
mod bank_procedures;
mod bank_scan;
mod bounded_buffer;
mod chain;
mod ending;
mod fill;
mod genetic;
mod hashtable;
mod kmeans;
mod last;
mod list;
mod list_procedures;
mod memcached;
mod memcached_procedures;
mod order;
mod part;
mod size;
mod skiplist;
mod skiplist_procedures;
mod smallbank;
mod smallbank_procedures;
mod tpcc;
mod transfers;
mod vacation;
mod ycsb;
mod ycsb_procedures;

use stm_bench::Entry;

pub use bank::Bank;
pub use bank_scan::BankScan;
pub use bounded_buffer::BoundedBuffer;
pub use chain::{Chain, Direction};
pub use genetic::Genetic;
pub use hashtable::Hashtable;
pub use kmeans::Kmeans;
pub use list::List;
pub use memcached::Memcached;
pub use order::Order;
pub use size::Size;
pub use skiplist::Skiplist;
pub use smallbank::Smallbank;
pub use tpcc::Tpcc;
pub use transfers::Transfers;
pub use vacation::Vacation;
pub use ycsb::{Workload, Ycsb};

/// All benchmarks, for the command line and the figures.
pub const ALL: &[Entry] = &[
    Entry::of::<Transfers>(),
    Entry::of::<Bank>(),
    Entry::of::<BankScan>(),
    Entry::of::<Vacation>(),
    Entry::of::<Skiplist>(),
    Entry::of::<Memcached>(),
    Entry::of::<BoundedBuffer>(),
    Entry::of::<Ycsb>(),
    Entry::of::<Tpcc>(),
    Entry::of::<Smallbank>(),
    Entry::of::<List>(),
    Entry::of::<Chain>(),
    Entry::of::<Hashtable>(),
    Entry::of::<Kmeans>(),
    Entry::of::<Genetic>(),
];

#[cfg(test)]
mod tests;
