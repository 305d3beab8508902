//! A set-associative cache that evicts the least recently used slot.
//!
//! Source: CSMV, section IV-A, figure 2 and tables III and IV, after MemcachedGPU: 1 M items, keys of 16 and values of 32 bytes, 4
//! to 256 ways, Zipf, 99.8 % GET. A GET only reads, as in CSMV; with `--touch` it also records the use, as in MemcachedGPU. The
//! cache is full at the start, with the most popular keys.
//!
//! Invariant: no key is twice in the cache, each is in its set, a slot without a key was never used; every value in the cache or in
//! a result was put for that key by a committed transaction; and every put value replaced one of the start.

use std::collections::{HashMap, HashSet};

use clap::Args;
use stm_bench::{Benchmark, Distribution, Rng, RngExt, Zipf};
use stm_runtime::{Batch, Device, Error, Report};

use super::ending::{committed, expect, nothing_fails, result};
use super::fill::{contents, elements};
use super::memcached_procedures::{Slots, Transaction, Value, push, set_of};
use super::size::Size;

/// The time of a slot that was never used.
const NEVER: u32 = 0;
/// The time at which the slots were filled.
const START: u32 = 1;

/// GET and PUT on a cache with sets of several ways
#[derive(Debug, Clone, Args)]
pub struct Memcached {
    /// Slots; rounded up to whole sets
    #[arg(long, default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    pub slots: u32,
    /// Slots of a set: 4, 8, 16 .. 256
    #[arg(long, default_value = "4")]
    pub ways: Size<4, 256>,
    /// Keys that are asked for
    #[arg(long, default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub keys: u32,
    /// Zipf's exponent: 0 for keys that are all alike
    #[arg(long, default_value_t = 0.99, value_parser = super::size::exponent)]
    pub theta: f64,
    /// Percentage of the transactions that are GET
    #[arg(long, default_value_t = 99.8, value_parser = super::size::percentage)]
    pub gets: f64,
    /// A GET notes that the slot was used
    #[arg(long)]
    pub touch: bool,
    /// Words under one lock word
    #[arg(long, default_value_t = 1)]
    pub coverage: usize,
}

impl Benchmark for Memcached {
    const NAME: &'static str = "memcached";
    const SUMMARY: &'static str = "GET and PUT on a cache with sets of several ways";
    const SOURCE: &'static str = "CSMV, section IV-A, figure 2, tables III and IV";

    type State = Slots;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Slots, Error> {
        let ways = self.ways.get() as usize;
        let slots = (self.slots as usize).next_multiple_of(ways);
        let mut keys = elements(slots, |_| (0, 0))?;
        let mut values = elements(slots, |_| [0; 4])?;
        let mut used = elements(slots, |_| NEVER)?;
        for item in 1..=self.keys {
            let key = Transaction::key(item);
            let first = set_of(key, slots, ways);
            if let Some(at) = (first..first + ways).find(|at| used[*at] == NEVER) {
                (keys[at], used[at]) = (key, START);
                values[at] = Transaction { item, put: true, now: START }.value();
            }
        }
        Ok(Slots {
            keys: device.shared_with(&keys, self.coverage)?,
            values: device.shared_with(&values, self.coverage)?,
            used: device.shared_with(&used, self.coverage)?,
        })
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Transaction {
        let rank = Zipf::new(f64::from(self.keys.max(1)), self.theta).map_or(1, |rank| rank.sample(rng) as u32);
        let put = !rng.random_bool((self.gets / 100.0).clamp(0.0, 1.0));
        Transaction { item: rank, put, now: u32::try_from(number).unwrap_or(u32::MAX).saturating_add(START + 1) }
    }

    fn push(&self, cache: &Slots, transaction: Transaction, batch: &mut Batch) {
        push(batch, cache, self.ways.get(), transaction, self.touch);
    }

    fn check(&self, cache: &Slots, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        nothing_fails(report)?;
        let done =
            transactions.iter().enumerate().filter(|(at, transaction)| transaction.put && committed(report, *at));
        let mut puts: HashMap<u64, HashSet<Value>> = HashMap::new();
        done.for_each(|(_, transaction)| {
            _ = puts.entry(u64::from(transaction.item)).or_default().insert(transaction.value())
        });
        // The time of the result is unknown: the first GET may return the value of the start.
        let was_put = |item: u32, value: Value| {
            let first = Transaction { item, put: true, now: START }.value();
            value == first || puts.get(&u64::from(item)).is_some_and(|values| values.contains(&value))
        };
        for (at, transaction) in transactions.iter().enumerate().filter(|(_, transaction)| !transaction.put) {
            let got = result::<Option<Value>>(report, at).flatten();
            let fits = got.is_none_or(|value| was_put(transaction.item, value));
            expect(fits, || {
                format!("transaction {at} got {got:?} for item {}, which no transaction stored", transaction.item)
            })?;
        }
        self.check_slots(cache, &puts)
    }
}

impl Memcached {
    fn check_slots(&self, cache: &Slots, puts: &HashMap<u64, HashSet<Value>>) -> Result<(), String> {
        let ways = self.ways.get() as usize;
        let (keys, values, used) = (contents(&cache.keys)?, contents(&cache.values)?, contents(&cache.used)?);
        let mut seen = HashSet::new();
        let mut free = HashSet::new();
        for (at, (&key, &value)) in keys.iter().zip(&values).enumerate() {
            let first = set_of(key, keys.len(), ways);
            if used[at] == NEVER {
                expect((key, value) == ((0, 0), [0; 4]), || format!("slot {at} was never used, and holds {key:?}"))?;
                free.insert(at / ways);
                continue;
            }
            let item = key.1 as u32;
            expect(key == Transaction::key(item), || format!("slot {at} has {key:?}, which is no key"))?;
            expect((first..first + ways).contains(&at), || format!("item {item} is in slot {at}, not in its set"))?;
            expect(seen.insert(key), || format!("item {item} is in the cache twice"))?;
            let fits = match puts.get(&key.1) {
                Some(values) => values.contains(&value),
                None => value == Transaction { item, put: true, now: START }.value(),
            };
            expect(fits, || format!("item {item} has {value:?}, and nobody who committed put that"))?;
        }
        // A key is evicted only for another one, if there is no free slot.
        let key_of = |item: &u64| Transaction::key(*item as u32);
        let lost = puts.keys().find(|item| {
            let set = set_of(key_of(item), keys.len(), ways) / ways;
            !seen.contains(&key_of(item)) && free.contains(&set)
        });
        expect(lost.is_none(), || format!("item {lost:?} was put, and neither is there nor was there no room"))
    }
}
