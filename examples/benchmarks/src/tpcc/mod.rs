//! Payments and orders of a wholesale supplier with many warehouses.
//!
//! Source: TPC-C, revision 5.11: New-Order (clause 2.4) and Payment (clause 2.5), the two procedures that GPU databases report.
//! Half of the transactions each, 64 warehouses; 10 districts of 3,000 customers and 100,000 stocks for each. An order has 5 to 15
//! lines, 1 % of which another warehouse supplies; 1 % of the orders end with an item that does not exist, and are rejected. 15 % of
//! the payments are for a customer of another warehouse. The districts number their orders.
//!
//! The differences: all customers are chosen by number, and not 60 % by last name. Each transaction draws its warehouse, because
//! there are no terminals. The 3,000 orders and the history that each district has at the start are left out: neither procedure
//! reads them. Orders and lines lie in a region for each district, and each payment has a row of the history. `tables.rs` says which
//! columns are left out.
//!
//! Invariant: the consistency conditions 1 to 4 (clause 3.3.2), exactly; every row of every table is the one that the committed
//! transactions leave, by their arguments and results, where the order of the transactions does not matter; exactly the orders with
//! an item that does not exist are rejected.

mod check;
mod conditions;
mod draw;
mod model;
mod procedures;
mod start;
mod tables;

use clap::Args;
use stm_bench::{Benchmark, Rng};
use stm_runtime::{Batch, Device, Error, Report};

use procedures::Transaction;
use tables::Tables;

/// Payments and orders of a wholesale supplier (TPC-C)
#[derive(Debug, Clone, Args)]
pub struct Tpcc {
    /// Warehouses, with 10 districts each
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub warehouses: u32,
    /// Customers of each district
    #[arg(long, default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(1..=3_000))]
    pub customers: u32,
    /// Items, which each warehouse has in stock
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub items: u32,
    /// Percentage of the transactions that are payments; the others are orders
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub payments: u32,
    /// Percentage of the payments for a customer of another warehouse
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub remote_payments: u32,
    /// Percentage of the lines that another warehouse supplies
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub remote_items: u32,
    /// Percentage of the orders with an item that does not exist
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub rollbacks: u32,
    /// The number of transactions that the tables have room for
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub room: u32,
}

impl Benchmark for Tpcc {
    const NAME: &'static str = "tpcc";
    const SUMMARY: &'static str = "payments and orders of a wholesale supplier";
    const SOURCE: &'static str = "TPC-C 5.11, New-Order and Payment (clauses 2.4 and 2.5)";

    type State = Tables;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, seed: u64) -> Result<Tables, Error> {
        start::tables(self, device, seed)
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Transaction {
        draw::transaction(self, rng, number)
    }

    fn push(&self, tables: &Tables, transaction: Transaction, batch: &mut Batch) {
        procedures::push(batch, tables, transaction);
    }

    fn check(&self, tables: &Tables, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        check::outcomes(self, report, transactions)?;
        let rows = tables::Rows::of(tables)?;
        rows.judge()?;
        check::rows(self, &rows, tables.seed, report, transactions)
    }
}

impl Tpcc {
    fn districts(&self) -> usize {
        (self.warehouses * tables::DISTRICTS) as usize
    }

    /// Returns the orders that a district has room for: eight standard deviations more than it gets on average.
    fn orders_of_district(&self) -> usize {
        let orders = f64::from(self.room) * f64::from(100 - self.payments) / 100.0;
        let mean = orders / self.districts() as f64;
        (mean + 8.0 * mean.sqrt() + 16.0) as usize
    }
}
