//! The population (clause 4.3.3): each row depends on the seed and its place alone, so the check can make it again.

use stm_bench::{Rng, RngExt, SeedableRng};
use stm_runtime::{Device, Error};

use super::Tpcc;
use super::tables::{
    Credit, Customer, DISTRICTS, District, FIRST_ORDER, History, Item, LINES, NewOrder, Order, OrderLine, Rows, Stock,
    Tables, Warehouse,
};
use crate::fill::elements;

/// A place of the history without a row.
const NO_HISTORY: History =
    History { customer: 0, customer_district: 0, customer_warehouse: 0, district: 0, warehouse: 0, date: 0, amount: 0 };
/// A place without an order that was not delivered.
const NO_NEW_ORDER: NewOrder = NewOrder { order: 0, district: 0, warehouse: 0 };
/// A place without an order.
const NO_ORDER: Order =
    Order { id: 0, district: 0, warehouse: 0, customer: 0, entry_date: 0, carrier: None, lines: 0, all_local: false };
/// A place without a line.
const NO_LINE: OrderLine = OrderLine {
    order: 0,
    district: 0,
    warehouse: 0,
    number: 0,
    item: 0,
    supply_warehouse: 0,
    delivery_date: None,
    quantity: 0,
    amount: 0,
};

/// Returns the population.
pub(super) fn rows(of: &Tpcc, seed: u64) -> Result<Rows, Error> {
    let districts = of.districts();
    let orders = districts * of.orders_of_district();
    Ok(Rows {
        warehouses: elements(of.warehouses as usize, |at| warehouse(seed, at))?,
        districts: elements(districts, |at| district(seed, at))?,
        customers: elements(districts * of.customers as usize, |at| customer(seed, at, of.customers as usize))?,
        history: elements(of.room as usize, |_| NO_HISTORY)?,
        new_orders: elements(orders, |_| NO_NEW_ORDER)?,
        orders: elements(orders, |_| NO_ORDER)?,
        order_lines: elements(orders * LINES, |_| NO_LINE)?,
        items: elements(of.items as usize, |at| item(seed, at))?,
        stocks: elements((of.warehouses * of.items) as usize, |at| stock(seed, at, of.items as usize))?,
    })
}

/// Makes the tables of the population.
pub(super) fn tables(of: &Tpcc, device: &Device, seed: u64) -> Result<Tables, Error> {
    let rows = rows(of, seed)?;
    Ok(Tables {
        // Payments add to the sums of the year, while orders read the tax rates and number themselves. Under one lock word for each
        // row, every order would conflict with every payment of its warehouse.
        warehouses: device.shared_by_field(&rows.warehouses)?,
        districts: device.shared_by_field(&rows.districts)?,
        customers: device.shared(&rows.customers)?,
        history: device.shared(&rows.history)?,
        new_orders: device.shared(&rows.new_orders)?,
        orders: device.shared(&rows.orders)?,
        order_lines: device.shared(&rows.order_lines)?,
        items: device.shared(&rows.items)?,
        stocks: device.shared(&rows.stocks)?,
        seed,
    })
}

/// Returns the random numbers of a row.
fn numbers(seed: u64, table: u64, at: usize) -> Rng {
    Rng::seed_from_u64(seed.wrapping_mul(16).wrapping_add(table) << 40 ^ at as u64)
}

fn warehouse(seed: u64, at: usize) -> Warehouse {
    Warehouse { id: at as u16, tax: numbers(seed, 1, at).random_range(0..=2_000), ytd: 30_000_000 }
}

fn district(seed: u64, at: usize) -> District {
    District {
        id: (at % DISTRICTS as usize) as u8,
        warehouse: (at / DISTRICTS as usize) as u16,
        tax: numbers(seed, 2, at).random_range(0..=2_000),
        ytd: 3_000_000,
        next_order: FIRST_ORDER,
    }
}

fn customer(seed: u64, at: usize, each: usize) -> Customer {
    let mut rng = numbers(seed, 3, at);
    let District { id, warehouse, .. } = district(seed, at / each);
    Customer {
        id: (at % each) as u32,
        district: id,
        warehouse,
        last: rng.random_range(0..1_000),
        since: 0,
        credit: if rng.random_range(0..10) == 0 { Credit::Bad } else { Credit::Good },
        credit_limit: 5_000_000,
        discount: rng.random_range(0..=5_000),
        balance: -1_000,
        ytd_payment: 1_000,
        payments: 1,
        deliveries: 0,
        data: (0, 0, 0),
    }
}

fn item(seed: u64, at: usize) -> Item {
    let mut rng = numbers(seed, 4, at);
    Item {
        id: at as u32,
        image: rng.random_range(1..=10_000),
        price: rng.random_range(100..=10_000),
        is_original: rng.random_range(0..10) == 0,
    }
}

fn stock(seed: u64, at: usize, items: usize) -> Stock {
    let mut rng = numbers(seed, 5, at);
    Stock {
        item: (at % items) as u32,
        warehouse: (at / items) as u16,
        quantity: rng.random_range(10..=100),
        ytd: 0,
        orders: 0,
        remotes: 0,
        is_original: rng.random_range(0..10) == 0,
    }
}
