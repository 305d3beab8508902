//! Transactions while they run on this host: locks, sets and attempts of the threaded engine, and plain words for one at a time.
//!
//! The executors (`cpu`, `reference`) use this module. They give a [`Tx`] its memory and call a procedure's function with it. The
//! function is compiled for each kind of memory, so that an access is a few instructions.

mod abort;
mod access;
mod alarm;
pub(crate) mod attempt;
mod claim;
mod direct;
mod handle;
mod handles;
mod kind;
mod limits;
pub(crate) mod lock;
mod prefetch;
mod sequential;
pub(crate) mod sets;
mod table;
pub(crate) mod turns;

pub use abort::{Abort, TxResult};
pub(crate) use abort::{AbortKind, short_of_sets};
pub(crate) use access::Memory;
pub(crate) use alarm::{Alarm, Halted};
pub use claim::{Claim, Ended};
pub(crate) use claim::{CommitLog, Counts};
pub(crate) use direct::{Direct, TracedAccess};
pub use handle::Tx;
pub(crate) use handle::WordAccess;
pub(crate) use handles::{FastPath, Handles};
pub use kind::{InPlace, Kind, OnThreads, SlowPath};
pub(crate) use prefetch::{Prefetcher, Touched};
pub(crate) use sequential::Sequential;
pub(crate) use table::{CpuArray, LockNames, View};
