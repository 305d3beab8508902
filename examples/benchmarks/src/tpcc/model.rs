//! The rows that committed transactions leave, in whatever order they ran.

use super::Tpcc;
use super::procedures::{FILL, Payment, Receipt, Request, history_of, line_of, order_of, total};
use super::start;
use super::tables::{Credit, FIRST_ORDER, LINES, NewOrder, Rows, Stock, district_at};
use crate::ending::expect;

/// The rows, without the quantities in stock, which depend on the order of the transactions.
pub(super) struct Model {
    pub(super) rows: Rows,
    /// The lowest balance of each customer that a payment returned, which is that of the last payment.
    lowest: Vec<i64>,
    /// Places for orders of each district.
    room: usize,
}

impl Model {
    /// Returns the population.
    pub(super) fn new(of: &Tpcc, seed: u64) -> Result<Model, String> {
        let rows = start::rows(of, seed).map_err(|why| why.to_string())?;
        let lowest = rows.customers.iter().map(|customer| customer.balance).collect();
        Ok(Model { rows, lowest, room: of.orders_of_district() })
    }

    /// Applies a payment that committed.
    pub(super) fn pay(&mut self, pays: Payment, balance: i64) {
        let Payment { warehouse, district, amount, .. } = pays;
        self.rows.warehouses[usize::from(warehouse)].ytd += amount;
        self.rows.districts[district_at(warehouse, district)].ytd += amount;
        let at = self.customer_at(pays.customer_warehouse, pays.customer_district, pays.customer);
        let customer = &mut self.rows.customers[at];
        customer.balance -= amount;
        customer.ytd_payment += amount;
        customer.payments += 1;
        if balance < self.lowest[at] {
            self.lowest[at] = balance;
            if customer.credit == Credit::Bad {
                customer.data = (warehouse, district, amount);
            }
        }
        self.rows.history[pays.row as usize] = history_of(pays);
    }

    /// Checks that the last payment of each customer returned the balance after all payments.
    pub(super) fn last_payments(&self) -> Result<(), String> {
        for (at, (customer, lowest)) in self.rows.customers.iter().zip(&self.lowest).enumerate() {
            let balance = customer.balance;
            expect(balance == *lowest, || format!("customer {at} has {balance}, and the last payment left {lowest}"))?;
        }
        Ok(())
    }

    /// Applies an order that committed.
    pub(super) fn order(&mut self, asked: &Request, receipt: Receipt) -> Result<(), String> {
        let Request { warehouse, district, .. } = *asked;
        let place = district_at(warehouse, district);
        let number = receipt.order.checked_sub(FIRST_ORDER).map_or(usize::MAX, |number| number as usize);
        expect(number < self.room, || format!("the order got number {}, for which is no room", receipt.order))?;
        let row = place * self.room + number;
        expect(self.rows.orders[row].id == 0, || format!("two orders of a district got number {}", receipt.order))?;
        let order = order_of(*asked, receipt.order);
        self.rows.orders[row] = order;
        self.rows.new_orders[row] = NewOrder { order: receipt.order, district, warehouse };
        self.rows.districts[place].next_order += 1;

        let (mut sum, mut brands) = (0, 0);
        for (k, line) in asked.lines().enumerate() {
            let item = self.rows.items[line.item as usize];
            let stock = usize::from(line.supply_warehouse) * self.rows.items.len() + line.item as usize;
            let stock = &mut self.rows.stocks[stock];
            stock.ytd += u32::from(line.quantity);
            stock.orders += 1;
            stock.remotes += u32::from(line.supply_warehouse != warehouse);
            brands |= u32::from(stock.is_original && item.is_original) << k;
            let amount = item.price * i64::from(line.quantity);
            self.rows.order_lines[row * LINES + k] = line_of(order, k, *line, amount);
            sum += amount;
        }
        let tax = self.rows.warehouses[usize::from(warehouse)].tax + self.rows.districts[place].tax;
        let discount = self.rows.customers[self.customer_at(warehouse, district, asked.customer)].discount;
        let want = Receipt { order: receipt.order, total: total(sum, discount, tax), brands };
        expect(receipt == want, || format!("the receipt is {receipt:?} and not {want:?}"))
    }

    fn customer_at(&self, warehouse: u16, district: u8, customer: u32) -> usize {
        let each = self.rows.customers.len() / self.rows.districts.len();
        district_at(warehouse, district) * each + customer as usize
    }
}

/// Returns whether a stock can be that of the model, which still has the first quantity: it was filled up some number of times.
pub(super) fn fits(found: &Stock, model: &Stock) -> bool {
    let fill = i64::from(FILL);
    let taken = i64::from(model.quantity) - i64::from(model.ytd);
    let is_filled = (i64::from(found.quantity) - taken) % fill == 0 && (10..=100).contains(&found.quantity);
    is_filled && Stock { quantity: model.quantity, ..*found } == *model
}
