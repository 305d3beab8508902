//! Compares outcomes and rows with what the committed transactions must leave.

use std::fmt::Debug;

use stm_runtime::{Outcome, Report};

use super::Tpcc;
use super::model::{Model, fits};
use super::procedures::{NO_ROOM, Transaction, UNUSED_ITEM};
use super::tables::Rows;
use crate::ending::{expect, no_faults, nothing_waits, result};

/// Checks that nothing faulted or waits, and that exactly the orders for items that do not exist were rejected.
pub(super) fn outcomes(of: &Tpcc, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
    expect(transactions.len() <= of.room as usize, || {
        format!("the tables are too small: use `--room {}`", transactions.len())
    })?;
    no_faults(report)?;
    nothing_waits(report)?;
    for (at, transaction) in transactions.iter().enumerate() {
        let must =
            matches!(transaction, Transaction::NewOrder(asked) if asked.lines().any(|line| line.item >= of.items));
        match report.outcome_at::<()>(at) {
            Ok(Outcome::Rejected(NO_ROOM)) => return Err("a district is too small: use a larger `--room`".to_owned()),
            Ok(Outcome::Rejected(UNUSED_ITEM)) if must => {}
            Ok(Outcome::Committed(())) if !must => {}
            Ok(Outcome::Unresolved(_)) => {}
            other => return Err(format!("transaction {at} ended as {other:?}: {transaction:?}")),
        }
    }
    Ok(())
}

/// Compares each row of each table.
pub(super) fn rows(
    of: &Tpcc,
    found: &Rows,
    seed: u64,
    report: &Report,
    transactions: &[Transaction],
) -> Result<(), String> {
    let mut model = Model::new(of, seed)?;
    for (at, transaction) in transactions.iter().enumerate() {
        match transaction {
            Transaction::Payment(pays) => {
                if let Some(balance) = result(report, at) {
                    model.pay(*pays, balance);
                }
            }
            Transaction::NewOrder(asked) => {
                if let Some(receipt) = result(report, at) {
                    model.order(asked, receipt).map_err(|why| format!("transaction {at}: {why}"))?;
                }
            }
        }
    }
    model.last_payments()?;
    let want = model.rows;
    same("warehouse", &found.warehouses, &want.warehouses)?;
    same("district", &found.districts, &want.districts)?;
    same("customer", &found.customers, &want.customers)?;
    same("history", &found.history, &want.history)?;
    same("new-order", &found.new_orders, &want.new_orders)?;
    same("order", &found.orders, &want.orders)?;
    same("order-line", &found.order_lines, &want.order_lines)?;
    same("item", &found.items, &want.items)?;
    let wrong = found.stocks.iter().zip(&want.stocks).find(|(found, want)| !fits(found, want));
    wrong.map_or(Ok(()), |(found, want)| Err(format!("a stock is {found:?}, by the orders {want:?} less its sales")))
}

fn same<T: PartialEq + Debug>(table: &str, found: &[T], want: &[T]) -> Result<(), String> {
    let wrong = found.iter().zip(want).enumerate().find(|(_, (found, want))| found != want);
    wrong.map_or(Ok(()), |(at, (found, want))| Err(format!("row {at} of {table} is {found:?} and not {want:?}")))
}
