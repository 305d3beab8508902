//! The procedures New-Order (clause 2.4) and Payment (clause 2.5).

use stm_runtime::prelude::*;

use super::tables::{
    Credit, Customer, District, FIRST_ORDER, History, Item, LINES, NewOrder, Order, OrderLine, Stock, Tables,
    Warehouse, district_at,
};

/// The reject code of an order for an item that does not exist.
pub(super) const UNUSED_ITEM: u32 = 1;
/// The reject code of an order that does not fit into its district's region.
pub(super) const NO_ROOM: u32 = 2;
/// What fills up a stock that gets low.
pub(super) const FILL: u8 = 91;
/// One, in the units of rates.
const ONE: i64 = 10_000;

/// The arguments of a payment.
#[derive(Debug, Clone, Copy, GpuData)]
pub struct Payment {
    pub(super) warehouse: u16,
    pub(super) district: u8,
    pub(super) customer: u32,
    pub(super) customer_district: u8,
    pub(super) customer_warehouse: u16,
    pub(super) amount: i64,
    /// The row of the history that it writes.
    pub(super) row: u32,
    pub(super) date: u32,
}

/// One line of an order.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(super) struct Line {
    pub(super) item: u32,
    pub(super) supply_warehouse: u16,
    pub(super) quantity: u8,
}

/// The arguments of an order.
#[derive(Debug, Clone, Copy, GpuData)]
pub struct Request {
    pub(super) warehouse: u16,
    pub(super) district: u8,
    pub(super) customer: u32,
    pub(super) date: u32,
    /// The number of lines that are used.
    pub(super) count: u8,
    pub(super) lines: [Line; LINES],
}

impl Request {
    /// Returns the lines that are used.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().take(usize::from(self.count))
    }
}

/// The result of an order.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(super) struct Receipt {
    pub(super) order: u32,
    pub(super) total: i64,
    /// A bit for each line whose item and stock are both original.
    pub(super) brands: u32,
}

/// Returns the row of the history for a payment.
#[gpu_fn]
pub(super) fn history_of(pays: Payment) -> History {
    History {
        customer: pays.customer,
        customer_district: pays.customer_district,
        customer_warehouse: pays.customer_warehouse,
        district: pays.district,
        warehouse: pays.warehouse,
        date: pays.date,
        amount: pays.amount,
    }
}

/// Pays an amount; returns the customer's balance after that.
#[gpu_transaction]
fn payment(
    tx: &mut Tx,
    warehouses: &Shared<Warehouse>,
    districts: &Shared<District>,
    customers: &Shared<Customer>,
    history: &Shared<History>,
    pays: Payment,
) -> TxResult<i64> {
    let Payment { warehouse, district, customer_warehouse, customer_district, amount, .. } = pays;
    tx.update(&warehouses.ytd, warehouse, |ytd| ytd + amount)?;
    tx.update(&districts.ytd, district_at(warehouse, district), |ytd| ytd + amount)?;

    let each = customers.len() / districts.len();
    let at = district_at(customer_warehouse, customer_district) * each + pays.customer as usize;
    let customer = tx.read(customers, at)?;
    let balance = customer.balance - amount;
    tx.write(&customers.balance, at, balance)?;
    tx.write(&customers.ytd_payment, at, customer.ytd_payment + amount)?;
    tx.write(&customers.payments, at, customer.payments + 1)?;
    if customer.credit == Credit::Bad {
        tx.write(&customers.data, at, (warehouse, district, amount))?;
    }

    tx.write(history, pays.row, history_of(pays))?;
    Ok(balance)
}

/// Returns the row of an order: its own warehouse supplies all of its lines, or not.
#[gpu_fn]
pub(super) fn order_of(asked: Request, id: u32) -> Order {
    let mut all_local = true;
    for (k, &line) in asked.lines.iter().enumerate() {
        all_local &= k >= asked.count as usize || line.supply_warehouse == asked.warehouse;
    }
    Order {
        id,
        district: asked.district,
        warehouse: asked.warehouse,
        customer: asked.customer,
        entry_date: asked.date,
        carrier: None,
        lines: asked.count,
        all_local,
    }
}

