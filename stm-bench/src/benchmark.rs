//! The trait that a benchmark implements.

use stm_runtime::{Batch, Device, Error, Report};

/// The generator of random numbers for transactions: small, fast, and the same on every machine.
pub type Rng = rand::rngs::Xoshiro256PlusPlus;

/// A benchmark: its transactions, its initial state, its generator of transactions and its invariant.
///
/// The value holds the parameters, which are arguments on the command line (`clap::Args`). A number that a paper varies is a
/// parameter with the paper's value as its default. Names of parameters are the long options: `coverage` is `--coverage`.
pub trait Benchmark: Clone + Send + Sync + clap::Args + 'static {
    /// Its name on the command line.
    const NAME: &'static str;
    /// Its description, in one line.
    const SUMMARY: &'static str;
    /// Its source: paper and section.
    const SOURCE: &'static str;
    /// Its arrays on a device.
    type State;
    /// The arguments of one transaction.
    type Transaction: Copy + Send;

    /// Makes the initial state. Every run gets a new one, always with the same seed.
    ///
    /// # Errors
    /// The device has not enough memory, or failed, or cannot do what the parameters ask for.
    fn setup(&self, device: &Device, seed: u64) -> Result<Self::State, Error>;

    /// Returns the transaction of that number. It depends only on `self`, the number and `rng`: many threads make transactions, in
    /// chunks with a seed each, so the batch is the same for every number of threads.
    fn transaction(&self, rng: &mut Rng, number: u64) -> Self::Transaction;

    /// Adds one transaction to the batch.
    fn push(&self, state: &Self::State, transaction: Self::Transaction, batch: &mut Batch);

    /// Checks the invariant after every run. `transactions` are those of the batch, in its order.
    ///
    /// # Errors
    /// The violation, in words.
    fn check(&self, state: &Self::State, report: &Report, transactions: &[Self::Transaction]) -> Result<(), String>;

    /// Sorts the transactions, for example by account. Leaves them as they are by default.
    fn arrange(&self, transactions: &mut Vec<Self::Transaction>) {
        let _ = transactions;
    }
}
