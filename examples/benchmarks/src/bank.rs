//! Transfers among k accounts at a time.
//!
//! Source: PR-STM (Euro-Par 2015), evaluation: k from 2 to 128; thesis, section 5.4: lock coverage, semantic share, read-only
//! share, general and pre-sorted batches. A transaction of k accounts is k/2 transfers, each from one account to another. A
//! *semantic* one waits until every payer has the money; the others may overdraw, as in TinySTM.
//!
//! Most transfers have a reverse transfer in the batch. So with two accounts a transaction, and 100 on each at the start, every
//! batch completes: the payer of a waiting transfer would still receive more than he has to pay, and that cannot hold for all
//! payers.
//!
//! Invariant: every account holds its initial balance plus what the committed transactions moved. If all are semantic, no account
//! is overdrawn. Every remaining transaction waits for money that is not there.

use clap::Args;
use rand::seq::SliceRandom;
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng};
use stm_runtime::{Batch, Device, Error, Report, Shared};

use super::bank_procedures::{self as procedures, Transfer};
use super::ending::{committed, expect, no_faults, no_rejections, stuck};
use super::fill::{contents, elements};
use super::order::{Order, sort_by_running};
use super::size::Size;

/// The largest amount of one payment; the smallest is 1.
const MOST: i64 = 100;

/// Transfers among k accounts at a time, some of which wait for money
#[derive(Debug, Clone, Args)]
pub struct Bank {
    /// Accounts; the paper has 10 MB of them
    #[arg(long, default_value_t = 2_621_440, value_parser = clap::value_parser!(u32).range(1..))]
    pub accounts: u32,
    /// Accounts of one transaction: 2, 4, 8 .. 128
    #[arg(long, default_value = "2")]
    pub touched: Size<2, 128>,
    /// The most accounts, up to 16, that are written out one by one, so that the engine knows them in advance; more are a loop
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=16))]
    pub written_out: u32,
    /// Accounts under one lock word
    #[arg(long, default_value_t = 1)]
    pub coverage: usize,
    /// Percentage of the transfers that wait for money
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub semantic: u32,
    /// Percentage of the transactions that only read
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub read_only: u32,
    /// What an account holds at the start
    #[arg(long, default_value_t = 100)]
    pub start: i64,
    /// The order of the batch
    #[arg(long, value_enum, default_value_t = Order::General)]
    pub order: Order,
}

/// The accounts.
#[derive(Debug)]
pub struct Books(pub Shared<i64>);

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub enum Transaction {
    /// Adds up the accounts that the seed gives.
    Look(u64),
    /// Moves money.
    Transfer(Transfer),
}

impl Benchmark for Bank {
    const NAME: &'static str = "bank";
    const SUMMARY: &'static str = "transfers among k accounts at a time, some of which wait for money";
    const SOURCE: &'static str = "PR-STM (Euro-Par 2015), evaluation; thesis, section 5.4";

    type State = Books;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Books, Error> {
        let accounts = elements(self.accounts as usize, |_| self.start)?;
        Ok(Books(device.shared_with(&accounts, self.coverage)?))
    }

    fn transaction(&self, rng: &mut Rng, _number: u64) -> Transaction {
        if rng.random_range(0..100) < self.read_only {
            return Transaction::Look(rng.random());
        }
        let waits = rng.random_range(0..100) < self.semantic;
        Transaction::Transfer(Transfer { seed: rng.random(), back: false, amount: rng.random_range(1..=MOST), waits })
    }

    fn push(&self, Books(accounts): &Books, transaction: Transaction, batch: &mut Batch) {
        let size = self.touched.get();
        let form = procedures::Form { size, written_out: size <= self.written_out };
        match transaction {
            Transaction::Look(seed) => procedures::push_look(batch, accounts, form, seed),
            Transaction::Transfer(transfer) => procedures::push_transfer(batch, accounts, form, transfer),
        }
    }

