//! The fast path: accesses of a few instructions to scalars with lock words of their own. What takes more than that ends the
//! attempt, and the transaction takes the slow path. Accesses to records, and to what no procedure writes, are calls of functions that
//! can do everything.
//!
//! Scalars are found by their lock words among the entries of an attempt on the fast path.

use super::{Attempt, FEWEST_TO_CHECK, is_for_update};
use crate::sync::Ordering;
use crate::tx::abort::Abort;
use crate::tx::access::Memory;
use crate::tx::lock;
use crate::tx::sets::{Read, Write};
use crate::tx::table::{Cell, Row};

impl Memory for Attempt<'_> {
    #[inline]
    fn prepare(&mut self, for_update: u64) {
        self.for_update = for_update;
    }

    #[inline]
    fn begin(&mut self) {
        if !self.reads.is_empty() {
            self.reads.clear();
            self.next_check = FEWEST_TO_CHECK;
        }
        self.writes.clear();
        (self.has_locks, self.needs_locks) = (false, false);
    }

    #[inline(always)]
    fn read_at_once(&mut self, array: u32, index: u64, location: u32) -> Option<u64> {
        let cell = self.cells.get(array as usize)?.get(usize::try_from(index).ok()?)?;
        let before = cell[0].load(Ordering::Acquire);
        if before & 1 == 1 || self.needs_locks {
            if let Some(own) = mutant!("cpu: own writes are not read", self.writes.find_cell(cell), None) {
                return Some(own.word);
            }
            if before & 1 == 1 {
                return None;
            }
        }
        if is_for_update(self.for_update, location) {
            if !self.writes.has_room() || !lock::take_at_once(&cell[0], before, self.me) {
                return None;
            }
            self.has_locks = true;
            let word = cell[1].load(Ordering::Relaxed);
            let read = Write { word, version: before >> 1, ..Write::new(Row::of(cell), location) };
            self.writes.push_with_room(Write { is_read: true, is_owner: true, ..read });
            return Some(word);
        }
        if self.reads.len() == self.reads.capacity() {
            return None;
        }
        let word = lock::read_at_once(cell, before)?;
        self.reads.push(Read { lock: &cell[0], version: before >> 1, location });
        Some(word)
    }

    #[inline(always)]
    fn write_at_once(&mut self, array: u32, index: u64, word: u64, location: u32) -> bool {
        let cell = self.cells.get(array as usize).zip(usize::try_from(index).ok());
        let Some(cell) = cell.and_then(|(cells, index)| cells.get(index)) else { return false };
        // Most writes follow the read of the same element.
        if let Some(known) = self.writes.last_if(cell) {
            let word = mutant!("cpu: the first write of an element stays", word, known.word);
            (known.word, known.is_written) = (word, true);
            return true;
        }
        self.write_another(cell, word, location)
    }

    #[inline(never)]
    fn read_otherwise(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        if self.is_apart(array) { self.read_slowly(array, index, location) } else { Err(Abort::NEEDS_SLOW_PATH) }
    }

    #[inline(never)]
    fn write_otherwise(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        if self.is_apart(array) { self.write_slowly(array, index, word, location) } else { Err(Abort::NEEDS_SLOW_PATH) }
    }

    #[inline]
    fn has_rows(&self, array: u32, components: usize) -> bool {
        self.views.get(array as usize).is_some_and(|view| view.begins_record_of(components))
    }

    #[inline(never)]
    fn read_row(&mut self, array: u32, index: u64, location: u32, words: &mut [u64]) -> Result<(), Abort> {
        self.read_components(array, index, location, words)
    }

    #[inline(never)]
    fn write_row(&mut self, array: u32, index: u64, location: u32, words: &[u64]) -> Result<(), Abort> {
        self.write_components(array, index, location, words)
    }

    fn read(&mut self, array: u32, index: u64, location: u32, _: bool) -> Result<u64, Abort> {
        self.read_slowly(array, index, location)
    }

    fn write(&mut self, array: u32, index: u64, word: u64, location: u32, _: bool) -> Result<(), Abort> {
        self.write_slowly(array, index, word, location)
    }

    /// Threads do not run one at a time, and each record has a lock word of its own. After an error, no write is visible, and the
    /// locks remain until [`Attempt::release`].
    #[inline]
    fn commit(&mut self) -> Result<bool, Abort> {
        if self.needs_locks {
            self.take_locks()?;
        }
        self.check_reads()?;
        let has_written = self.publish_at_once();
        self.has_locks = false;
        Ok(has_written)
    }

    #[inline]
    fn look(&mut self) -> Result<(), Abort> {
        self.check_reads_of_loop()
    }
}

impl<'a> Attempt<'a> {
    /// Returns whether accesses to an array at once always fail: it is constant, or its elements are records.
    fn is_apart(&self, array: u32) -> bool {
        self.cells.get(array as usize).is_some_and(|cells| cells.is_empty())
    }

    /// Writes a scalar that was not the last element to be read or written, if there is room.
    #[inline(never)]
    fn write_another(&mut self, cell: &'a Cell, word: u64, location: u32) -> bool {
        if let Some(known) = self.writes.find_cell_mut(cell) {
            let word = mutant!("cpu: the first write of an element stays", word, known.word);
            (known.word, known.is_written) = (word, true);
            return true;
        }
        if !self.writes.has_room() {
            return false;
        }
        self.needs_locks = true;
        // Only the slow path looks at the mark of the next version.
        self.writes.push_with_room(Write { word, is_written: true, ..Write::new(Row::of(cell), location) });
        true
    }

    /// Makes all writes visible, and releases each lock at once: each record has a lock word of its own. What is released before the
    /// last value is stored belongs to a commit that can no longer fail, and its readers find the others locked.
    #[inline]
    #[expect(clippy::needless_range_loop, reason = "a loop over positions has fewer instructions")]
    fn publish_at_once(&mut self) -> bool {
        let (writes, mut has_written) = (self.writes.entries(), false);
        for at in 0..writes.len() {
            let write = &writes[at];
            if write.is_written {
                self.writes.store(write, || ());
                has_written = true;
            }
            let is_next = mutant!("cpu: a commit keeps the versions", write.is_written, false);
            lock::free(write.row.lock, write.version + u64::from(is_next));
        }
        has_written
    }
}
