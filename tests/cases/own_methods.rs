//! Methods of records and enums, and of a trait.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
pub struct Order {
    pub price: i64,
    pub count: u32,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(u8)]
pub enum Kind {
    Usual,
    Urgent,
}

#[gpu_fn]
impl Kind {
    /// `self` is copied.
    pub fn surcharge(self) -> i64 {
        match self {
            Kind::Usual => 0,
            Kind::Urgent => Order::FEE,
        }
    }
}

#[gpu_fn]
impl Order {
    pub const FEE: i64 = 5;

    pub fn new(price: i64, kind: Kind) -> Self {
        Self { price, count: 0, kind }
    }

    pub fn cost(&self, pieces: u32) -> i64 {
        self.price * pieces as i64 + self.kind.surcharge()
    }

    /// Changes the caller's variable.
    pub fn add(&mut self, pieces: u32) -> u32 {
        self.count += pieces;
        self.count
    }

    /// A method with the handle.
    pub fn pay(&self, tx: &mut Tx, accounts: &Shared<i64>, from: u32) -> TxResult<i64> {
        let balance = tx.read(accounts, from)?;
        let cost = self.cost(self.count);
        tx.guard(balance >= cost)?;
        tx.write(accounts, from, balance - cost)?;
        Ok(cost)
    }
}

pub trait Weigh {
    const UNIT: u32;

    fn weight(&self) -> u32;
}

#[gpu_fn]
impl Weigh for Order {
    const UNIT: u32 = 3;

    fn weight(&self) -> u32 {
        self.count * Self::UNIT
    }
}

/// Every sort of receiver and of call.
#[gpu_transaction]
pub fn buy(tx: &mut Tx, orders: &Shared<Order>, accounts: &Shared<i64>, at: u32, pieces: u32) -> TxResult<(i64, u32)> {
    let mut order = tx.read(orders, at)?;
    if order.add(pieces) > 9 {
        order = Order::new(order.price, Kind::Urgent);
    }
    let cost = order.pay(tx, accounts, at)?;
    tx.write(orders, at, order)?;
    Ok((cost + tx.read(orders, at + 1)?.cost(1), order.weight() + <Order as Weigh>::UNIT))
}

/// The type of the receiver is that of a field, and of a result.
#[gpu_transaction]
pub fn compare(tx: &mut Tx, orders: &Shared<Order>, best: Option<Order>) -> TxResult<i64> {
    let other = tx.read(&orders.kind, 0)?;
    let best = match best {
        Some(order) => order,
        None => Order::new(1, other),
    };
    Ok(best.kind.surcharge() + Order::new(2, other).kind.surcharge() + best.cost(1))
}

/// What can be booked: default methods change the record.
#[gpu_fn]
pub trait Booked {
    fn count_mut(&mut self, to: u32);

    fn booked(&self) -> u32;

    fn book(&mut self, more: u32) -> u32 {
        let before = self.booked();
        self.count_mut(before + more);
        before
    }

    fn cancel(&mut self, all: bool) -> u32 {
        if all { self.book(0) } else { self.book(1) }
    }
}

#[gpu_fn]
impl Booked for Order {
    fn count_mut(&mut self, to: u32) {
        self.count = to;
    }

    fn booked(&self) -> u32 {
        self.count
    }

    /// In place of the default one.
    fn cancel(&mut self, all: bool) -> u32 {
        if all {
            self.count = 0;
        }
        self.count
    }
}

/// Only the trait is known.
#[gpu_fn]
pub fn book_two<T: Booked + Copy>(one: &mut T, pieces: u32) -> u32 {
    one.book(pieces) + one.cancel(pieces > 5)
}

#[gpu_transaction]
pub fn reserve(tx: &mut Tx, orders: &Shared<Order>, at: u32, pieces: u32) -> TxResult<u32> {
    let mut order = tx.read(orders, at)?;
    let before = order.book(pieces);
    let sum = book_two(&mut order, pieces);
    tx.write(orders, at, order)?;
    Ok(before + sum)
}
