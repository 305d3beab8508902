//! What a benchmark states.

use stm_runtime::{Batch, Device, Error, Report};

/// The generator of random numbers that transactions are made with: small, fast, and the same on every machine.
pub type Rng = rand::rngs::Xoshiro256PlusPlus;

/// A benchmark: its transactions, its initial state, its generator of transactions and its invariant.
///
/// The value holds the parameters, which are arguments on the command line (`clap::Args`); what papers sweep is a parameter
/// with the paper's value as its default. Names of parameters are the long options: `coverage` is `--coverage`.
pub trait Benchmark: Clone + Send + Sync + clap::Args + 'static {
    /// Its name on the command line.
    const NAME: &'static str;
    /// What it is, in one line.
    const SUMMARY: &'static str;
    /// Where it is from: paper and section.
    const SOURCE: &'static str;
    /// Its arrays on a device.
    type State;
    /// The arguments of one transaction.
    type Transaction: Copy + Send;

    /// Makes the initial state. It is made anew for every run, always with the same seed.
    ///
    /// # Errors
    /// The device has not enough memory, or failed, or cannot do what the parameters ask for.
    fn setup(&self, device: &Device, seed: u64) -> Result<Self::State, Error>;

    /// The transaction of that number. It depends on nothing but `self`, the number and `rng`: transactions are made by many threads,
    /// in chunks that each have a seed of their own, so that the batch is the same however many threads there are.
    fn transaction(&self, rng: &mut Rng, number: u64) -> Self::Transaction;

    /// Puts one transaction into the batch.
    fn push(&self, state: &Self::State, transaction: Self::Transaction, batch: &mut Batch);

    /// The invariant: looked at after every run. `transactions` are those of the batch, in its order.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn check(&self, state: &Self::State, report: &Report, transactions: &[Self::Transaction]) -> Result<(), String>;

    /// Brings the transactions into an order, such as one sorted by account. Components them as they are unless told otherwise.
    fn arrange(&self, transactions: &mut Vec<Self::Transaction>) {
        let _ = transactions;
    }
}
