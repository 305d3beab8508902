//! Runs batches of transactions on a GPU, or on CPU threads if the machine has no GPU.
//!
//! A transaction is an annotated Rust function that reads and writes shared arrays. A program fills a [`Batch`] with calls
//! and runs it; the outcome is always that of some one-at-a-time order. Where [`Device::auto`] finds a GPU the functions
//! run as generated CUDA C, otherwise the Rust functions themselves run on CPU threads, with the same [`Report`].
//!
//! ```
//! use stm_runtime::prelude::*;
//!
//! /// Moves `amount` once the funds are there.
//! #[gpu_transaction]
//! fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
//!     let balance = tx.read(accounts, from)?;
//!     tx.guard(balance >= amount)?;
//!     tx.write(accounts, from, balance - amount)?;
//!     let target = tx.read(accounts, to)?;
//!     tx.write(accounts, to, target + amount)
//! }
//!
//! fn main() -> Result<(), Error> {
//!     let device = Device::auto()?;
//!     let accounts = device.shared(&[100_i64, 0, 0])?;
//!     let mut batch = device.batch();
//!     batch.push(transfer::call(&accounts, 1, 2, 70)); // waits for the next one
//!     batch.push(transfer::call(&accounts, 0, 1, 80));
//!     let report = batch.run()?;
//!     println!("{report}");
//!     assert_eq!(accounts.to_vec()?, [20, 10, 70]);
//!     Ok(())
//! }
//! ```
//!
//! - [`Device`]: where batches run.
//! - [`Shared`]: an array that transactions share.
//! - [`Partitioned`]: an array in partitions; a transaction works on one of them.
//! - [`GpuData`]: the types of elements, arguments and results.
//! - [`Batch`]: the transactions, and [`Batch::run`].
//! - [`RunOptions`]: the options of a run.
//! - [`Pipeline`]: transactions from many threads, in batches; [`Batch::start`]: a run in the background.
//! - [`Report`]: the outcomes and measurements.
//! - [`Tx`]: the handle through which a transaction's function reads and writes.

#[macro_use]
mod mutation;
#[macro_use]
mod trace;

mod backend;
mod bounds;
mod cells;
mod columns;
mod computed;
mod cpu;
mod data;
mod device_cells;
mod digits;
mod element;
mod engine;
mod error;
mod extent;
mod gpu;
mod inside;
mod keymap;
mod macros;
mod memory;
mod new_rows;
mod outcome;
pub mod prelude;
mod print;
mod procedure;
mod progress;
pub mod proof;
mod reference;
mod stack;
mod stop;
mod sync;
mod threads;
mod timed;
pub mod tuning;
mod tx;
mod user;

// Generated code names the crate: that of the built-in methods, and that of the procedures of unit tests.
extern crate self as stm_runtime;

#[cfg(all(any(test, feature = "mutation"), not(loom)))]
#[path = "../tests/support/procedures.rs"]
mod test_procedures;

pub use backend::{Device, Order};
#[cfg(feature = "cudarc")]
pub use cudarc;
pub use data::{
    DeviceColumn, DeviceMemory, ForeignMemory, GpuData, IntoColumn, NotAdopted, OptionColumns, Partition,
    PartitionColumn, Partitioned, ResultColumns, Shared,
};
pub use element::Index;
pub use engine::{Engine, Parameter};
pub use error::{Error, FileProblem, ForeignProblem, GpuError};
pub use gpu::KernelCache;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use gpu::cuda::PartsPolicy;
#[cfg(feature = "cuda")]
pub use gpu::cuda::nvrtc;
pub use gpu::raw;
#[cfg(feature = "emulator")]
pub use gpu::{EmulatorOptions, Sanitizer, Schedule};
pub use kernels_gen::compile::ProcedureError;
pub use kernels_gen::fault::FaultCode;
pub use outcome::{Outcome, UnresolvedReason};
pub use procedure::{KernelFacts, Procedure};
pub use progress::Progress;
pub use stm_macros::{GpuData, gpu_fn};
pub use tuning::{Selection, Tuning};
pub use tx::{Abort, Tx, TxResult};
pub use user::doctor::doctor;
pub use user::{Batch, Call, Columns, Finished, Kernel, Pushable, Report, RunOptions, Running, Ticket, Tickets};
pub use user::{NotSubmitted, Pipeline, PipelineOptions, Submission, Submissions, Totals, doctor, options, report};

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
