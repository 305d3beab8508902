//! The arrays of a job on the device. Components of a record have one lock table, which is prepared and counted once. An array that
//! no transaction of the job writes needs none, and neither does one that all of them change by sums alone, under an engine that defers
//! sums.

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::unit::{ArraySpec, ArrayUse};

use super::array::GpuArray;
use super::locks::Terms;
use crate::backend::Job;
use crate::error::GpuError;

/// The arrays of a job, in its order, under the terms of a run.
pub(crate) struct JobArrays<'a> {
    terms: Terms,
    list: Vec<(&'a GpuArray, Use)>,
}

/// How the transactions of a job use an array.
#[derive(Clone, Copy)]
enum Use {
    /// None writes it, or counts its elements; or all add to its elements after they have committed.
    Unseen(ArrayUse),
    /// Some may do so; the first such array with the same lock table.
    Locked { first: usize },
}

impl<'a> JobArrays<'a> {
    pub(crate) fn of(job: &Job<'a>, terms: Terms) -> JobArrays<'a> {
        let (seen, records, deferrable) = (job.seen_arrays(), job.records(), job.deferrable_arrays());
        // Partitions in block memory are copied there and back, all alike.
        let unseen = |at: usize| match seen[at] || terms.engine.execution().keeps_elements_in_blocks() {
            false => Some(ArrayUse::Constant),
            true => (terms.engine.defers_sums && deferrable[at]).then_some(ArrayUse::Deferred),
        };
        let is_locked = |at: usize| unseen(at).is_none();
        let use_of = |at: usize| {
            let mut alike = (0..=at).filter(|first| is_locked(*first) && records[*first] == records[at]);
            match alike.next() {
                Some(first) if is_locked(at) => Use::Locked { first },
                _ => Use::Unseen(unseen(at).unwrap_or(ArrayUse::Constant)),
            }
        };
        let array = |at: usize| job.arrays[at].store().expect("arrays of a device's batch are on it");
        JobArrays { terms, list: (0..job.arrays.len()).map(|at| (array(at), use_of(at))).collect() }
    }

    /// Returns the layouts.
    pub(crate) fn specs(&self) -> Vec<ArraySpec> {
        let spec = |(at, (array, how)): (usize, &(&GpuArray, Use))| match *how {
            Use::Unseen(used) => array.unseen_spec(at, used),
            Use::Locked { first } if self.terms.engine.locks_records() => {
                let group = mutant!("arrays: each component of a record is a group", first, at);
                array.spec(self.terms, group)
            }
            Use::Locked { .. } => array.spec(self.terms, at),
        };
        self.list.iter().enumerate().map(spec).collect()
    }

    /// Returns the bytes on the device: of elements, and of lock words and auxiliary memory.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let own = self.list.iter().map(|(array, how)| match how {
            Use::Unseen(_) => array.unseen_bytes(),
            Use::Locked { .. } => array.bytes(self.terms),
        });
        let (data, extra) = own.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let tables = self.with_own_table();
        let locks: u64 = tables.map(|array| array.table.bytes(self.terms, array.layout(self.terms))).sum();
        (data, extra + locks)
    }

    /// Returns the bytes that `settle` will allocate beyond those it frees.
    pub(crate) fn missing_bytes(&self) -> u64 {
        let own = self.list.iter().map(|(array, how)| match how {
            Use::Unseen(_) => array.missing_unseen_bytes(),
            Use::Locked { .. } => array.missing_bytes(self.terms),
        });
        let tables = self.with_own_table();
        let locks = tables.map(|array| array.table.missing_bytes(self.terms, array.layout(self.terms)));
        own.sum::<u64>() + locks.sum::<u64>()
    }

    /// Converts every array to the layout that the run needs.
    pub(crate) fn settle(&self) -> Result<Vec<ArrayAddress>, GpuError> {
        span!("upload", arrays = self.list.len());
        let mut addresses: Vec<ArrayAddress> = Vec::with_capacity(self.list.len());
        for (array, how) in &self.list {
            let address = match how {
                Use::Unseen(_) => array.settle_unseen()?,
                Use::Locked { first } => {
                    let table = match addresses.get(*first) {
                        Some(first) => [first.locks, first.extra],
                        None => array.table.settle(self.terms, array.layout(self.terms))?,
                    };
                    array.settle(self.terms, table)?
                }
            };
            addresses.push(address);
        }
        Ok(addresses)
    }

    /// Returns whether no transaction writes an array.
    pub(super) fn is_constant(&self, at: usize) -> bool {
        matches!(self.list[at].1, Use::Unseen(ArrayUse::Constant))
    }

    /// Returns the first array of each lock table.
    fn with_own_table(&self) -> impl Iterator<Item = &'a GpuArray> {
        let is_first = |at: usize, how: Use| matches!(how, Use::Locked { first } if first == at);
        self.list.iter().enumerate().filter(move |(at, (_, how))| is_first(*at, *how)).map(|(_, (array, _))| *array)
    }
}

/// Marks all lock words of a job's arrays as unknown after a run has broken off.
pub(crate) fn distrust(job: &Job<'_>) {
    job.arrays.iter().filter_map(|array| array.store()).for_each(GpuArray::distrust);
}
