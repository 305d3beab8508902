//! The hottest element of a batch, from a sample of its transactions.
//!
//! The functions of some transactions run on the host with zeros in place of values, only to find their elements, as for a prefetch.
//! Transactions whose addresses depend on values do not count. Where the order is given, a transaction only waits for those that write
//! what is not known before they run, and at one element they only follow each other if each of them also reads there.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;

use kernels_gen::spec::{Intent, Slot};

use super::crowd::{Arrays, Writers};
use crate::backend::{Job, LentFunctions, Resolved, Specialization, SpecializationIds};
use crate::columns::Column;
use crate::error::Error;
use crate::gpu::memory::device_columns;
use crate::tx::{Prefetcher, Touched, Tx};

/// The accesses of a sample: enough to see what one in 300 transactions needs, in about a tenth of a millisecond.
const ACCESSES: usize = 1 << 12;
/// The fewest transactions from which something follows.
const FEWEST: usize = 1 << 5;
/// Neighbours in a sample: they share cache lines, and are so few that it is no sign if they share elements, too.
const NEIGHBOURS: usize = 1 << 2;
/// The part of a batch that a sample is, at most: one transaction in that many.
const SHARE: usize = 1 << 8;
/// Counters for each element of a sample, so that most have one element at most.
const BUCKETS: usize = 4;
/// The most loop iterations of one transaction.
const ITERATIONS: u32 = 64;

/// An element that a transaction of the sample uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    array: usize,
    index: u64,
    transaction: usize,
    /// Whether others wait for the transaction there: under locks, and in order.
    is_waited: [bool; 2],
    /// Whether it reads and writes there.
    access: [bool; 2],
}

/// Returns how many transactions can run at a time before one of them has to wait for the hottest element of the batch, under locks and in
/// order: infinity where the sample shows no hot element.
pub(super) fn at_once(job: &Job<'_>, writers: &Writers) -> [f64; 2] {
    let footprints = job.procedures.iter().map(|procedure| u64::from(procedure.spec.facts.footprint()));
    let mean = footprints.sum::<u64>().div_ceil(job.procedures.len().max(1) as u64);
    let footprint = usize::try_from(mean).map_or(ACCESSES, |mean| mean.clamp(1, ACCESSES));
    let sampled = (job.transactions / SHARE).min(ACCESSES / footprint) / NEIGHBOURS * NEIGHBOURS;
    let is_known = |specialization| addresses_follow(job, specialization);
    let is_known: Vec<bool> = (0..job.specializations.len()).map(is_known).collect();
    if sampled < FEWEST || !is_known.contains(&true) {
        return [f64::INFINITY; 2];
    }
    // Without a sample nothing is predicted. Trouble with the device ends the run anyway.
    let Ok(uses) = uses(job, &is_known, writers, sampled) else { return [f64::INFINITY; 2] };
    let records = job.records();
    let under_locks = most_turns(
        &uses,
        |array| records[array],
        |uses| turns(uses.iter().filter(|one| one.is_waited[0]).count(), uses.len()),
    );
    let in_order = most_turns(&uses, |array| array, |uses| uses.iter().filter(|one| one.follows()).count() as f64);
    [under_locks, in_order].map(|turns| sampled as f64 / turns)
}

