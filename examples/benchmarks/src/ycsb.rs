//! Transactions on up to sixteen records of a large table, a few of which are hot: workloads A, B, C and F.
//!
//! Source: the Yahoo! Cloud Serving Benchmark (Cooper and others, SoCC 2010) in the transactional form in which GPU databases
//! report it (gCCTB: 10 M records, 16 operations a transaction, Zipf from 0 to 0.99). A record is one word of 8 bytes. A: half of
//! the operations update, B: 5 %, C: none, F: half of them read, modify and write. An update writes the transaction's number, a
//! modification increments.
//!
//! Invariant: in F each record counts its committed modifications. In A and B each record holds the number of a transaction that
//! updated it, and some order explains all final values: the last writer of a record comes after all other writers of that record.

use clap::{Args, ValueEnum};
use stm_bench::{Benchmark, Distribution, Rng, RngExt, SeedableRng, Zipf};
use stm_runtime::{Batch, Device, Error, Report, Shared};

use super::ending::{committed, expect, nothing_fails};
use super::fill::{contents, elements};
use super::last::there_is_an_order;
use super::size::Size;
use super::ycsb_procedures::{Form, MOST, Transaction, push};

/// The workloads, by the benchmark's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Workload {
    /// Half of the operations update.
    A,
    /// One operation of twenty updates.
    B,
    /// No operation updates.
    C,
    /// Half of the operations read, modify and write.
    F,
}

impl Workload {
    /// Returns the percentage of the operations that write.
    fn writes(self) -> u32 {
        match self {
            Workload::A | Workload::F => 50,
            Workload::B => 5,
            Workload::C => 0,
        }
    }
}

/// Many records of a large table at a time, a few of which are hot
#[derive(Debug, Clone, Args)]
pub struct Ycsb {
    /// Which workload
    #[arg(long, value_enum, default_value = "a", ignore_case = true)]
    pub workload: Workload,
    /// Transactions of the batch
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub records: u32,
    /// Operations of one transaction: 1, 2, 4 .. 16
    #[arg(long, default_value = "16")]
    pub operations: Size<1, 16>,
    /// Zipf's exponent: 0 for records that are all alike, 0.99 where most access the same few
    #[arg(long, default_value_t = 0.99, value_parser = super::size::exponent)]
    pub theta: f64,
    /// The most operations that are written out one by one, so that the engine knows their records in advance; more are a loop
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=16))]
    pub written_out: u32,
    /// Records under one lock word
    #[arg(long, default_value_t = 1)]
    pub coverage: usize,
}

impl Benchmark for Ycsb {
    const NAME: &'static str = "ycsb";
    const SUMMARY: &'static str = "many records of a large table at a time, a few of which are hot";
    const SOURCE: &'static str = "YCSB (SoCC 2010), workloads A, B, C, F; 16 operations a transaction as in gCCTB";

    type State = Shared<u64>;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Shared<u64>, Error> {
        device.shared_with(&elements(self.records as usize, |_| 0_u64)?, self.coverage)
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Transaction {
        let mut writes = || rng.random_range(0..100) < self.workload.writes();
        let bits = (0..self.operations.get()).fold(0, |bits, k| bits | u32::from(writes()) << k);
        Transaction { of: self.records_of(rng), bits, new: number + 1 }
    }

    fn push(&self, records: &Shared<u64>, transaction: Transaction, batch: &mut Batch) {
        let size = self.operations.get();
        let form = Form { size, written_out: size <= self.written_out, counts: self.workload == Workload::F };
        push(batch, records, form, transaction);
    }

    fn check(&self, records: &Shared<u64>, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        nothing_fails(report)?;
        let found = contents(records)?;
        let writes = || {
            let done = transactions.iter().enumerate().filter(|(at, _)| committed(report, *at));
            done.flat_map(|(_, transaction)| self.written(*transaction).map(|at| (at, transaction.new)))
        };
        if self.workload == Workload::F {
            let mut counts = vec![0; found.len()];
            writes().for_each(|(at, _)| counts[at] += 1);
            let wrong = counts.iter().zip(&found).position(|(want, found)| want != found);
            let at = wrong.unwrap_or_default();
            return expect(wrong.is_none(), || format!("record {at} counts {} of {} changes", found[at], counts[at]));
        }
        // A transaction writes its number in the batch, from 1.
        let writer = |new: u64| {
            usize::try_from(new)
                .ok()?
                .checked_sub(1)
                .filter(|at| transactions.get(*at).is_some_and(|transaction| transaction.new == new))
        };
        there_is_an_order(transactions.len(), &found, writes().filter_map(|(at, new)| Some((at, writer(new)?))), writer)
    }
}

impl Ycsb {
    /// Draws records. The most popular ones are scattered over the table.
    fn records_of(&self, rng: &mut Rng) -> [u32; MOST] {
        let records = self.records.max(1);
        let rank = Zipf::new(f64::from(records), self.theta).ok();
        let mut of = [0; MOST];
        for at in of.iter_mut().take(self.operations.get() as usize) {
            let rank = rank.map_or(0, |rank| rank.sample(rng) as u64);
            *at = Rng::seed_from_u64(rank).random_range(0..records);
        }
        of
    }

    /// Returns the records that a transaction writes.
    fn written(&self, transaction: Transaction) -> impl Iterator<Item = usize> {
        (0..self.operations.get() as usize)
            .filter(move |k| transaction.bits >> k & 1 == 1)
            .map(move |k| transaction.of[k] as usize)
    }
}
