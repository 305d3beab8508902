//! What a batch has in the memory of a device: arrays in an engine's layout, and the transactions of a chunk. It launches nothing.

pub(crate) mod ahead;
pub(crate) mod array;
pub(crate) mod array_copies;
pub(crate) mod arrays;
mod block;
pub(crate) mod bytes;
pub(crate) mod capacity;
pub(crate) mod chunks;
mod copies;
pub(crate) mod device_columns;
pub(crate) mod far;
pub(crate) mod histories;
mod home;
pub(crate) mod kept;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod locks;
pub(crate) mod missed;
pub(crate) mod partitions;
pub(crate) mod profile;
pub(crate) mod routes;
pub(crate) mod rows;
pub(crate) mod stayed;
pub(crate) mod sums;
pub(crate) mod threads;
pub(crate) mod transactions;
pub(crate) mod unordered;