/// Returns the elements that a sample uses. Arguments that live on the device are copied from there for its transactions alone.
fn uses(job: &Job<'_>, is_known: &[bool], writers: &Writers, sampled: usize) -> Result<Vec<Use>, Error> {
    let transactions = || parts(job.transactions, sampled).flatten();
    let mut uses = Vec::new();
    if job.columns.iter().all(|column| column.on_device().is_none()) {
        touch(job, transactions());
        let mut finder = Finder::new(job, is_known, writers, &mut uses)?;
        transactions().for_each(|transaction| finder.add(transaction));
        return Ok(uses);
    }
    let copy = |column: &Column<'_>| {
        // The rows of transactions of other procedures mean nothing here, and need not exist.
        let rows: Vec<usize> = transactions().map(|at| job.row_of(at).min(column.len().max(1) - 1)).collect();
        match column.on_device() {
            Some(cells) => Ok(device_columns::sample(cells, &rows)?),
            None => {
                let mut copy = Column::new(column.width());
                rows.iter().try_for_each(|row| copy.push(column.get(*row)))?;
                Ok(copy)
            }
        }
    };
    let columns = job.columns.iter().map(copy).collect::<Result<Vec<_>, Error>>()?;
    let rows: Vec<u32> = (0..sampled as u32).collect();
    let ids: Vec<u16> =
        job.specialization_ids.map_or_else(Vec::new, |ids| transactions().map(|at| ids.in_batch[at]).collect());
    let of_sample = Job {
        columns: &columns,
        rows: Some(&rows),
        specialization_ids: job.specialization_ids.map(|of| SpecializationIds { in_batch: &ids, ..of }),
        transactions: sampled,
        printer: job.printer.clone(),
        functions: Box::new(LentFunctions(&*job.functions)),
        ..*job
    };
    let mut finder = Finder::new(&of_sample, is_known, writers, &mut uses)?;
    (0..sampled).for_each(|transaction| finder.add(transaction));
    Ok(uses)
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

/// Loads the arguments of some transactions. They are far from each other in memory, and a core loads several at a time if it does
/// nothing else.
fn touch(job: &Job<'_>, transactions: impl Iterator<Item = usize>) {
    let words = transactions.map(|transaction| {
        let (columns, row) =
            (&job.specializations[job.specialization_of(transaction)].columns, job.row_of(transaction));
        job.columns[columns.clone()].iter().fold(0, |words, column| words ^ column.get(row))
    });
    black_box(words.fold(0, |all, words| all ^ words));
}

/// Finds the elements of transactions.
struct Finder<'j, 'a> {
    job: &'j Job<'a>,
    functions: Vec<Resolved<'a>>,
    /// For each specialization, whether its addresses follow from the arguments.
    is_known: &'j [bool],
    writers: &'j Writers,
    /// The intents of each specialization, by location and array.
    intents: Vec<Vec<(u32, usize, Intent)>>,
    tx: Tx<'a>,
    uses: &'j mut Vec<Use>,
}

impl<'j, 'a> Finder<'j, 'a> {
    fn new(
        job: &'j Job<'a>,
        is_known: &'j [bool],
        writers: &'j Writers,
        uses: &'j mut Vec<Use>,
    ) -> Result<Finder<'j, 'a>, Error> {
        let tx = Tx::prefetching(Prefetcher::new(Vec::new()));
        let intents = job.specializations.iter().map(|of| intents(job, of)).collect();
        Ok(Finder { job, functions: job.resolve()?, is_known, writers, intents, tx, uses })
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
        let of: [&Arrays; 2] = [&self.writers.under_locks[specialization], &self.writers.in_order[specialization]];
        let intents = &self.intents[specialization];
        self.uses.extend(self.tx.take_collected().map(|Touched { array, index, location, writes }| {
            let array = array as usize;
            // After the last element that is written down once, the function has not gone on.
            let known = intents.iter().find(|(at, of, _)| (*at, *of) == (location, array)).map(|known| known.2);
            let access = known.map_or([!writes, writes], |known| [known != Intent::Write, known != Intent::Read]);
            Use { array, index, transaction, is_waited: of.map(|arrays| arrays[array]), access }
        }));
    }
}

/// Returns how a specialization accesses the elements whose accesses are written down once, by location and array.
fn intents(job: &Job<'_>, of: &Specialization) -> Vec<(u32, usize, Intent)> {
    let spec = job.procedures[of.procedure].spec;
    let params = (0_u32..).zip(spec.params).filter(|(_, param)| param.role.array().is_some());
    let arrays: BTreeMap<u32, usize> = params.map(|(param, _)| param).zip(of.arrays.iter().copied()).collect();
    let known = |slot: &Slot| Some((slot.location, *arrays.get(&slot.param)?, slot.intent));
    spec.facts.slots.iter().filter_map(known).collect()
}

impl Use {
    /// Adds another use of the element by the transaction.
    fn add(&mut self, other: &Use) {
        for (own, other) in [(&mut self.is_waited, other.is_waited), (&mut self.access, other.access)] {
            own.iter_mut().zip(other).for_each(|(own, other)| *own |= other);
        }
    }

