//! The papers' benchmarks. Each states its source and its invariant at its head, and looks at the invariant after every run.

mod bank;
mod bank_kinds;
mod bank_scan;
mod bounded_buffer;
mod ending;
mod fill;
mod genetic;
mod hashtable;
mod kmeans;
mod last;
mod memcached;
mod memcached_kinds;
mod order;
mod part;
mod size;
mod skiplist;
mod skiplist_kinds;
mod vacation;
mod ycsb;
mod ycsb_kinds;

pub use bank::Bank;
pub use bank_scan::BankScan;
pub use bounded_buffer::BoundedBuffer;
pub use genetic::Genetic;
pub use hashtable::Hashtable;
pub use kmeans::Kmeans;
pub use memcached::Memcached;
pub use order::Order;
pub use size::Size;
pub use skiplist::Skiplist;
pub use vacation::Vacation;
pub use ycsb::{Workload, Ycsb};

#[cfg(test)]
mod tests;
