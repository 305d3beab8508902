//! A benchmark of one's own, complete: `cargo run --release --example own_benchmark -- run counters`.
use gpu_transactions::prelude::*;
use stm_bench::prelude::*;
#[gpu_transaction]
fn increment(tx: &mut Tx, counters: &Shared<u64>, which: u32) -> TxResult {
    tx.update(counters, which, |count| count + 1)
}

/// Many transactions count on a few counters.
#[derive(Clone, Args)]
pub(crate) struct Counters {
    /// How many counters
    #[arg(long, default_value_t = 1000)]
    counters: u32,
}
impl Benchmark for Counters {
    const NAME: &'static str = "counters";
    const SUMMARY: &'static str = "many transactions count on a few counters";
    const SOURCE: &'static str = "the documents of stm-bench";
    type State = Shared<u64>;
    type Transaction = u32;
    fn setup(&self, device: &Device, _seed: u64) -> Result<Shared<u64>, Error> {
        device.shared(&vec![0; self.counters as usize])
    }
    fn transaction(&self, rng: &mut Rng, _number: u64) -> u32 {
        rng.random_range(0..self.counters)
    }
    fn push(&self, counters: &Shared<u64>, which: u32, batch: &mut Batch) {
        batch.push(increment::call(counters, which));
    }
    fn check(&self, counters: &Shared<u64>, _report: &Report, all: &[u32]) -> Result<(), String> {
        let counted: u64 = counters.to_vec().map_err(|why| why.to_string())?.iter().sum();
        (counted == all.len() as u64).then_some(()).ok_or(format!("{counted} of {} are counted", all.len()))
    }
}
fn main() -> std::process::ExitCode {
    stm_bench::main::<Counters>()
}