    fn check(&self, Books(accounts): &Books, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        no_faults(report)?;
        no_rejections(report)?;
        let mut left = vec![self.start; self.accounts as usize];
        for transaction in
            transactions.iter().enumerate().filter(|(at, _)| committed(report, *at)).map(|(_, transaction)| transaction)
        {
            self.move_all(&mut left, transaction, false);
        }
        let found = contents(accounts)?;
        let wrong = left.iter().zip(&found).position(|(left, found)| left != found);
        if let Some(at) = wrong {
            return Err(format!("account {at} holds {}, and by what committed it should hold {}", found[at], left[at]));
        }
        let overdrawn = left.iter().position(|balance| *balance < 0 && self.semantic == 100);
        expect(overdrawn.is_none(), || format!("account {} is overdrawn", overdrawn.unwrap_or_default()))?;
        let idle = transactions
            .iter()
            .enumerate()
            .find(|(at, transaction)| stuck(report, *at) && self.move_all(&mut left, transaction, true));
        expect(idle.is_none(), || {
            format!("{:?} waits for money that is there", idle.map(|(_, transaction)| transaction))
        })
    }

    fn arrange(&self, transactions: &mut Vec<Transaction>) {
        self.give_back(transactions);
        if self.order == Order::Sorted {
            let mut balances = vec![self.start; self.accounts as usize];
            sort_by_running(transactions, |transaction| self.move_all(&mut balances, transaction, true));
        }
    }
}

impl Bank {
    /// Turns most transfers into the reverse of another one, so that no account stays empty. A quarter of those whose payers occur
    /// nowhere else stay unpaired: no transaction waits for them, and their effects remain.
    fn give_back(&self, transactions: &mut [Transaction]) {
        let transfer = |at: &usize| matches!(transactions[*at], Transaction::Transfer(_));
        let mut places: Vec<usize> = (0..transactions.len()).filter(transfer).collect();
        let seed = transactions
            .iter()
            .map(|transaction| if let Transaction::Transfer(some) = transaction { some.seed } else { 0 })
            .max();
        places.shuffle(&mut Rng::seed_from_u64(seed.unwrap_or_default()));
        let mut uses = vec![0_u32; self.accounts as usize];
        for (from, to) in places.iter().flat_map(|at| self.payments(&transactions[*at])) {
            uses[from] += 1;
            uses[to] += 1;
        }
        let one_way = |(turn, at): &(usize, &usize)| {
            turn.is_multiple_of(4) && self.payments(&transactions[**at]).all(|(from, _)| uses[from] == 1)
        };
        let both_ways: Vec<usize> =
            places.iter().enumerate().filter(|place| !one_way(place)).map(|(_, at)| *at).collect();
        for two in both_ways.chunks_exact(2) {
            if let Transaction::Transfer(there) = transactions[two[0]] {
                transactions[two[1]] = Transaction::Transfer(Transfer { back: true, ..there });
            }
        }
    }

    /// Returns pairs of payer and payee; none, if it is not a transfer.
    fn payments(&self, transaction: &Transaction) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (accounts, half) = (self.accounts as usize, self.touched.get() as usize / 2);
        let (seed, back, count) = match *transaction {
            Transaction::Transfer(Transfer { seed, back, .. }) => (seed, back, half),
            Transaction::Look(_) => (0, false, 0),
        };
        let first = if back { half } else { 0 };
        let account = move |k| procedures::account(seed, k, accounts) as usize;
        (0..count).map(move |k| (account(first + k), account(half - first + k)))
    }

    /// Runs a transaction on the host; with `waiting`, only if its guards hold. Returns whether it ran.
    fn move_all(&self, balances: &mut [i64], transaction: &Transaction, waiting: bool) -> bool {
        let Transaction::Transfer(Transfer { amount, waits, .. }) = *transaction else { return true };
        for (done, (from, to)) in self.payments(transaction).enumerate() {
            if waiting && waits && balances[from] < amount {
                for (from, to) in self.payments(transaction).take(done) {
                    balances[from] += amount;
                    balances[to] -= amount;
                }
                return false;
            }
            balances[from] -= amount;
            balances[to] += amount;
        }
        true
    }
}
