//! Insertions, deletions and searches of keys in a skip list.
//!
//! Source: thesis, section 5.6: 5 levels, 5,000 entries at the start, nodes in a pool that is allocated in advance (10 M there).
//! Keys are drawn from a range, as in TinySTM's set: with twice as many keys as entries, half of the insertions find their key and
//! half of the deletions do not, so the list keeps its length.
//!
//! Invariant: on each level keys ascend; the levels of a node are those from the lowest to its height; a key exists exactly if it
//! was inserted once more than deleted, counting the start; every search for a key that no transaction changed had the right
//! result.

use std::collections::{HashMap, HashSet};

use clap::Args;
use stm_bench::{Benchmark, Rng, RngExt, SeedableRng};
use stm_runtime::{Batch, Device, Error, Report, Shared};

use super::ending::{expect, nothing_fails, pool_has, result};
use super::fill::{contents, elements};
use super::skiplist_procedures::{Change, END, LEVELS, What, key_of, link, node_of, push};

/// Insertions, deletions and searches in a skip list of 5 levels
#[derive(Debug, Clone, Args)]
pub struct Skiplist {
    /// Entries at the start
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
    pub entries: u32,
    /// Keys that are drawn
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    pub keys: u32,
    /// Nodes of the pool: the head, the entries at the start, and one for each transaction
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub pool: u32,
    /// Percentage of the transactions that only look for a key
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub read_only: u32,
    /// One in this number of nodes reaches the next level
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=64))]
    pub fanout: u32,
    /// Links under one lock word
    #[arg(long, default_value_t = 1)]
    pub coverage: usize,
}

/// The list, and its initial contents.
#[derive(Debug)]
pub struct List {
    pub(super) links: Shared<u64>,
    /// Key and height of the first nodes, without the head.
    start: Vec<(u32, u32)>,
}

impl Benchmark for Skiplist {
    const NAME: &'static str = "skiplist";
    const SUMMARY: &'static str = "insertions, deletions and searches in a skip list of 5 levels";
    const SOURCE: &'static str = "thesis, section 5.6";

    type State = List;
    type Transaction = Change;

    fn setup(&self, device: &Device, seed: u64) -> Result<List, Error> {
        let mut rng = Rng::seed_from_u64(seed);
        let entries = self.first_entries();
        // Spread over the range, in ascending order: node 1 is the first.
        let key = |at: usize| (u64::from(self.keys) * at as u64 / u64::from(entries.max(1))) as u32;
        let start = elements(entries as usize, |at| (key(at), self.height(&mut rng)))?;
        let mut links = elements(self.pool as usize * LEVELS as usize, |_| link(END, 0))?;
        for level in 0..LEVELS {
            let mut last = 0;
            for (node, (key, _)) in (1..).zip(&start).filter(|(_, (_, height))| *height > level) {
                links[(last * LEVELS + level) as usize] = link(*key, node);
                last = node;
            }
        }
        Ok(List { links: device.shared_with(&links, self.coverage)?, start })
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Change {
        let what = match rng.random_range(0..100) < self.read_only {
            true => What::Search,
            false if rng.random() => What::Insert,
            false => What::Delete,
        };
        let node = u64::from(self.first_entries()) + 1 + number;
        let node = u32::try_from(node).unwrap_or(u32::MAX);
        Change { what, key: rng.random_range(0..self.keys.max(1)), node, height: self.height(rng) }
    }

    fn push(&self, list: &List, transaction: Change, batch: &mut Batch) {
        push(batch, &list.links, self.steps(), transaction);
    }

    fn check(&self, list: &List, report: &Report, transactions: &[Change]) -> Result<(), String> {
        pool_has(self.pool, transactions.iter().map(|transaction| transaction.node))?;
        nothing_fails(report)?;
        let heights: HashMap<u32, u32> = (1..).zip(&list.start).map(|(node, (_, height))| (node, *height)).collect();
        let heights =
            transactions.iter().map(|transaction| (transaction.node, transaction.height)).chain(heights).collect();
        let found = check_levels(&contents(&list.links)?, &heights)?;
        check_keys(&found, list, report, transactions)
    }
}

impl Skiplist {
    /// Returns the number of entries at the start: at most the number of keys, and of nodes without the head.
    fn first_entries(&self) -> u32 {
        self.entries.min(self.keys).min(self.pool.saturating_sub(1))
    }

