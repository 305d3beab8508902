//! The hottest element of a batch, from a sample of its transactions.
//!
//! The functions of some transactions run on the host with zeros in place of values, only to find their elements, as for a prefetch.
//! Transactions whose addresses depend on values do not count.

use std::ops::Range;

use crate::backend::{Job, Resolved};
use crate::tx::{Prefetcher, Tx};

/// The accesses of a sample: enough to see what one in 300 transactions needs, in about a tenth of a millisecond.
const ACCESSES: usize = 1 << 12;
/// The fewest transactions from which something follows.
const FEWEST: usize = 1 << 5;
/// Neighbours in a sample: they share cache lines, and are so few that it is no sign if they share elements, too.
const NEIGHBOURS: usize = 1 << 2;
/// The part of a batch that a sample is, at most: one transaction in that many.
const SHARE: usize = 1 << 8;
/// The most loop iterations of one transaction.
const ITERATIONS: u32 = 64;

/// An element that a transaction of the sample uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    record: usize,
    index: u64,
    transaction: usize,
    /// Whether the transaction may write to the array.
    is_writer: bool,
}

/// Returns how many transactions can run at a time before two of them need the hottest element of the batch: infinity where the sample
/// shows no hot element.
pub(super) fn at_once(job: &Job<'_>) -> f64 {
    let footprint = usize::try_from(job.footprint()).map_or(ACCESSES, |footprint| footprint.clamp(1, ACCESSES));
    let sampled = (job.transactions / SHARE).min(ACCESSES / footprint) / NEIGHBOURS * NEIGHBOURS;
    let is_known = |specialization| addresses_follow(job, specialization);
    let is_known: Vec<bool> = (0..job.specializations.len()).map(is_known).collect();
    if sampled < FEWEST || !is_known.contains(&true) {
        return f64::INFINITY;
    }
    let mut finder = Finder::new(job, is_known);
    parts(job.transactions, sampled).flatten().for_each(|transaction| finder.add(transaction));
    sampled as f64 / finder.most_turns()
}

/// Returns whether the addresses of a specialization follow from the arguments of its transactions.
fn addresses_follow(job: &Job<'_>, specialization: usize) -> bool {
    let facts = &job.procedures[job.specializations[specialization].procedure].spec.facts;
    facts.orderable || facts.flow.foresight.is_some_and(|known| known.accesses.is_empty())
}

/// Returns that many transactions of a batch.
fn parts(transactions: usize, sampled: usize) -> impl Iterator<Item = Range<usize>> {
    let parts = sampled / NEIGHBOURS;
    let stride = transactions / parts;
    (0..parts).map(move |part| part * stride..part * stride + NEIGHBOURS)
}

/// Finds the elements of transactions.
struct Finder<'j, 'a> {
    job: &'j Job<'a>,
    functions: Vec<Resolved<'a>>,
    /// For each array, the first component of the same record.
    records: Vec<usize>,
    /// For each specialization, whether its addresses follow from the arguments.
    is_known: Vec<bool>,
    /// For each specialization, the arrays that it may write.
    written: Vec<Vec<bool>>,
    tx: Tx<'a>,
    uses: Vec<Use>,
}

impl<'j, 'a> Finder<'j, 'a> {
    fn new(job: &'j Job<'a>, is_known: Vec<bool>) -> Finder<'j, 'a> {
        let records = job.records();
        let written = job.specializations.iter().map(|specialization| {
            let spec = job.procedures[specialization.procedure].spec;
            let mut written = vec![false; job.arrays.len()];
            let seen = spec.seen_arrays().filter(|_| !spec.facts.read_only);
            seen.for_each(|nth| written[records[specialization.arrays[nth]]] = true);
            written
        });
        let written = written.collect();
        let tx = Tx::prefetching(Prefetcher::new(Vec::new()));
        Finder { job, functions: job.resolve(), records, is_known, written, tx, uses: Vec::new() }
    }

    /// Adds the elements of a transaction.
    fn add(&mut self, transaction: usize) {
        let specialization = self.job.specialization_of(transaction);
        if !self.is_known[specialization] {
            return;
        }
        let resolved = &self.functions[specialization];
        self.tx.begin_look_ahead(resolved.spec, ITERATIONS);
        // It may end early, because zeros are not the real values. What it has found until then counts.
        let _ = resolved.call(&mut self.tx, transaction, &mut []);
        let (records, written) = (&self.records, &self.written[specialization]);
        self.uses.extend(self.tx.take_collected().map(|(array, index)| {
            let record = records[array as usize];
            Use { record, index, transaction, is_writer: written[record] }
        }));
    }

    /// Returns how often the hottest element changes hands.
    fn most_turns(&mut self) -> f64 {
        self.uses.sort_unstable();
        self.uses.dedup();
        let elements = self.uses.chunk_by(|one, other| (one.record, one.index) == (other.record, other.index));
        elements.map(turns).map(certain).fold(0.0, f64::max)
    }
}

/// Returns how often an element changes hands. Readers share it until the next writer comes.
fn turns(uses: &[Use]) -> f64 {
    let writers = uses.iter().filter(|one| one.is_writer).count();
    (writers + writers.min(uses.len() - writers)) as f64
}

/// Returns how many of these turns are no chance, as in the element that happens to be the hottest of many alike.
fn certain(turns: f64) -> f64 {
    (turns - 2.0 * turns.sqrt()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_over_the_batch() {
        let sampled: Vec<usize> = parts(1000, 32).flatten().collect();
        assert_eq!((sampled.len(), sampled[..5].to_vec(), sampled[31]), (32, vec![0, 1, 2, 3, 125], 878));
    }

    #[test]
    fn readers_share_an_element_between_writers() {
        let uses = |writers: usize, readers: usize| -> Vec<Use> {
            let one = |transaction| Use { record: 0, index: 7, transaction, is_writer: transaction < writers };
            (0..writers + readers).map(one).collect()
        };
        assert_eq!(
            [(5, 0), (0, 9), (2, 9), (9, 3)].map(|(writers, readers)| turns(&uses(writers, readers))),
            [5.0, 0.0, 4.0, 12.0]
        );
    }

    #[test]
    fn few_hits_are_chance() {
        assert_eq!([0.0, 4.0, 16.0, 100.0].map(certain), [0.0, 0.0, 8.0, 80.0]);
    }
}
