//! The arguments of transactions (clauses 2.4.1, 2.5.1), and the specification's distribution of customers and items.

use std::array::from_fn;

use stm_bench::{Rng, RngExt};

use super::Tpcc;
use super::procedures::{Line, Payment, Request, Transaction};
use super::tables::DISTRICTS;

/// The constant C of NURand for customers, and the one for items: any value from 0 to A.
const C_OF_CUSTOMERS: u32 = 259;
const C_OF_ITEMS: u32 = 7_911;

/// Returns `NURand(a, 0, below - 1)` of clause 2.1.6. `a` belongs to the full size of a table, also where the table is smaller.
fn nurand(rng: &mut Rng, a: u32, c: u32, below: u32) -> u32 {
    ((rng.random_range(0..=a) | rng.random_range(0..below)) + c) % below
}

/// Returns true with a probability in percent.
fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.random_range(0..100) < percent
}

/// Returns the transaction of that number.
pub(super) fn transaction(of: &Tpcc, rng: &mut Rng, number: u64) -> Transaction {
    let date = u32::try_from(number).unwrap_or(u32::MAX);
    let warehouse = rng.random_range(0..of.warehouses) as u16;
    let district = rng.random_range(0..DISTRICTS) as u8;
    let customer = nurand(rng, 1_023, C_OF_CUSTOMERS, of.customers);
    if chance(rng, of.payments) {
        Transaction::Payment(payment(
            of,
            rng,
            Payment {
                warehouse,
                district,
                customer,
                customer_district: district,
                customer_warehouse: warehouse,
                amount: 0,
                row: date,
                date,
            },
        ))
    } else {
        let count = rng.random_range(5..=15);
        let lines = lines(of, rng, warehouse, count);
        Transaction::NewOrder(Request { warehouse, district, customer, date, count, lines })
    }
}

/// Completes a payment: a part of the customers belongs to another warehouse.
fn payment(of: &Tpcc, rng: &mut Rng, home: Payment) -> Payment {
    let amount = rng.random_range(100..=500_000);
    match another(of, rng, home.warehouse, of.remote_payments) {
        None => Payment { amount, ..home },
        Some(customer_warehouse) => {
            let customer_district = rng.random_range(0..DISTRICTS) as u8;
            Payment { amount, customer_warehouse, customer_district, ..home }
        }
    }
}

/// Draws the lines of an order. A part of the orders ends with an item that does not exist.
fn lines(of: &Tpcc, rng: &mut Rng, warehouse: u16, count: u8) -> [Line; 15] {
    let mut lines = from_fn(|k| match k < usize::from(count) {
        false => Line { item: 0, supply_warehouse: 0, quantity: 0 },
        true => Line {
            item: nurand(rng, 8_191, C_OF_ITEMS, of.items),
            supply_warehouse: another(of, rng, warehouse, of.remote_items).unwrap_or(warehouse),
            quantity: rng.random_range(1..=10),
        },
    });
    if chance(rng, of.rollbacks) {
        lines[usize::from(count) - 1].item = of.items;
    }
    lines
}

/// Returns another warehouse with a probability in percent, if there are several.
fn another(of: &Tpcc, rng: &mut Rng, home: u16, percent: u32) -> Option<u16> {
    let is_remote = chance(rng, percent) && of.warehouses > 1;
    is_remote.then(|| ((u32::from(home) + rng.random_range(1..of.warehouses)) % of.warehouses) as u16)
}