    fn height(&self, rng: &mut Rng) -> u32 {
        (1..LEVELS).find(|_| rng.random_range(0..self.fanout.max(2)) != 0).unwrap_or(LEVELS)
    }

    /// Returns a bound on the links of a search: the whole highest level with all keys present, and far more steps on the others
    /// than is likely. A search that needs more faults.
    fn steps(&self) -> u32 {
        let highest = self.keys / self.fanout.max(2).pow(LEVELS - 1);
        highest.saturating_mul(2).saturating_add(12 * self.fanout)
    }
}

/// Checks each level; returns the keys of the lowest, with their nodes.
fn check_levels(links: &[u64], heights: &HashMap<u32, u32>) -> Result<HashMap<u32, u32>, String> {
    let mut lowest = HashMap::new();
    for level in 0..LEVELS {
        let (mut node, mut before, mut count) = (0, None, 0);
        loop {
            let next =
                *links.get((node * LEVELS + level) as usize).ok_or_else(|| format!("there is no node {node}"))?;
            let key = key_of(next);
            if key == END {
                break;
            }
            expect(before.is_none_or(|before| before < key), || {
                format!("on level {level} key {key} follows {before:?}")
            })?;
            (node, before, count) = (node_of(next), Some(key), count + 1);
            let height = heights.get(&node).copied().unwrap_or_default();
            expect(height > level, || format!("node {node} of height {height} is on level {level}"))?;
            let is_below = level == 0 || lowest.get(&key) == Some(&node);
            expect(is_below, || format!("key {key} is on level {level} and not on the lowest"))?;
            if level == 0 {
                lowest.insert(key, node);
            }
        }
        let want = lowest.values().filter(|node| heights[node] > level).count();
        expect(count == want, || format!("level {level} has {count} nodes, and {want} are as high"))?;
    }
    Ok(lowest)
}

/// Compares each key with the results of the transactions.
fn check_keys(found: &HashMap<u32, u32>, list: &List, report: &Report, transactions: &[Change]) -> Result<(), String> {
    let mut present: HashMap<u32, i64> = list.start.iter().map(|(key, _)| (*key, 1)).collect();
    let mut changed = HashSet::new();
    let done = || {
        transactions
            .iter()
            .enumerate()
            .filter_map(|(at, transaction)| result::<bool>(report, at).map(|did| (at, transaction, did)))
    };
    for (_, transaction, _) in done().filter(|(_, transaction, did)| *did && transaction.what != What::Search) {
        changed.insert(transaction.key);
        *present.entry(transaction.key).or_default() += if transaction.what == What::Insert { 1 } else { -1 };
    }
    for (key, count) in &present {
        let is_there = i64::from(found.contains_key(key));
        expect(*count == is_there, || {
            format!("key {key} is {is_there} times in the list, by what was done {count} times")
        })?;
    }
    let unknown = found.keys().find(|key| !present.contains_key(key));
    expect(unknown.is_none(), || format!("key {unknown:?} is in the list, and nobody inserted it"))?;
    for (at, transaction, did) in done().filter(|(_, transaction, _)| !changed.contains(&transaction.key)) {
        // An insertion returns that the key was missing, the others that it existed.
        let says_there = did != (transaction.what == What::Insert);
        let is_there = found.contains_key(&transaction.key);
        expect(says_there == is_there, || {
            format!("transaction {at} is wrong about key {}, which no transaction changed", transaction.key)
        })?;
    }
    Ok(())
}
