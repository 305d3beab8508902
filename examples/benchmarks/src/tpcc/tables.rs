//! The nine tables of TPC-C (clause 1.3) as records.
//!
//! Numbers of rows within their parent start from 0. Money is in cents, rates are in units of 0.0001, dates are numbers of
//! transactions. Strings are left out, because no procedure looks into them and an array of bytes takes one shared array for
//! each byte: names and addresses, `H_DATA`, `I_NAME`, and `S_DIST_xx` with its copy in `OL_DIST_INFO`. What the procedures need of
//! others is a number: `C_LAST`, which is made from a number; the head of `C_DATA`; and whether `I_DATA` and `S_DATA` contain
//! "ORIGINAL".

use stm_runtime::prelude::*;

use crate::fill::contents;

/// Districts of a warehouse.
pub(crate) const DISTRICTS: u32 = 10;
/// The most lines of an order.
pub(crate) const LINES: usize = 15;
/// The number of the first order in each district: the population has 3,000, which no procedure here reads.
pub(crate) const FIRST_ORDER: u32 = 3_001;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Warehouse {
    pub(crate) id: u16,
    pub(crate) tax: i64,
    pub(crate) ytd: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct District {
    pub(crate) id: u8,
    pub(crate) warehouse: u16,
    pub(crate) tax: i64,
    pub(crate) ytd: i64,
    pub(crate) next_order: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) enum Credit {
    Good,
    Bad,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Customer {
    pub(crate) id: u32,
    pub(crate) district: u8,
    pub(crate) warehouse: u16,
    /// The number that the last name is made from.
    pub(crate) last: u16,
    pub(crate) since: u32,
    pub(crate) credit: Credit,
    pub(crate) credit_limit: i64,
    pub(crate) discount: i64,
    pub(crate) balance: i64,
    pub(crate) ytd_payment: i64,
    pub(crate) payments: u32,
    pub(crate) deliveries: u32,
    /// Warehouse, district and amount of the last payment, if the credit is bad.
    pub(crate) data: (u16, u8, i64),
}

/// A payment; the amount is 0 where there is no row.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct History {
    pub(crate) customer: u32,
    pub(crate) customer_district: u8,
    pub(crate) customer_warehouse: u16,
    pub(crate) district: u8,
    pub(crate) warehouse: u16,
    pub(crate) date: u32,
    pub(crate) amount: i64,
}

/// An order that was not delivered; the order is 0 where there is no row.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct NewOrder {
    pub(crate) order: u32,
    pub(crate) district: u8,
    pub(crate) warehouse: u16,
}

/// An order; its number is 0 where there is no row.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Order {
    pub(crate) id: u32,
    pub(crate) district: u8,
    pub(crate) warehouse: u16,
    pub(crate) customer: u32,
    pub(crate) entry_date: u32,
    pub(crate) carrier: Option<u8>,
    pub(crate) lines: u8,
    pub(crate) all_local: bool,
}

/// A line of an order; the order is 0 where there is no row.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct OrderLine {
    pub(crate) order: u32,
    pub(crate) district: u8,
    pub(crate) warehouse: u16,
    pub(crate) number: u8,
    pub(crate) item: u32,
    pub(crate) supply_warehouse: u16,
    pub(crate) delivery_date: Option<u32>,
    pub(crate) quantity: u8,
    pub(crate) amount: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Item {
    pub(crate) id: u32,
    pub(crate) image: u32,
    pub(crate) price: i64,
    pub(crate) is_original: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Stock {
    pub(crate) item: u32,
    pub(crate) warehouse: u16,
    pub(crate) quantity: u8,
    pub(crate) ytd: u32,
    pub(crate) orders: u32,
    pub(crate) remotes: u32,
    pub(crate) is_original: bool,
}

/// All tables. Orders and their lines lie in a region for each district.
#[derive(Debug)]
pub struct Tables {
    pub(crate) warehouses: Shared<Warehouse>,
    pub(crate) districts: Shared<District>,
    pub(crate) customers: Shared<Customer>,
    pub(crate) history: Shared<History>,
    pub(crate) new_orders: Shared<NewOrder>,
    pub(crate) orders: Shared<Order>,
    pub(crate) order_lines: Shared<OrderLine>,
    pub(crate) items: Shared<Item>,
    pub(crate) stocks: Shared<Stock>,
    /// The seed of the population.
    pub(crate) seed: u64,
}

/// The contents of all tables on the host.
pub(crate) struct Rows {
    pub(crate) warehouses: Vec<Warehouse>,
    pub(crate) districts: Vec<District>,
    pub(crate) customers: Vec<Customer>,
    pub(crate) history: Vec<History>,
    pub(crate) new_orders: Vec<NewOrder>,
    pub(crate) orders: Vec<Order>,
    pub(crate) order_lines: Vec<OrderLine>,
    pub(crate) items: Vec<Item>,
    pub(crate) stocks: Vec<Stock>,
}

impl Rows {
    /// Copies the tables to the host.
    pub(crate) fn of(tables: &Tables) -> Result<Rows, String> {
        Ok(Rows {
            warehouses: contents(&tables.warehouses)?,
            districts: contents(&tables.districts)?,
            customers: contents(&tables.customers)?,
            history: contents(&tables.history)?,
            new_orders: contents(&tables.new_orders)?,
            orders: contents(&tables.orders)?,
            order_lines: contents(&tables.order_lines)?,
            items: contents(&tables.items)?,
            stocks: contents(&tables.stocks)?,
        })
    }
}

/// Returns the row of a district.
#[gpu_fn]
pub(crate) fn district_at(warehouse: u16, district: u8) -> usize {
    warehouse as usize * DISTRICTS as usize + district as usize
}
