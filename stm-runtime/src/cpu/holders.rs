//! Who wrote elements last, for the profile of conflicts on CPU threads.

use crate::sync::{AtomicU64, Ordering};

/// The entries of the table.
const ENTRIES: usize = 1 << 16;
/// The bits of a procedure's number.
const PROCEDURE_BITS: u32 = 16;

/// The procedures that last wrote elements, by the hash of the element. Another element with that hash takes an entry over, so a
/// reader compares the element; its lock word is at a multiple of 8.
pub(crate) struct Holders(Vec<AtomicU64>);

impl Holders {
    pub(crate) fn new() -> Holders {
        Holders((0..ENTRIES).map(|_| AtomicU64::new(0)).collect())
    }

    /// Notes that a transaction of the procedure has written the element.
    pub(crate) fn note(&self, element: u64, procedure: usize) {
        let number = mutant!("cpu: the first procedure holds everything", procedure as u64 + 1, 1);
        self.entry(element).store(name(element) | number & ((1 << PROCEDURE_BITS) - 1), Ordering::Relaxed);
    }

    /// Returns one more than the number of the procedure that last wrote the element; 0 where that is not known.
    pub(crate) fn of(&self, element: u64) -> usize {
        let entry = self.entry(element).load(Ordering::Relaxed);
        let is_it = entry >> PROCEDURE_BITS << PROCEDURE_BITS == name(element);
        if is_it { (entry & ((1 << PROCEDURE_BITS) - 1)) as usize } else { 0 }
    }

    fn entry(&self, element: u64) -> &AtomicU64 {
        &self.0[((element >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % ENTRIES]
    }
}

fn name(element: u64) -> u64 {
    element >> 3 << PROCEDURE_BITS
}
