//! The arrays of CPU threads: an `ArrayStore`, and what a run sees of it.

use std::collections::HashMap;

use crate::backend::{Array, ArrayStore, Job};
use crate::error::Error;
use crate::tx::{CpuArray, View};

impl ArrayStore for CpuArray {
    fn read(&self, first: usize, words: &mut [u64]) -> Result<(), Error> {
        CpuArray::read(self, first, words);
        Ok(())
    }

    fn write(&self, first: usize, words: &[u64]) -> Result<(), Error> {
        CpuArray::write(self, first, words);
        Ok(())
    }
}

/// Returns the arrays of a job as its transactions see them.
pub(super) fn views_of<'a>(job: &Job<'a>) -> Vec<View<'a>> {
    let arrays: Vec<&'a CpuArray> = job.arrays.iter().filter_map(Array::store).collect();
    let mut records: HashMap<*const (), Record> = HashMap::new();
    for (at, (array, is_seen)) in arrays.iter().zip(job.seen_arrays()).enumerate() {
        let record = records.entry(record_of(array)).or_insert_with(|| Record::new(array.table().components()));
        if is_seen {
            record.is_seen[array.component()] = true;
            record.name.get_or_insert(at);
        }
    }
    records.values_mut().for_each(Record::count);
    let view = |array: &&'a CpuArray| {
        let record = &records[&record_of(array)];
        View::new(array, record.constant[array.component()], record.name)
    };
    arrays.iter().map(view).collect()
}

fn record_of(array: &CpuArray) -> *const () {
    std::ptr::from_ref(array.table()).cast()
}

/// What a job does to the components of records.
struct Record {
    /// The first array of the job that is one of them and seen.
    name: Option<usize>,
    /// For each component, whether a run has to see its accesses.
    is_seen: Vec<bool>,
    /// For each component, the number of components from it on that are not seen.
    constant: Vec<usize>,
}

impl Record {
    fn new(components: usize) -> Record {
        Record { name: None, is_seen: vec![false; components], constant: Vec::new() }
    }

    fn count(&mut self) {
        let mut constant = 0;
        let counts = self.is_seen.iter().rev().map(|is_seen| {
            constant = if *is_seen { 0 } else { constant + 1 };
            constant
        });
        self.constant = counts.collect();
        self.constant.reverse();
    }
}
