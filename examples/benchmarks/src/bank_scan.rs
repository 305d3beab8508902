//! Transfers between two accounts, concurrent with sums of all accounts.
//!
//! Source: CSMV, section IV-A and figures 1 and 3: 6,000 accounts, a read-only share from 1 to 99 %. No transfer waits.
//!
//! Invariant: every account holds its initial balance plus what the committed transactions moved; and every sum is that of the
//! start, since money is only moved.

use clap::Args;
use stm_bench::{Benchmark, Rng, RngExt};
use stm_runtime::{Batch, Device, Error, Report, Shared};

use super::bank_procedures as procedures;
use super::ending::{committed, expect, nothing_fails, result};
use super::fill::{contents, elements};

/// The initial balance of an account.
const START: i64 = 10;

/// Transfers between two accounts, and sums of all accounts
#[derive(Debug, Clone, Args)]
pub struct BankScan {
    /// Accounts, at most 65,535
    #[arg(long, default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub accounts: u32,
    /// Percentage of the transactions that add up all accounts
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub read_only: u32,
    /// Accounts under one lock word
    #[arg(long, default_value_t = 1)]
    pub coverage: usize,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub enum Transaction {
    /// Adds up all accounts.
    Sum,
    /// Moves money.
    Transfer {
        /// The account that pays.
        from: u32,
        /// The account that is paid.
        to: u32,
        /// The amount.
        amount: i64,
    },
}

impl Benchmark for BankScan {
    const NAME: &'static str = "bank-scan";
    const SUMMARY: &'static str = "transfers between two accounts, and sums of all accounts";
    const SOURCE: &'static str = "CSMV, section IV-A, figures 1 and 3, batches I and II";

    type State = Shared<i64>;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Shared<i64>, Error> {
        device.shared_with(&elements(self.accounts as usize, |_| START)?, self.coverage)
    }

    fn transaction(&self, rng: &mut Rng, _number: u64) -> Transaction {
        if rng.random_range(0..100) < self.read_only {
            return Transaction::Sum;
        }
        let mut account = || rng.random_range(0..self.accounts.max(1));
        Transaction::Transfer { from: account(), to: account(), amount: rng.random_range(1..=START) }
    }

    fn push(&self, accounts: &Shared<i64>, transaction: Transaction, batch: &mut Batch) {
        match transaction {
            Transaction::Sum => procedures::push_sum(batch, accounts),
            Transaction::Transfer { from, to, amount } => procedures::push_pair(batch, accounts, from, to, amount),
        }
    }

    fn check(&self, accounts: &Shared<i64>, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        nothing_fails(report)?;
        let total = START * i64::from(self.accounts);
        let mut left = vec![START; self.accounts as usize];
        for (at, transaction) in transactions.iter().enumerate().filter(|(at, _)| committed(report, *at)) {
            match *transaction {
                Transaction::Sum => {
                    let sum = result::<i64>(report, at).unwrap_or_default();
                    expect(sum == total, || format!("transaction {at} adds up to {sum} and not to {total}"))?;
                }
                Transaction::Transfer { from, to, amount } => {
                    left[from as usize] -= amount;
                    left[to as usize] += amount;
                }
            }
        }
        let found = contents(accounts)?;
        let wrong = left.iter().zip(&found).position(|(left, found)| left != found);
        let at = wrong.unwrap_or_default();
        expect(wrong.is_none(), || format!("account {at} holds {} and not {}", found[at], left[at]))
    }
}
