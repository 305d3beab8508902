//! Transactions whose guards wait for each other: number k of a chain waits for element k, and sets element k + 1.
//!
//! Source: the postponement of transactions whose guard is false (thesis, section 4.2.3), where it is needed most: at any time only
//! one transaction of each chain can commit.
//!
//! A batch has at most `chains` times `length` transactions; more are left out, and fewer make shorter chains.
//!
//! Invariant: every transaction commits; the elements that they set are set, and no others.

use clap::{Args, ValueEnum};
use rand::seq::SliceRandom;
use stm_bench::{Benchmark, Rng, SeedableRng};
use stm_runtime::prelude::*;

use super::ending::{expect, nothing_fails};
use super::fill::{contents, elements};

/// Waits for an element, and sets another one.
#[gpu_transaction]
fn hand_on(tx: &mut Tx, is_set: &Shared<bool>, from: u32, to: u32) -> TxResult {
    tx.guard(tx.read(is_set, from)?)?;
    tx.write(is_set, to, true)
}

/// The order of the transactions of all chains in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// At random.
    Shuffled,
    /// Each transaction comes after the one that it waits for.
    Forward,
    /// Each transaction comes before the one that it waits for.
    Backward,
}

/// Transactions that each wait for the one before them
#[derive(Debug, Clone, Args)]
pub struct Chain {
    /// Independent chains
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub chains: u32,
    /// The most transactions of one chain
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub length: u32,
    /// The order of the batch
    #[arg(long, value_enum, default_value = "shuffled")]
    pub order: Direction,
}

/// The place of a transaction in its chain.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    chain: u32,
    place: u64,
}

impl Benchmark for Chain {
    const NAME: &'static str = "chain";
    const SUMMARY: &'static str = "transactions that each wait for the one before them";
    const SOURCE: &'static str = "the postponement of the thesis, section 4.2.3, in its worst case";

    type State = Shared<bool>;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Shared<bool>, Error> {
        let places = self.length as usize + 1;
        device.shared(&elements(self.chains as usize * places, |at| at.is_multiple_of(places))?)
    }

    fn transaction(&self, _rng: &mut Rng, number: u64) -> Transaction {
        let chains = u64::from(self.chains);
        Transaction { chain: (number % chains) as u32, place: number / chains }
    }

    fn push(&self, is_set: &Shared<bool>, Transaction { chain, place }: Transaction, batch: &mut Batch) {
        let from = chain * (self.length + 1) + place as u32;
        batch.push(hand_on::call(is_set, from, from + 1));
    }

    fn arrange(&self, transactions: &mut Vec<Transaction>) {
        transactions.truncate(self.chains as usize * self.length as usize);
        match self.order {
            Direction::Forward => {}
            Direction::Backward => transactions.reverse(),
            Direction::Shuffled => {
                let mut rng = Rng::seed_from_u64(transactions.len() as u64);
                transactions.shuffle(&mut rng);
            }
        }
    }

    fn check(&self, is_set: &Shared<bool>, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        nothing_fails(report)?;
        let all = transactions.len();
        expect(report.committed as usize == all, || format!("{} of {all} transactions committed", report.committed))?;
        let places = self.length as usize + 1;
        let mut want =
            elements(self.chains as usize * places, |at| at.is_multiple_of(places)).map_err(|why| why.to_string())?;
        for Transaction { chain, place } in transactions {
            want[*chain as usize * places + *place as usize + 1] = true;
        }
        let wrong = contents(is_set)?.iter().zip(&want).position(|(found, want)| found != want);
        wrong.map_or(Ok(()), |at| Err(format!("element {at} should be {}", if want[at] { "set" } else { "clear" })))
    }
}
