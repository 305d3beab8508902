//! Runs batches of transactions on a GPU, or on CPU threads if the machine has no GPU.
//!
//! A transaction is an annotated Rust function that reads and writes shared arrays. A program fills a [`Batch`] with calls
//! and runs it; the outcome is always that of some one-at-a-time order. Where [`Device::auto`] finds a GPU the functions
//! run as generated CUDA C, otherwise the Rust functions themselves run on CPU threads, with the same [`Report`].
//!
//! ```
//! use gpu_transactions::prelude::*;
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
//! - [`Report`]: the outcomes and measurements.
//! - [`Tx`]: the handle through which a transaction's function reads and writes.
//!
//! # Set-up
//!
//! `cargo add gpu-transactions` is all that a machine without a GPU needs. With an NVIDIA GPU, the program looks for the driver and for
//! NVRTC (the CUDA run-time compiler, `pip install nvidia-cuda-nvrtc`) when it runs. [`doctor()`] and the command
//! `cargo gpu-transactions doctor` (`cargo install gpu-transactions`) say what is there, what is missing, and what to do.
//!
//! # Features
//!
//! - `cuda` (default): GPUs.
//! - `cudarc`: contexts, streams and slices of the crate cudarc 0.19, which is `gpu_transactions::cudarc` then.
//! - `rayon`: `par_extend` of a batch.
//! - `emulator`: the generated CUDA C on threads of the host, for tests and debugging. Needs a C++ compiler at run time.
//! - `tracing`: spans and events of the steps of a run, for the crate `tracing`.
//!
//! # Another name
//!
//! Generated code names this crate `::gpu_transactions`. If it has another name in `Cargo.toml`, one line in the root of the program
//! gives it this one, too:
//!
//! ```ignore
//! extern crate renamed as gpu_transactions;
//! ```
//!
//! In macros of your own that print procedures, `#[gpu_transaction(crate = $crate::path)]`, `#[gpu_fn(crate = $crate::path)]` and
//! `#[gpu_data(crate = $crate::path)]` name the path by which your crate exports this one.

#[doc(inline)]
pub use stm_runtime::*;
// These print `::gpu_transactions`, where those of the runtime print `::stm_runtime`.
#[doc(inline)]
pub use stm_macros::{GpuTransactionsData as GpuData, gpu_transactions_fn as gpu_fn};

/// The names that a program with transactions needs: `use gpu_transactions::prelude::*;`.
pub mod prelude {
    #[doc(no_inline)]
    pub use stm_macros::{
        GpuTransactionsData as GpuData, gpu_transactions_fn as gpu_fn, gpu_transactions_transaction as gpu_transaction,
    };
    #[doc(no_inline)]
    pub use stm_runtime::prelude::*;
}
