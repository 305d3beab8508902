//! Which reads of a transaction take the lock at once.

use std::collections::HashMap;

use kernels_gen::spec::Intent;

use crate::backend::{Job, Specialization};

/// What is known of the arrays of a job.
pub(super) struct KnownArrays {
    /// For each array, the first component of the same record.
    records: Vec<usize>,
    /// For each array, whether some procedure may write it.
    is_seen: Vec<bool>,
}

/// One record, as far as the compiler knows: those at one index, or those of one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Index { record: usize, param: u32 },
    Access { record: usize, location: u32 },
}

impl KnownArrays {
    pub(super) fn of(job: &Job<'_>) -> KnownArrays {
        KnownArrays { records: job.records(), is_seen: job.seen_arrays() }
    }

    /// Returns the locations whose reads take the lock, one bit each: those of records that the transaction may write later, in
    /// whichever component. Locations from 64 on have no bit. A procedure with accesses in loops has none, because it would hold the
    /// locks for long.
    pub(super) fn read_for_update(&self, job: &Job<'_>, specialization: &Specialization) -> u64 {
        let spec = job.procedures[specialization.procedure].spec;
        if spec.facts.indexed > 0 {
            return 0;
        }
        let mut arrays = specialization.arrays.iter().copied();
        let arrays: Vec<Option<usize>> =
            spec.params.iter().map(|param| param.role.array().and_then(|_| arrays.next())).collect();
        let seen = spec.facts.slots.iter().filter_map(|slot| {
            let array = arrays[slot.param as usize].filter(|array| self.is_seen[*array])?;
            let record = self.records[array];
            let access = Place::Access { record, location: slot.location };
            Some((slot, slot.index.map_or(access, |param| Place::Index { record, param })))
        });
        let mut uses: HashMap<Place, (bool, bool)> = HashMap::new();
        for (slot, place) in seen.clone() {
            let (is_read, is_written) = uses.entry(place).or_default();
            *is_read |= slot.intent != Intent::Write;
            *is_written |= slot.intent != Intent::Read;
        }
        let bits = |wanted: bool| {
            let reads = seen.clone().filter(|(slot, _)| slot.intent != Intent::Write && slot.location < u64::BITS);
            let wanted = reads.filter(|(_, place)| (uses[place] == (true, true)) == wanted);
            wanted.fold(0_u64, |bits, (slot, _)| bits | 1 << slot.location)
        };
        // Fields with locks of their own are read at one location.
        bits(true) & !bits(false)
    }
}
