//! The names that a program with transactions needs: `use stm_runtime::prelude::*;`.

pub use crate::gpu_println;
pub use crate::{
    Batch, Call, Device, Engine, Error, GpuData, Outcome, Partition, Partitioned, Report, RunOptions, Selection,
    Shared, Ticket, Tickets, Tuning, Tx, TxResult, UnresolvedReason,
};
#[doc(no_inline)]
pub use stm_macros::{gpu_fn, gpu_transaction};
