//! Measures the ways to fill a batch, and how far the times of a report add up to the time of the call:
//! `cargo bench -p stm-runtime --bench filling -- [transactions] [rounds]`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use stm_runtime::prelude::*;
use support::Random;
use support::waiting::transfer;

/// The values of a transfer as one record.
#[derive(Clone, Copy, GpuData)]
struct Payment {
    from: u32,
    to: u32,
    amount: i64,
}

#[gpu_transaction]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, payment: Payment) -> TxResult {
    tx.update(accounts, payment.from, |balance| balance - payment.amount)?;
    tx.update(accounts, payment.to, |balance| balance + payment.amount)
}

fn filled_by_columns<'a>(
    device: &Device,
    accounts: &Shared<i64>,
    [from, to]: [&'a [u32]; 2],
    amount: &'a [i64],
) -> Result<Batch<'a>, Error> {
    let mut batch = device.batch();
    batch.push_columns(transfer::columns(accounts, from, to, amount))?;
    Ok(batch)
}

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let (n, rounds) = (number(0, 16 << 20), number(1, 5));
    let mut random = Random::new(1);
    let from: Vec<u32> = (0..n).map(|_| random.below(1000)).collect();
    let to: Vec<u32> = (0..n).map(|_| random.below(1000)).collect();
    let amount: Vec<i64> = (0..n).map(|_| i64::from(random.below(100))).collect();
    let rows = from.iter().zip(&to).zip(&amount);
    let payments: Vec<Payment> =
        rows.map(|((from, to), amount)| Payment { from: *from, to: *to, amount: *amount }).collect();
    let device = Device::cpu(1);
    let accounts = device.shared(&vec![1_000_000_i64; 1000])?;
    let batch = filled_by_columns(&device, &accounts, [&from, &to], &amount)?;
    for _ in 0..2 {
        let start = Instant::now();
        let report = batch.run()?;
        let whole = start.elapsed();
        println!("run: {whole:.2?}, {:.2?} in the report: {:.2?}", report.times.total, report.times.by_part());
    }
    println!("{n} transfers; nanoseconds for each:");
    println!("{:>8} {:>10} {:>8} {:>8} {:>8} {:>8}", "push", "reserved", "refill", "extend", "columns", "records");
    let each = |start: Instant| start.elapsed().as_secs_f64() * 1e9 / n as f64;
    let calls = || {
        let rows = from.iter().zip(&to).zip(&amount);
        rows.map(|((from, to), amount)| transfer::call(&accounts, *from, *to, *amount))
    };
    for _ in 0..rounds {
        let start = Instant::now();
        let mut batch = device.batch();
        for call in calls() {
            batch.push(call);
        }
        let pushed = each(start);
        let start = Instant::now();
        let mut batch = device.batch_with_capacity(n)?;
        for call in calls() {
            batch.push(call);
        }
        let reserved = each(start);
        batch.clear();
        let start = Instant::now();
        for call in calls() {
            batch.push(call);
        }
        let refilled = each(start);
        drop(batch);
        let start = Instant::now();
        let mut batch = device.batch();
        batch.extend(calls());
        let extended = each(start);
        drop(batch);
        let start = Instant::now();
        drop(filled_by_columns(&device, &accounts, [&from, &to], &amount)?);
        let lent = each(start);
        let start = Instant::now();
        let mut batch = device.batch();
        batch.push_columns(pay::columns(&accounts, &payments))?;
        let records = each(start);
        println!("{pushed:8.2} {reserved:10.2} {refilled:8.2} {extended:8.2} {lent:8.2} {records:8.2}");
    }
    Ok(())
}
