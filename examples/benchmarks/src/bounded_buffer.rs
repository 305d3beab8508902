//! Producers put values into a ring, and consumers take them out.
//!
//! Source: a port of PR-STM to CUDA (in Russian), section 4.4: N = 10 producers, M = 20 consumers, k = 100,000 values; and section
//! 5, which stresses that the values have another type than the counters. All transactions are semantic: a producer waits while the
//! ring is full, a consumer while it is empty; once all producers are done, a consumer receives that result.
//!
//! The batch determines the number of values: with R transactions, (R - N - M) / 2. The paper's 100,000 are 200,030 transactions.
//! One transaction ends each producer, and each consumer has at least one that can see the end.
//!
//! Invariant: every value comes out once, in the order in which the values went in, and those of one producer in the order in
//! which it made them.

use clap::Args;
use stm_bench::{Benchmark, Rng};
use stm_runtime::prelude::*;

use super::ending::{expect, nothing_fails, result};
use super::fill::{contents, elements};

/// Indices of the counters: values taken out, values put in, and producers that are done.
const OUT: u32 = 0;
const IN: u32 = 1;
const DONE: u32 = 2;

/// Returns the nth value of a producer.
#[gpu_fn]
fn value(producer: u32, number: u32) -> u64 {
    (producer as u64) << 32 | number as u64
}

/// Puts a producer's next value in; returns its place in the order of all values.
#[gpu_transaction]
fn put(tx: &mut Tx, ring: &Shared<u64>, ends: &Shared<u32>, made: &Shared<u32>, producer: u32) -> TxResult<u32> {
    let last = tx.read(ends, IN)?;
    let held = last - tx.read(ends, OUT)?;
    tx.guard((held as usize) < ring.len())?;
    let number = tx.read(made, producer)?;
    tx.write(ring, last as usize % ring.len(), value(producer, number))?;
    tx.write(made, producer, number + 1)?;
    tx.write(ends, IN, last + 1)?;
    Ok(last)
}

/// Ends a producer.
#[gpu_transaction]
fn finish(tx: &mut Tx, ends: &Shared<u32>, made: &Shared<u32>, producer: u32, values: u32) -> TxResult {
    tx.guard(tx.read(made, producer)? == values)?;
    tx.update(ends, DONE, |done| done + 1)
}

/// Takes the oldest value out, with its place; returns `None` at the end.
#[gpu_transaction]
fn get(
    tx: &mut Tx,
    ring: &Shared<u64>,
    ends: &Shared<u32>,
    taken: &Shared<u32>,
    consumer: u32,
    producers: u32,
) -> TxResult<Option<(u32, u64)>> {
    let first = tx.read(ends, OUT)?;
    if tx.read(ends, IN)? == first {
        tx.guard(tx.read(ends, DONE)? == producers)?;
        return Ok(None);
    }
    let value = tx.read(ring, first as usize % ring.len())?;
    tx.write(ends, OUT, first + 1)?;
    tx.update(taken, consumer, |count| count + 1)?;
    Ok(Some((first, value)))
}

/// Producers and consumers at one ring, which wait while it is full or empty
#[derive(Debug, Clone, Args)]
pub struct BoundedBuffer {
    /// Producers
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub producers: u32,
    /// Consumers
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub consumers: u32,
    /// Values that the ring has room for
    #[arg(long, default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..))]
    pub capacity: u32,
}

/// The ring and its counters.
#[derive(Debug)]
pub struct Buffer {
    pub(super) ring: Shared<u64>,
    pub(super) ends: Shared<u32>,
    pub(super) made: Shared<u32>,
    pub(super) taken: Shared<u32>,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub enum Transaction {
    /// The producer puts its next value in.
    Put(u32),
    /// The producer ends, after that many values.
    Finish(u32, u32),
    /// The consumer takes a value out.
    Get(u32),
}

impl Benchmark for BoundedBuffer {
    const NAME: &'static str = "bounded-buffer";
    const SUMMARY: &'static str = "producers and consumers at one ring, which wait while it is full or empty";
    const SOURCE: &'static str = "a port of PR-STM to CUDA (in Russian), sections 4.4 and 5";