    /// Returns whether the transaction waits there in order for the one before, and the next one for it.
    fn follows(&self) -> bool {
        self.is_waited[1] && self.access == [true; 2]
    }
}

/// Returns how often the hottest element changes hands, by `turns` of its uses, one of each transaction. `unit` has what an array's elements
/// are a part of.
fn most_turns(uses: &[Use], unit: impl Fn(usize) -> usize, turns: impl Fn(&[Use]) -> f64) -> f64 {
    let mut often: Vec<Use> = often_used(uses, &unit).map(|one| Use { array: unit(one.array), ..*one }).collect();
    let element = |one: &Use| (one.array, one.index);
    often.sort_unstable_by_key(|one| (element(one), one.transaction));
    often.dedup_by(|later, first| {
        let is_same = (element(later), later.transaction) == (element(first), first.transaction);
        if is_same {
            first.add(later);
        }
        is_same
    });
    let elements = often.chunk_by(|one, other| element(one) == element(other));
    elements.map(|uses| certain(turns(uses))).fold(0.0, f64::max)
}

/// Returns the uses of elements that are used often enough to be no chance, and few others. To sort all of them would take most of the
/// time.
fn often_used<'u>(uses: &'u [Use], unit: &impl Fn(usize) -> usize) -> impl Iterator<Item = &'u Use> {
    let element = |one: &Use| (one.index ^ (unit(one.array) as u64) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let buckets = (BUCKETS * uses.len()).next_power_of_two().max(2);
    let bucket = move |one: &Use| (element(one) >> (u64::BITS - buckets.ilog2())) as usize;
    let mut counts = vec![0_u32; buckets];
    uses.iter().for_each(|one| counts[bucket(one)] += 1);
    uses.iter().filter(move |one| certain(counts[bucket(one)].into()) > 0.0)
}

/// Returns how often an element changes hands, if others wait for `writers` of its uses. Readers share it until the next writer comes.
fn turns(writers: usize, uses: usize) -> f64 {
    (writers + writers.min(uses - writers)) as f64
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
        assert_eq!(
            [(5, 5), (0, 9), (2, 11), (9, 12)].map(|(writers, uses)| turns(writers, uses)),
            [5.0, 0.0, 4.0, 12.0]
        );
    }

    #[test]
    fn the_hottest_element_is_that_of_a_record_or_of_a_field_for_which_others_wait() {
        let one =
            |array, transaction| Use { array, index: 7, transaction, is_waited: [true, array == 1], access: [true; 2] };
        let uses: Vec<Use> =
            (0..100).flat_map(|transaction| [one(transaction % 2, transaction), one(2, transaction)]).collect();
        let turns = |unit: fn(usize) -> usize, of: usize| {
            most_turns(&uses, unit, |uses| uses.iter().filter(|one| one.is_waited[of]).count() as f64)
        };
        assert_eq!(
            [turns(|_| 0, 0), turns(|array| array, 0), turns(|array| array, 1)],
            [100.0, 100.0, 50.0].map(certain)
        );
    }

    #[test]
    fn in_order_those_follow_each_other_that_read_an_element_and_write_there() {
        let one = |transaction, access| Use { array: 0, index: 7, transaction, is_waited: [true; 2], access };
        let of_each = |transaction| match transaction % 4 {
            0 => vec![one(transaction, [true, false]), one(transaction, [false, true])],
            1 => vec![one(transaction, [true, true])],
            2 => vec![one(transaction, [true, false])],
            _ => vec![one(transaction, [false, true])],
        };
        let uses: Vec<Use> = (0..400).flat_map(of_each).collect();
        let turns = most_turns(&uses, |array| array, |uses| uses.iter().filter(|one| one.follows()).count() as f64);
        assert_eq!(turns, certain(200.0));
    }

    #[test]
    fn few_hits_are_chance() {
        assert_eq!([0.0, 4.0, 16.0, 100.0].map(certain), [0.0, 0.0, 8.0, 80.0]);
    }
}
