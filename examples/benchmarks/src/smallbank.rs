//! Customers with a savings and a checking account, a few of whom are hot.
//!
//! Source: SmallBank (Alomari and others, ICDE 2008) with the mix, the amounts and the hot customers of H-Store and OLTP-Bench:
//! 25 % `SendPayment`, 15 % of each other procedure; 1 M customers, of whom 100 get a quarter of the accesses. Customers are numbers,
//! so the table that maps names to numbers is left out. Money is in cents. As in the paper, half of the `TransactSavings` take money
//! out, and are rejected if it is not there.
//!
//! Invariant: each account holds its first balance and all changes that the committed transactions report. So no money appears or
//! vanishes. No savings account is overdrawn. Only payments and withdrawals are
//! rejected.

use clap::Args;
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng};
use stm_runtime::{Batch, Device, Error, Report, Shared};

use super::ending::{expect, no_faults, nothing_waits, rejected, result};
use super::fill::{contents, elements};
use super::smallbank_procedures::{
    PENALTY, amalgamate, balance, deposit_checking, send_payment, transact_savings, write_check,
};

/// Customers with two accounts each, a few of whom are hot
#[derive(Debug, Clone, Args)]
pub struct Smallbank {
    /// Customers
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(2..))]
    pub customers: u32,
    /// Hot customers: the first of all
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..))]
    pub hot: u32,
    /// Percentage of the transactions that use hot customers alone; the others use any
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub hot_share: u32,
    /// The smallest first balance of an account, in cents; the largest is five times as much
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
    pub start: i64,
}

/// The accounts of all customers.
#[derive(Debug)]
pub struct Accounts {
    pub(super) savings: Shared<i64>,
    pub(super) checking: Shared<i64>,
    /// Their first balances.
    start: Balances,
}

/// The balances of all customers on the host.
#[derive(Debug, Clone, PartialEq)]
struct Balances {
    savings: Vec<i64>,
    checking: Vec<i64>,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    what: What,
    customer: u32,
    /// The second customer, where there is one.
    other: u32,
    /// In cents.
    amount: i64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    Amalgamate,
    Balance,
    DepositChecking,
    SendPayment,
    TransactSavings,
    WriteCheck,
}

impl Benchmark for Smallbank {
    const NAME: &'static str = "smallbank";
    const SUMMARY: &'static str = "customers with two accounts each, a few of whom are hot";
    const SOURCE: &'static str = "SmallBank (ICDE 2008), with the mix and the hot customers of OLTP-Bench";

    type State = Accounts;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, seed: u64) -> Result<Accounts, Error> {
        let mut rng = Rng::seed_from_u64(seed);
        let mut balances = || elements(self.customers as usize, |_| rng.random_range(self.start..=5 * self.start));
        let start = Balances { savings: balances()?, checking: balances()? };
        Ok(Accounts { savings: device.shared(&start.savings)?, checking: device.shared(&start.checking)?, start })
    }

    fn transaction(&self, rng: &mut Rng, _number: u64) -> Transaction {
        let is_hot = rng.random_range(0..100) < self.hot_share;
        let customers = if is_hot { self.hot.min(self.customers) } else { self.customers };
        let (customer, further) = (rng.random_range(0..customers), rng.random_range(1..customers));
        let (what, amount) = match rng.random_range(0..100) {
            0..15 => (What::Amalgamate, 0),
            15..30 => (What::Balance, 0),
            30..45 => (What::DepositChecking, 130),
            45..70 => (What::SendPayment, 500),
            70..85 => (What::TransactSavings, if rng.random() { 2_020 } else { -2_020 }),
            _ => (What::WriteCheck, 500),
        };
        let other = ((u64::from(customer) + u64::from(further)) % u64::from(customers)) as u32;
        Transaction { what, customer, other, amount }
    }

    fn push(&self, Accounts { savings, checking, .. }: &Accounts, transaction: Transaction, batch: &mut Batch) {
        let Transaction { what, customer, other, amount } = transaction;
        match what {
            What::Amalgamate => _ = batch.push(amalgamate::call(savings, checking, customer, other)),
            What::Balance => _ = batch.push(balance::call(savings, checking, customer)),
            What::DepositChecking => _ = batch.push(deposit_checking::call(checking, customer, amount)),
            What::SendPayment => _ = batch.push(send_payment::call(checking, customer, other, amount)),
            What::TransactSavings => _ = batch.push(transact_savings::call(savings, customer, amount)),
            What::WriteCheck => _ = batch.push(write_check::call(savings, checking, customer, amount)),
        }
    }

    fn check(&self, accounts: &Accounts, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        no_faults(report)?;
        nothing_waits(report)?;
        let mut want = accounts.start.clone();
        for (at, transaction) in transactions.iter().enumerate() {
            want.apply(report, at, *transaction);
            let may = transaction.what == What::SendPayment || transaction.amount < 0;
            expect(may || !rejected(report, at), || format!("{transaction:?} was rejected, and always can be done"))?;
        }
        let found = Balances { savings: contents(&accounts.savings)?, checking: contents(&accounts.checking)? };
        for (what, found, want) in
            [("savings", &found.savings, &want.savings), ("checking", &found.checking, &want.checking)]
        {
            for (customer, (found, want)) in found.iter().zip(want).enumerate() {
                expect(found == want, || format!("customer {customer} has {found} in {what} and not {want}"))?;
            }
        }
        let overdrawn = found.savings.iter().position(|balance| *balance < 0);
        overdrawn.map_or(Ok(()), |customer| Err(format!("the savings of customer {customer} are overdrawn")))
    }
}

impl Balances {
    /// Applies a transaction as far as it committed, by its result.
    fn apply(&mut self, report: &Report, at: usize, Transaction { what, customer, other, amount }: Transaction) {
        let (customer, other) = (customer as usize, other as usize);
        let done = || result::<()>(report, at).is_some();
        match what {
            What::Balance => {}
            What::Amalgamate => {
                let (savings, checking) = result::<(i64, i64)>(report, at).unwrap_or_default();
                self.savings[customer] -= savings;
                self.checking[customer] -= checking;
                self.checking[other] += savings + checking;
            }
            What::DepositChecking if done() => self.checking[customer] += amount,
            What::TransactSavings if done() => self.savings[customer] += amount,
            What::SendPayment if done() => {
                self.checking[customer] -= amount;
                self.checking[other] += amount;
            }
            What::WriteCheck => {
                let penalty = result::<bool>(report, at).map(|fined| if fined { PENALTY } else { 0 });
                self.checking[customer] -= penalty.map_or(0, |penalty| amount + penalty);
            }
            _ => {}
        }
    }
}