    type State = Buffer;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Buffer, Error> {
        let zeros = |len: u32| elements(len as usize, |_| 0_u32);
        Ok(Buffer {
            ring: device.shared(&elements(self.capacity as usize, |_| 0_u64)?)?,
            ends: device.shared(&[0; 3])?,
            made: device.shared(&zeros(self.producers)?)?,
            taken: device.shared(&zeros(self.consumers)?)?,
        })
    }

    fn transaction(&self, _rng: &mut Rng, number: u64) -> Transaction {
        let of = |count: u32| (number / 2 % u64::from(count.max(1))) as u32;
        if number.is_multiple_of(2) {
            Transaction::Put(of(self.producers))
        } else {
            Transaction::Get(of(self.consumers))
        }
    }

    fn push(&self, buffer: &Buffer, transaction: Transaction, batch: &mut Batch) {
        let Buffer { ring, ends, made, taken } = buffer;
        match transaction {
            Transaction::Put(producer) => _ = batch.push(put::call(ring, ends, made, producer)),
            Transaction::Finish(producer, values) => _ = batch.push(finish::call(ends, made, producer, values)),
            Transaction::Get(consumer) => _ = batch.push(get::call(ring, ends, taken, consumer, self.producers)),
        }
    }

    /// Replaces the last transactions by the ends of the producers and one each for the consumers. Only here is their number known.
    fn arrange(&self, transactions: &mut Vec<Transaction>) {
        let values = transactions.len().saturating_sub((self.producers + self.consumers) as usize) / 2;
        let end = 2 * values;
        let of_each =
            |producer: u32| values as u32 / self.producers + u32::from(producer < values as u32 % self.producers);
        for (at, transaction) in transactions.iter_mut().enumerate().skip(end) {
            let after = (at - end) as u32;
            *transaction = match after < self.producers {
                true => Transaction::Finish(after, of_each(after)),
                false => Transaction::Get((after - self.producers) % self.consumers),
            };
        }
    }

    fn check(&self, buffer: &Buffer, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        nothing_fails(report)?;
        let log = Log::of(report, transactions);
        let (puts, gets) = (log.puts.len(), log.gets.len());
        expect(contents(&buffer.ends)? == [gets as u32, puts as u32, log.ends], || {
            format!("the counters do not say {gets} out, {puts} in, {} producers done", log.ends)
        })?;
        self.in_order(&log, &contents(&buffer.ring)?)?;
        let (made, taken) = (contents(&buffer.made)?, contents(&buffer.taken)?);
        let counts = |of: &[u32], count: usize| of.iter().map(|own| *own as usize).sum::<usize>() == count;
        expect(counts(&made, puts) && counts(&taken, gets), || "a producer or consumer has a wrong count".to_owned())
    }
}

impl BoundedBuffer {
    /// Checks that every value came out, or is still in the ring, at the place where it went in.
    fn in_order(&self, log: &Log, ring: &[u64]) -> Result<(), String> {
        let mut next = vec![0; self.producers as usize];
        for (at, (place, producer)) in log.puts.iter().enumerate() {
            expect(*place as usize == at, || format!("no value or two went in as number {at}"))?;
            let want = value(*producer, next[*producer as usize]);
            next[*producer as usize] += 1;
            // Values that are still in the ring come after those that came out.
            let (from, found) = log.gets.get(at).map_or((at as u32, ring[at % ring.len()]), |out| *out);
            expect(from as usize == at, || format!("value {at} came out never or twice"))?;
            expect(found == want, || format!("{found:#x} came out as number {at}, and {want:#x} went in"))?;
        }
        expect(log.gets.len() <= log.puts.len(), || "more values came out than went in".to_owned())
    }
}

/// The committed transactions, by place.
struct Log {
    puts: Vec<(u32, u32)>,
    gets: Vec<(u32, u64)>,
    ends: u32,
}

impl Log {
    fn of(report: &Report, transactions: &[Transaction]) -> Log {
        let mut log = Log { puts: Vec::new(), gets: Vec::new(), ends: 0 };
        for (at, transaction) in transactions.iter().enumerate() {
            match *transaction {
                Transaction::Put(producer) => log.puts.extend(result::<u32>(report, at).map(|place| (place, producer))),
                Transaction::Get(_) => log.gets.extend(result::<Option<(u32, u64)>>(report, at).flatten()),
                Transaction::Finish(..) => log.ends += u32::from(result::<()>(report, at).is_some()),
            }
        }
        log.puts.sort_unstable();
        log.gets.sort_unstable();
        log
    }
}
