//! Everything that a program with transactions names: `use stm_runtime::prelude::*;`.

pub use crate::gpu_println;
pub use crate::{
    Batch, Device, Engine, Error, GpuData, Outcome, Partition, Partitioned, Report, Shared, Tuning, Tx, TxResult,
};
#[doc(no_inline)]
pub use stm_macros::{gpu_fn, gpu_transaction};
