//! What a benchmark states.

use stm_runtime::{Device, Error, Report, Table};

/// The generator of random numbers that rows are made with: small, fast, and the same on every machine.
pub type Rng = rand::rngs::Xoshiro256PlusPlus;

/// A benchmark: its transactions, its initial state, its generator of rows and its invariant.
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
    /// Its regions on a device.
    type State;
    /// The arguments of one transaction.
    type Row: Copy + Send;

    /// Makes the initial state. It is made anew for every run, always with the same seed.
    ///
    /// # Errors
    /// The device has not enough memory, or failed, or cannot do what the parameters ask for.
    fn setup(&self, device: &Device, seed: u64) -> Result<Self::State, Error>;

    /// The transaction of that number. It depends on nothing but `self`, the number and `rng`: rows are made by many threads,
    /// in chunks that each have a seed of their own, so that the table is the same however many threads there are.
    fn row(&self, rng: &mut Rng, number: u64) -> Self::Row;

    /// Puts one transaction into the table.
    fn push(&self, state: &Self::State, row: Self::Row, table: &mut Table);

    /// The invariant: looked at after every run. `rows` are those of the table, in its order.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn check(&self, state: &Self::State, report: &Report, rows: &[Self::Row]) -> Result<(), String>;

    /// Brings the rows into an order, such as one sorted by account. Leaves them as they are unless told otherwise.
    fn arrange(&self, rows: &mut Vec<Self::Row>) {
        let _ = rows;
    }
}
