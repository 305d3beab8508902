//! Insertions, deletions and searches of keys in a sorted linked list.
//!
//! Source: the integer set of DSTM (Herlihy and others, PODC 2003) in the form of TinySTM (Felber and others, PPoPP 2008): keys are
//! drawn from a range that is twice as large as the list, so that it keeps its length; 20 % of the transactions change it. The list
//! has 500 entries. A node is a record of a key and an index. Every transaction walks along the list from its head, so one that
//! changes a link conflicts with all that have gone beyond.
//!
//! Every insertion has a node of its own, which it uses only if the key is missing. Nodes are not used again.
//!
//! Invariant: keys ascend along the list, which ends at the tail; a key exists exactly if it was inserted once more than deleted,
//! counting the start; each node in the list is of the start or of a committed insertion of that key, and nodes of other insertions
//! are as they were; every search for a key that no transaction changed had the right result.

use std::collections::HashMap;

use clap::Args;
use stm_bench::{Benchmark, Rng, RngExt};
use stm_runtime::{Batch, Device, Error, Report, Shared};

use super::ending::{expect, nothing_fails, pool_has, result};
use super::fill::{contents, elements};
use super::list_procedures::{Change, END, HEAD, MOST_KEYS, Node, TAIL, What, push};

/// The contents of a node that no transaction has used.
const UNUSED: Node = Node { key: END, next: END };

/// Insertions, deletions and searches in a sorted linked list
#[derive(Debug, Clone, Args)]
pub struct List {
    /// Entries at the start, at most the number of keys
    #[arg(long, default_value_t = 500)]
    pub entries: u32,
    /// Keys that are drawn
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_KEYS)))]
    pub keys: u32,
    /// Percentage of the transactions that insert or delete, half of them each
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub updates: u32,
    /// Nodes of the pool: two for the ends, the entries at the start, and one for each transaction
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u32).range(2..=200_000_000))]
    pub pool: u32,
}

impl Benchmark for List {
    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "insertions, deletions and searches in a sorted linked list";
    const SOURCE: &'static str = "the integer set of DSTM (PODC 2003) and TinySTM (PPoPP 2008)";

    type State = Shared<Node>;
    type Transaction = Change;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Shared<Node>, Error> {
        let mut nodes = elements(self.pool as usize, |_| UNUSED)?;
        let mut last = HEAD;
        for (node, key) in self.start() {
            nodes[last as usize].next = node;
            nodes[node as usize].key = key;
            last = node;
        }
        nodes[last as usize].next = TAIL;
        device.shared(&nodes)
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> Change {
        let what = match rng.random_range(0..100) >= self.updates {
            true => What::Find,
            false if rng.random() => What::Insert,
            false => What::Delete,
        };
        let node = u64::from(TAIL) + 1 + u64::from(self.first_entries()) + number;
        Change { what, key: rng.random_range(0..self.keys), node: u32::try_from(node).unwrap_or(u32::MAX) }
    }

    fn push(&self, nodes: &Shared<Node>, transaction: Change, batch: &mut Batch) {
        push(batch, nodes, self.keys, transaction);
    }

    fn check(&self, nodes: &Shared<Node>, report: &Report, transactions: &[Change]) -> Result<(), String> {
        pool_has(self.pool, transactions.iter().map(|transaction| transaction.node))?;
        nothing_fails(report)?;
        let nodes = contents(nodes)?;
        let found = walk(&nodes)?;
        self.check_nodes(&nodes, report, transactions)?;
        self.check_keys(&found, report, transactions)
    }
}

impl List {
    /// Returns the number of entries at the start: at most the number of keys, and of nodes without the ends.
    fn first_entries(&self) -> u32 {
        self.entries.min(self.keys).min(self.pool - 2)
    }

    /// Returns the nodes of the start with their keys, which are spread over the range.
    fn start(&self) -> impl Iterator<Item = (u32, u32)> {
        let (keys, entries) = (u64::from(self.keys), self.first_entries());
        (0..entries).map(move |at| (TAIL + 1 + at, (keys * u64::from(at) / u64::from(entries)) as u32))
    }

    /// Checks that each node has the key that was inserted with it, and that all others are unused.
    fn check_nodes(&self, nodes: &[Node], report: &Report, transactions: &[Change]) -> Result<(), String> {
        let mut keys = vec![None; nodes.len()];
        self.start().for_each(|(node, key)| keys[node as usize] = Some(key));
        for (at, change) in transactions.iter().enumerate() {
            if change.what == What::Insert && result(report, at) == Some(true) {
                keys[change.node as usize] = Some(change.key);
            }
        }
        for (node, (found, key)) in nodes.iter().zip(keys).enumerate().skip(TAIL as usize) {
            let fits = key.map_or(*found == UNUSED, |key| found.key == key);
            expect(fits, || format!("node {node} is {found:?}, and the key that was inserted with it is {key:?}"))?;
        }
        Ok(())
    }

    /// Compares each key with the results of the transactions.
    fn check_keys(&self, found: &HashMap<u32, u32>, report: &Report, transactions: &[Change]) -> Result<(), String> {
        let mut counts = vec![0_i64; self.keys as usize];
        let mut changed = vec![false; self.keys as usize];
        self.start().for_each(|(_, key)| counts[key as usize] = 1);
        let done = || {
            let all = transactions.iter().enumerate();
            all.filter_map(|(at, change)| result::<bool>(report, at).map(|did| (at, change, did)))
        };
        for (_, change, _) in done().filter(|(_, change, did)| *did && change.what != What::Find) {
            changed[change.key as usize] = true;
            counts[change.key as usize] += if change.what == What::Insert { 1 } else { -1 };
        }
        for (key, count) in (0..).zip(counts) {
            let is_there = i64::from(found.contains_key(&key));
            expect(count == is_there, || {
                format!("key {key} is {is_there} times in the list, by what was done {count} times")
            })?;
        }
        for (at, change, did) in done().filter(|(_, change, _)| !changed[change.key as usize]) {
            // An insertion returns that the key was missing, the others that it existed.
            let says_there = did != (change.what == What::Insert);
            expect(says_there == found.contains_key(&change.key), || {
                format!("transaction {at} is wrong about key {}, which no transaction changed", change.key)
            })?;
        }
        Ok(())
    }
}

/// Walks along the list; returns its keys with their nodes. Keys that ascend exclude a cycle.
fn walk(nodes: &[Node]) -> Result<HashMap<u32, u32>, String> {
    let (mut found, mut before) = (HashMap::new(), None);
    let mut at = nodes[HEAD as usize].next;
    while at != TAIL {
        let node = nodes.get(at as usize).ok_or_else(|| format!("there is no node {at}"))?;
        expect(before.is_none_or(|before| before < node.key), || format!("key {} follows {before:?}", node.key))?;
        expect(node.key != END, || format!("node {at} is in the list, and has no key"))?;
        before = Some(node.key);
        found.insert(node.key, at);
        at = node.next;
    }
    Ok(found)
}
