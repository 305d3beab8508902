//! Measures the ways to fill a batch, and how far the times of a report add up to the time of the call:
//! `cargo bench -p stm-runtime --features rayon --bench filling -- [transactions] [rounds]`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use stm_runtime::prelude::*;
use stm_runtime::{Pipeline, PipelineOptions};
use support::Random;
use support::waiting::transfer;

/// What is measured: a batch filled in eight ways, and a pipeline in three.
const WAYS: [&str; 11] =
    ["push", "reserved", "refill", "extend", "parallel", "again", "columns", "records", "submit", "by two", "lists"];
/// Transfers that are submitted as lists at a time.
const LIST: usize = 4096;

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

/// The transfers, as lists of values and as a list of records.
struct Transfers {
    from: Vec<u32>,
    to: Vec<u32>,
    amount: Vec<i64>,
    payments: Vec<Payment>,
}

impl Transfers {
    fn new(count: usize) -> Transfers {
        let mut random = Random::new(1);
        let mut payment =
            |_| Payment { from: random.below(1000), to: random.below(1000), amount: i64::from(random.below(100)) };
        let payments: Vec<Payment> = (0..count).map(&mut payment).collect();
        Transfers {
            from: payments.iter().map(|payment| payment.from).collect(),
            to: payments.iter().map(|payment| payment.to).collect(),
            amount: payments.iter().map(|payment| payment.amount).collect(),
            payments,
        }
    }

    fn push_all(&self, batch: &mut Batch, accounts: &Shared<i64>) {
        for ((from, to), amount) in self.from.iter().zip(&self.to).zip(&self.amount) {
            batch.push(transfer::call(accounts, *from, *to, *amount));
        }
    }

    fn calls<'a>(&'a self, accounts: &'a Shared<i64>) -> impl ParallelIterator<Item = Call<'a, (), 1, 3>> {
        let rows = (&self.from, &self.to, &self.amount).into_par_iter();
        rows.map(|(from, to, amount)| transfer::call(accounts, *from, *to, *amount))
    }

    fn lend<'a>(&'a self, batch: &mut Batch<'a>, accounts: &Shared<i64>) -> Result<Tickets, Error> {
        batch.push_columns(transfer::columns(accounts, &self.from, &self.to, &self.amount))
    }

    /// Fills a batch in each way. Returns nanoseconds for each transfer.
    fn round(&self, device: &Device, accounts: &Shared<i64>) -> Result<[f64; 8], Error> {
        let each = |start: Instant| start.elapsed().as_secs_f64() * 1e9 / self.from.len() as f64;
        let start = Instant::now();
        let mut batch = device.batch();
        self.push_all(&mut batch, accounts);
        let pushed = each(start);
        let start = Instant::now();
        let mut batch = device.batch_with_capacity(self.from.len())?;
        self.push_all(&mut batch, accounts);
        let reserved = each(start);
        batch.clear();
        let start = Instant::now();
        self.push_all(&mut batch, accounts);
        let refilled = each(start);
        batch.clear();
        let start = Instant::now();
        let rows = self.from.iter().zip(&self.to).zip(&self.amount);
        batch.extend(rows.map(|((from, to), amount)| transfer::call(accounts, *from, *to, *amount)));
        let extended = each(start);
        let start = Instant::now();
        let mut batch = device.batch();
        batch.par_extend(self.calls(accounts));
        let together = each(start);
        batch.clear();
        let start = Instant::now();
        batch.par_extend(self.calls(accounts));
        let again = each(start);
        let start = Instant::now();
        let mut batch = device.batch();
        self.lend(&mut batch, accounts)?;
        let lent = each(start);
        let start = Instant::now();
        let mut batch = device.batch();
        batch.push_columns(pay::columns(accounts, &self.payments))?;
        Ok([pushed, reserved, refilled, extended, together, again, lent, each(start)])
    }

    /// Submits all transfers to a pipeline, from one thread, from two, and as lists. Returns nanoseconds for each transfer.
    fn submit(&self, pipeline: &Pipeline, accounts: &Shared<i64>) -> Result<[f64; 3], Error> {
        let all = |range: Range<usize>| {
            range.into_iter().try_for_each(|at| {
                let call = transfer::call(accounts, self.from[at], self.to[at], self.amount[at]);
                pipeline.submit(call).map(drop)
            })
        };
        let (count, mut each) = (self.from.len(), [0.0; 3]);
        for (way, each) in each.iter_mut().enumerate() {
            let start = Instant::now();
            match way {
                0 => all(0..count)?,
                1 => std::thread::scope(|scope| {
                    let other = scope.spawn(|| all(0..count / 2));
                    all(count / 2..count).and(other.join().expect("it does not panic"))
                })?,
                _ => (0..count).step_by(LIST).try_for_each(|at| {
                    let rows = at..count.min(at + LIST);
                    let (from, to, amount) = (&self.from[rows.clone()], &self.to[rows.clone()], &self.amount[rows]);
                    pipeline.submit_columns(transfer::columns(accounts, from, to, amount)).map(drop)
                })?,
            }
            *each = start.elapsed().as_secs_f64() * 1e9 / count as f64;
            pipeline.flush()?;
        }
        Ok(each)
    }
}

fn main() -> Result<(), Error> {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let (count, rounds) = (number(0, 16 << 20), number(1, 5));
    let transfers = Transfers::new(count);
    let device = Device::cpu(1);
    let accounts = device.shared(&[1_000_000_i64; 1000])?;
    let mut batch = device.batch();
    transfers.lend(&mut batch, &accounts)?;
    for _ in 0..2 {
        let start = Instant::now();
        let report = batch.run()?;
        let whole = start.elapsed();
        println!("run: {whole:.2?}, {:.2?} in the report: {:.2?}", report.times.total, report.times.by_part());
    }
    // Its runs end at once: only the way in is measured.
    let stopped = RunOptions::new().stop_when(Arc::new(AtomicBool::new(true)));
    let options = PipelineOptions::new().max_transactions(usize::MAX).max_delay(Duration::MAX).run(stopped);
    let pipeline = device.pipeline(options)?;
    println!("{count} transfers; nanoseconds for each:");
    println!("{}", WAYS.map(|way| format!("{way:>8}")).join(" "));
    let mut least = [f64::MAX; WAYS.len()];
    for _ in 0..rounds {
        let filled = transfers.round(&device, &accounts)?;
        let submitted = transfers.submit(&pipeline, &accounts)?;
        let times: [f64; WAYS.len()] =
            std::array::from_fn(|at| *filled.iter().chain(&submitted).nth(at).unwrap_or(&0.0));
        println!("{}", times.map(|time| format!("{time:8.2}")).join(" "));
        least.iter_mut().zip(times).for_each(|(least, time)| *least = least.min(time));
    }
    println!("{}  the least", least.map(|time| format!("{time:8.2}")).join(" "));
    Ok(())
}