/// Returns the row of an order's line.
#[gpu_fn]
pub(super) fn line_of(order: Order, number: usize, line: Line, amount: i64) -> OrderLine {
    OrderLine {
        order: order.id,
        district: order.district,
        warehouse: order.warehouse,
        number: number as u8,
        item: line.item,
        supply_warehouse: line.supply_warehouse,
        delivery_date: None,
        quantity: line.quantity,
        amount,
    }
}

/// Returns what an order costs, with discount and tax.
#[gpu_fn]
pub(super) fn total(sum: i64, discount: i64, tax: i64) -> i64 {
    sum * (ONE - discount) * (ONE + tax) / (ONE * ONE)
}

/// Takes a line's quantity out of stock, which is filled up where it gets low; returns whether the stock is original.
#[gpu_fn]
fn take(tx: &mut Tx, stocks: &Shared<Stock>, at: usize, line: Line, is_remote: bool) -> TxResult<bool> {
    let stock = tx.read(stocks, at)?;
    let fill = if stock.quantity >= line.quantity + 10 { 0 } else { FILL };
    let after = Stock {
        quantity: stock.quantity + fill - line.quantity,
        ytd: stock.ytd + line.quantity as u32,
        orders: stock.orders + 1,
        remotes: stock.remotes + is_remote as u32,
        ..stock
    };
    tx.write(stocks, at, after)?;
    Ok(stock.is_original)
}

/// Enters an order.
#[gpu_transaction]
#[allow(clippy::too_many_arguments, reason = "each table is one")]
fn new_order(
    tx: &mut Tx,
    warehouses: &Shared<Warehouse>,
    districts: &Shared<District>,
    customers: &Shared<Customer>,
    new_orders: &Shared<NewOrder>,
    orders: &Shared<Order>,
    order_lines: &Shared<OrderLine>,
    items: &Shared<Item>,
    stocks: &Shared<Stock>,
    asked: Request,
) -> TxResult<Receipt> {
    let Request { warehouse, district, .. } = asked;
    let place = district_at(warehouse, district);
    let tax = tx.read(&warehouses.tax, warehouse)? + tx.read(&districts.tax, place)?;
    let id = tx.read(&districts.next_order, place)?;
    tx.write(&districts.next_order, place, id + 1)?;
    let customer = tx.read(customers, place * (customers.len() / districts.len()) + asked.customer as usize)?;

    let room = orders.len() / districts.len();
    let number = (id - FIRST_ORDER) as usize;
    if number >= room {
        return tx.reject(NO_ROOM);
    }
    let row = place * room + number;
    let order = order_of(asked, id);
    tx.write(orders, row, order)?;
    tx.write(new_orders, row, NewOrder { order: id, district, warehouse })?;

    let (mut sum, mut brands) = (0, 0);
    for (k, &line) in asked.lines.iter().enumerate() {
        if k >= asked.count as usize {
            break;
        }
        if line.item as usize >= items.len() {
            return tx.reject(UNUSED_ITEM);
        }
        let item = tx.read(items, line.item)?;
        let stock = line.supply_warehouse as usize * items.len() + line.item as usize;
        let is_original = take(tx, stocks, stock, line, line.supply_warehouse != warehouse)?;
        if is_original && item.is_original {
            brands |= 1 << k;
        }
        let amount = item.price * line.quantity as i64;
        tx.write(order_lines, row * LINES + k, line_of(order, k, line, amount))?;
        sum += amount;
    }
    Ok(Receipt { order: id, total: total(sum, customer.discount, tax), brands })
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub enum Transaction {
    /// A payment.
    Payment(Payment),
    /// An order.
    NewOrder(Request),
}

/// Adds a transaction to the batch.
pub(super) fn push(batch: &mut Batch, tables: &Tables, transaction: Transaction) {
    let Tables { warehouses, districts, customers, history, new_orders, orders, order_lines, items, stocks, .. } =
        tables;
    match transaction {
        Transaction::Payment(pays) => _ = batch.push(payment::call(warehouses, districts, customers, history, pays)),
        Transaction::NewOrder(asked) => {
            let call = new_order::call(
                warehouses,
                districts,
                customers,
                new_orders,
                orders,
                order_lines,
                items,
                stocks,
                asked,
            );
            batch.push(call);
        }
    }
}
