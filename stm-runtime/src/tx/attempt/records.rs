//! Accesses to records, and all accesses of the slow path.

use kernels_gen::fault::FaultCode;

use super::{Attempt, Cause, is_for_update};
use crate::memory;
use crate::sync::{AtomicU64, Ordering};
use crate::tx::abort::Abort;
use crate::tx::lock::{self, Seen, Taken};
use crate::tx::sets::{Read, WHAT, Write};
use crate::tx::table::Row;

/// What an access needs to know of an array.
#[derive(Debug, Clone, Copy)]
struct Field {
    component: usize,
    /// The number of components, from this one on, that no procedure of the run writes.
    constant: usize,
}

impl<'a> Attempt<'a> {
    /// Reads a component that was not read at once.
    #[inline]
    pub(super) fn read_slowly(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        self.step();
        match self.read_scalar(array, index, location) {
            Some(word) => Ok(word),
            None => self.read_any(array, index, location),
        }
    }

    /// Reads a scalar that the attempt has not written, and need not lock, if there is room.
    #[inline]
    fn read_scalar(&mut self, array: u32, index: u64, location: u32) -> Option<u64> {
        let cell = self.cells.get(array as usize)?.get(usize::try_from(index).ok()?)?;
        if self.writes.may_have(Row::of(cell)) || is_for_update(self.for_update, location) {
            return None;
        }
        let before = cell[0].load(Ordering::Acquire);
        if before & 1 == 1 || self.reads.len() == self.reads.capacity() {
            return None;
        }
        let word = lock::read_at_once(cell, before)?;
        self.reads.push(Read { lock: &cell[0], version: before >> 1, location });
        Some(word)
    }

    #[inline(never)]
    fn read_any(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        let (field, row) = self.row(array, index, location)?;
        let value = &row.values[field.component];
        if field.constant > 0 {
            return Ok(value.load(Ordering::Relaxed));
        }
        let own = self.writes.find(row);
        let written = own.and_then(|own| self.writes.written(own, field.component));
        if let Some(word) = mutant!("cpu: own writes are not read", written, None) {
            return Ok(word);
        }
        self.look(row, own, location, || value.load(Ordering::Acquire))
    }

    /// Reads components of a record, of which the first is in that array.
    pub(super) fn read_components(
        &mut self,
        array: u32,
        index: u64,
        location: u32,
        words: &mut [u64],
    ) -> Result<(), Abort> {
        let (field, row) = self.row(array, index, location)?;
        let first = field.component;
        let values = &row.values[first..][..words.len()];
        if field.constant >= words.len() {
            load(values, words, Ordering::Relaxed);
            return Ok(());
        }
        let own = self.writes.find(row);
        let is_written = |at: usize, k: usize| self.writes.written(at, first + k).is_some();
        self.step();
        let has_all = own.is_some_and(|at| (0..words.len()).all(|k| is_written(at, k)));
        if !has_all {
            self.look(row, own, location, || load(values, words, Ordering::Acquire))?;
        }
        if let Some(at) = mutant!("cpu: own writes are not read", own, None) {
            let written = |(k, word): (usize, &mut u64)| *word = self.writes.written(at, first + k).unwrap_or(*word);
            words.iter_mut().enumerate().for_each(written);
        }
        Ok(())
    }

    pub(super) fn write_components(
        &mut self,
        array: u32,
        index: u64,
        location: u32,
        words: &[u64],
    ) -> Result<(), Abort> {
        let (field, row) = self.row(array, index, location)?;
        let at = self.entry_to_write(row, location)?;
        Ok(self.writes.set(at, field.component, words)?)
    }

    /// Reads values of a record, unless the attempt has written them: `own` is its entry among the writes.
    #[inline]
    fn look<R>(
        &mut self,
        row: Row<'a>,
        own: Option<usize>,
        location: u32,
        mut load: impl FnMut() -> R,
    ) -> Result<R, Abort> {
        if is_for_update(self.for_update, location) {
            return match lock::take(row.lock, self.me) {
                Taken::Now(version) => {
                    let values = load();
                    self.own_since(row, own, location, version)?;
                    Ok(values)
                }
                Taken::Before => {
                    let values = load();
                    self.read_under_own_lock(row, own, location)?;
                    Ok(values)
                }
                Taken::No => Err(self.conflict(Cause::Locked, location, row.lock)),
            };
        }
        match lock::read(row.lock, self.me, load) {
            Seen::Free { values, version } => {
                // Fields of one record are often read one after the other.
                let is_known =
                    self.reads.last().is_some_and(|last| std::ptr::eq(last.lock, row.lock) && last.version == version);
                if !is_known {
                    memory::push(WHAT, &mut self.reads, Read { lock: row.lock, version, location })?;
                }
                Ok(values)
            }
            Seen::Own { values } => {
                self.read_under_own_lock(row, own, location)?;
                Ok(values)
            }
            Seen::Locked => Err(self.conflict(Cause::Locked, location, row.lock)),
        }
    }

    /// Notes that a read took the lock of a record.
    fn own_since(&mut self, row: Row<'a>, own: Option<usize>, location: u32, version: u64) -> Result<(), Abort> {
        if let Some(own) = own {
            let known = &mut self.writes.entries_mut()[own];
            (known.version, known.is_read, known.is_owner) = (version, true, true);
        } else {
            let read = Write { version, is_read: true, is_owner: true, ..Write::new(row, location) };
            if let Err(short) = self.writes.push(read) {
                lock::free(row.lock, version);
                return Err(short.into());
            }
        }
        self.has_locks = true;
        Ok(())
    }

    /// Notes the read of a record whose lock the attempt has, perhaps for another record.
    #[cold]
    fn read_under_own_lock(&mut self, row: Row<'a>, own: Option<usize>, location: u32) -> Result<(), Abort> {
        let owner = self.writes.owner_of(row.lock);
        let version = owner.map_or(0, |at| self.writes.entries()[at].version);
        let Some(own) = own else {
            return Ok(self.writes.push(Write { version, is_read: true, ..Write::new(row, location) })?);
        };
        let known = &mut self.writes.entries_mut()[own];
        (known.version, known.is_read) = (version, true);
        Ok(())
    }

    pub(super) fn write_slowly(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        let (field, row) = self.row(array, index, location)?;
        let at = self.entry_to_write(row, location)?;
        Ok(self.writes.set(at, field.component, &[word])?)
    }

    /// Returns the position of the entry of a record that is about to be written.
    fn entry_to_write(&mut self, row: Row<'a>, location: u32) -> Result<usize, Abort> {
        if let Some(at) = self.writes.find(row) {
            let known = &mut self.writes.entries_mut()[at];
            known.is_next = true;
            self.needs_locks |= !known.is_owner;
            return Ok(at);
        }
        self.needs_locks = true;
        self.writes.push(Write { is_next: true, ..Write::new(row, location) })?;
        Ok(self.writes.entries().len() - 1)
    }

    /// Returns an array, and the record at an index of it.
    #[inline(always)]
    fn row(&self, array: u32, index: u64, location: u32) -> Result<(Field, Row<'a>), Abort> {
        let row = self.views.get(array as usize).and_then(|view| {
            let row = view.table.row(index)?;
            Some((Field { component: view.component, constant: view.constant }, row))
        });
        row.ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
    }
}

/// Loads values of a record.
#[inline]
fn load(values: &[AtomicU64], words: &mut [u64], order: Ordering) {
    values.iter().zip(words).for_each(|(value, word)| *word = value.load(order));
}
