//! Rooms that customers book and cancel.
//!
//! Source: thesis, section 5.5: 150,000 customers, 1,000 types of rooms with 150 rooms each, whose records lie 100 words apart, so
//! that a lock word that covers several words does not cover several types. A *semantic* booking waits while the type is sold out,
//! a semantic cancellation until the booking exists; the others reject, as STAMP's do.
//!
//! Every booking has one cancellation in the batch. So a semantic batch always completes: every booked room is released later.
//!
//! Invariant: of each type, free and booked rooms add up to all rooms; a customer has the room, if any, that the committed
//! transactions left. Every remaining transaction has to wait.

use std::collections::HashMap;

use clap::Args;
use rand::seq::SliceRandom;
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng};
use stm_runtime::prelude::*;

use super::ending::{committed, expect, no_faults, nothing_waits, stuck};
use super::fill::{contents, elements};
use super::order::{Order, sort_by_running};

/// The value for a customer without a room; others have the number of the type, from 1.
const NONE: u32 = 0;
/// The reject code of transactions that are not semantic.
const NOT_NOW: u32 = 1;

/// Books a room. `at` is the index of the type's record.
#[gpu_transaction]
fn book(
    tx: &mut Tx,
    free: &Shared<u32>,
    booked: &Shared<u32>,
    customer: u32,
    sort: u32,
    at: u32,
    waits: bool,
) -> TxResult {
    let rooms = tx.read(free, at)?;
    let can = tx.read(booked, customer)? == NONE && rooms > 0;
    tx.guard(can || !waits)?;
    if !can {
        return tx.reject(NOT_NOW);
    }
    tx.write(free, at, rooms - 1)?;
    tx.write(booked, customer, sort)
}

/// Cancels a booking.
#[gpu_transaction]
fn cancel(
    tx: &mut Tx,
    free: &Shared<u32>,
    booked: &Shared<u32>,
    customer: u32,
    sort: u32,
    at: u32,
    waits: bool,
) -> TxResult {
    let can = tx.read(booked, customer)? == sort;
    tx.guard(can || !waits)?;
    if !can {
        return tx.reject(NOT_NOW);
    }
    tx.update(free, at, |rooms| rooms + 1)?;
    tx.write(booked, customer, NONE)
}

/// Returns the number of free rooms of a type, and a customer's booking.
#[gpu_transaction]
fn query(tx: &mut Tx, free: &Shared<u32>, booked: &Shared<u32>, customer: u32, at: u32) -> TxResult<(u32, u32)> {
    Ok((tx.read(free, at)?, tx.read(booked, customer)?))
}

/// Rooms of a few types that many customers book and give back
#[derive(Debug, Clone, Args)]
pub struct Vacation {
    /// Customers
    #[arg(long, default_value_t = 150_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub customers: u32,
    /// Types of rooms
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub types: u32,
    /// Rooms of each type
    #[arg(long, default_value_t = 150)]
    pub rooms: u32,
    /// Words from one type's record to the next
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub apart: u32,
    /// Words under one lock word
    #[arg(long, default_value_t = 1)]
    pub coverage: usize,
    /// Percentage of the bookings and cancellations that wait rather than give up
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub semantic: u32,
    /// Percentage of the transactions that only read
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub read_only: u32,
    /// The order of the batch
    #[arg(long, value_enum, default_value_t = Order::General)]
    pub order: Order,
}

/// The records of the hotels and of the customers.
#[derive(Debug)]
pub struct Records {
    /// Free rooms of each type, `apart` words from each other.
    pub free: Shared<u32>,
    /// The booking of each customer.
    pub booked: Shared<u32>,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    what: What,
    customer: u32,
    /// From 1.
    sort: u32,
    waits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    Book,
    Cancel,
    Query,
}

impl Benchmark for Vacation {
    const NAME: &'static str = "vacation";
    const SUMMARY: &'static str = "rooms of a few types that many customers book and give back";
    const SOURCE: &'static str = "thesis, section 5.5";

    type State = Records;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Records, Error> {
        let words = (self.types * self.apart) as usize;
        let is_record = |at: usize| at.is_multiple_of(self.apart as usize);
        let free = elements(words, |at| if is_record(at) { self.rooms } else { 0 })?;
        let booked = elements(self.customers as usize, |_| NONE)?;
        let [free, booked] = [free, booked].map(|words| device.shared_with(&words, self.coverage));
        Ok(Records { free: free?, booked: booked? })
    }

