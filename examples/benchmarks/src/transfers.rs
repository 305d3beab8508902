//! Money from one account to another, once it is there: the plain bank with two accounts a transaction.
//!
//! Source: `bank` of TinySTM, with the guard of the thesis (section 5.4). Invariant: the sum of all accounts is what it was, and
//! none is overdrawn.

use stm_bench::prelude::*;
use stm_runtime::prelude::*;

/// Moves `amount` once the funds are there.
#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Accounts of a branch.
const BRANCH: u32 = 64;

/// See the head of this file.
#[derive(Debug, Clone, Args)]
pub struct Transfers {
    /// Accounts
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub accounts: u32,
    /// What each account holds at the start
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub start: i64,
    /// The largest amount of one transfer; the smallest is 1
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..))]
    pub most: i64,
    /// Transfers in 100 between any two accounts; the others stay in a branch of 64 accounts
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub far: u32,
}

/// One transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// The account that pays.
    pub from: u32,
    /// The account that is paid.
    pub to: u32,
    /// The amount.
    pub amount: i64,
}

impl Benchmark for Transfers {
    const NAME: &'static str = "transfers";
    const SUMMARY: &'static str = "money from one account to another, once it is there";
    const SOURCE: &'static str = "bank of TinySTM, with the guard of the thesis, section 5.4";
    type State = Shared<i64>;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _: u64) -> Result<Shared<i64>, Error> {
        device.shared(&vec![self.start; self.accounts as usize])
    }

    fn transaction(&self, rng: &mut Rng, _: u64) -> Transaction {
        let from = rng.random_range(0..self.accounts);
        // Without a draw where all are far, so that these transfers stay the same.
        let is_far = self.far == 100 || rng.random_range(0..100) < self.far;
        let branch = from - from % BRANCH;
        let others = if is_far { 0..self.accounts } else { branch..self.accounts.min(branch + BRANCH) };
        Transaction { from, to: rng.random_range(others), amount: rng.random_range(1..=self.most) }
    }

    fn push(&self, accounts: &Shared<i64>, transaction: Transaction, batch: &mut Batch) {
        batch.push(transfer::call(accounts, transaction.from, transaction.to, transaction.amount));
    }

    fn check(&self, accounts: &Shared<i64>, report: &Report, _: &[Transaction]) -> Result<(), String> {
        let balances = accounts.to_vec().map_err(|why| why.to_string())?;
        let (found, wanted): (i64, i64) = (balances.iter().sum(), self.start * i64::from(self.accounts));
        match balances.iter().position(|balance| *balance < 0) {
            Some(at) => Err(format!("account {at} is overdrawn: {}", balances[at])),
            None if found != wanted => Err(format!("there are {found} and were {wanted}")),
            None if report.faulted + report.rejected > 0 => Err("some gave up or were at fault".to_owned()),
            None => Ok(()),
        }
    }
}