    fn transaction(&self, rng: &mut Rng, _number: u64) -> Transaction {
        let reads = rng.random_range(0..100) < self.read_only;
        Transaction {
            what: if reads { What::Query } else { What::Book },
            customer: rng.random_range(0..self.customers.max(1)),
            sort: rng.random_range(1..=self.types.max(1)),
            waits: rng.random_range(0..100) < self.semantic,
        }
    }

    fn push(&self, Records { free, booked }: &Records, transaction: Transaction, batch: &mut Batch) {
        let Transaction { what, customer, sort, waits } = transaction;
        let at = (sort - 1) * self.apart;
        match what {
            What::Book => _ = batch.push(book::call(free, booked, customer, sort, at, waits)),
            What::Cancel => _ = batch.push(cancel::call(free, booked, customer, sort, at, waits)),
            What::Query => _ = batch.push(query::call(free, booked, customer, at)),
        }
    }

    fn arrange(&self, transactions: &mut Vec<Transaction>) {
        pair(transactions);
        if self.order == Order::Sorted {
            let mut model = Model::new(self);
            sort_by_running(transactions, |transaction| model.run(transaction) || !transaction.waits);
        }
    }

    fn check(&self, state: &Records, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        no_faults(report)?;
        let mut model = Model::new(self);
        let mut held: HashMap<(u32, u32), i64> = HashMap::new();
        for (_, transaction) in transactions.iter().enumerate().filter(|(at, _)| committed(report, *at)) {
            let change = match transaction.what {
                What::Book => 1,
                What::Cancel => -1,
                What::Query => 0,
            };
            *held.entry((transaction.customer, transaction.sort)).or_default() += change;
        }
        for ((customer, sort), count) in held.into_iter().filter(|(_, count)| *count != 0) {
            let fits = count == 1 && model.run(&Transaction { what: What::Book, customer, sort, waits: true });
            expect(fits, || format!("customer {customer} booked type {sort} {count} times more than given back"))?;
        }
        self.compare(state, &model)?;
        let count = |what| transactions.iter().filter(|transaction| transaction.what == what).count();
        if self.semantic == 100 && count(What::Book) == count(What::Cancel) {
            nothing_waits(report)?;
        }
        let idle = |(at, transaction): &(usize, &Transaction)| stuck(report, *at) && model.clone().run(transaction);
        let idle = transactions.iter().enumerate().find(idle);
        expect(idle.is_none(), || {
            format!("{:?} waits for something that is there", idle.map(|(_, transaction)| transaction))
        })
    }
}

impl Vacation {
    fn compare(&self, state: &Records, model: &Model) -> Result<(), String> {
        let apart = self.apart as usize;
        for (at, &free) in contents(&state.free)?.iter().enumerate() {
            let want = if at.is_multiple_of(apart) { model.free[at / apart] } else { 0 };
            expect(free == want, || format!("word {at} of the rooms is {free} and not {want}"))?;
        }
        for (customer, (found, want)) in contents(&state.booked)?.iter().zip(&model.booked).enumerate() {
            expect(found == want, || format!("customer {customer} has type {found} and not {want} (0: none)"))?;
        }
        Ok(())
    }
}

/// Pairs each booking with a cancellation: half of the transactions that are not queries, at random, become those of the other
/// half.
fn pair(transactions: &mut [Transaction]) {
    let is_booking = |at: &usize| transactions[*at].what == What::Book;
    let mut places: Vec<usize> = (0..transactions.len()).filter(is_booking).collect();
    let seed = transactions
        .first()
        .map_or(0, |transaction| u64::from(transaction.customer) << 32 | u64::from(transaction.sort));
    places.shuffle(&mut Rng::seed_from_u64(seed));
    for two in places.chunks_exact(2) {
        transactions[two[1]] = Transaction { what: What::Cancel, ..transactions[two[0]] };
    }
}

/// A model of the records on the host.
#[derive(Debug, Clone)]
struct Model {
    free: Vec<u32>,
    booked: Vec<u32>,
}

impl Model {
    fn new(of: &Vacation) -> Model {
        Model { free: vec![of.rooms; of.types as usize], booked: vec![NONE; of.customers as usize] }
    }

    /// Runs a transaction if it is enabled; returns whether it was.
    fn run(&mut self, transaction: &Transaction) -> bool {
        let (free, booked) =
            (&mut self.free[transaction.sort as usize - 1], &mut self.booked[transaction.customer as usize]);
        match transaction.what {
            What::Query => {}
            What::Book if *booked == NONE && *free > 0 => (*free, *booked) = (*free - 1, transaction.sort),
            What::Cancel if *booked == transaction.sort => (*free, *booked) = (*free + 1, NONE),
            What::Book | What::Cancel => return false,
        }
        true
    }
}
