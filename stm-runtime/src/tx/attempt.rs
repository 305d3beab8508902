//! One attempt of the threaded engine: a time-based software transactional memory.
//!
//! Reads are invisible and always of one snapshot (`snapshot`): a transaction never sees values that did not exist together,
//! so a guard, a reject or a fault that it meets is real and needs no second check. Writes are buffered; a commit
//! locks its write set, draws a time from the clock, validates its reads, writes back and releases.
//!
//! The clock: a commit draws its time *after* it acquired its locks (acquire-release), and `snapshot` is a time that was drawn
//! before the reads. So a value whose version is at most `snapshot` was final, or its lock was visibly held, when it was
//! read. The clock is read again only at a newer version: a stale snapshot costs an extension, never correctness.
//!
//! If two commits each read an element that the other writes, the later one to draw its time sees the lock of the earlier one, or
//! its new version, and aborts. No commit waits for a lock without bound.

use kernels_gen::fault::FaultCode;

use super::abort::Abort;
use super::lock::{self, CpuArray, ElementRef, Taken};
use super::sets::{ElementKey, OwnedSet, Read, WHAT, Write, WriteSet, element_of};
use super::turns::Turn;
use crate::memory;
use crate::outcome::{Conflicts, Entry};
use crate::sync::{AtomicU64, Ordering};

/// The time of the last commit, on a separate cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Clock(AtomicU64);

/// The state of a thread's current attempt, reused for all its attempts.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    arrays: Vec<&'a CpuArray>,
    clock: &'a Clock,
    /// The number of this thread, for lock words.
    me: u64,
    /// The turn of this thread, if threads run one at a time.
    pub(crate) turn: Option<Box<Turn<'a>>>,
    snapshot: u64,
    reads: Vec<Read<'a>>,
    writes: WriteSet<'a>,
    owned: OwnedSet<'a>,
    /// Conflicts so far.
    pub(crate) conflicts: Conflicts,
    /// The source location of the last conflict.
    pub(crate) conflict_location: u32,
}

/// The cause of a conflict.
#[derive(Debug, Clone, Copy)]
enum Cause {
    /// Another commit holds a lock.
    Locked,
    /// A value that was read is no longer current.
    Changed,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(arrays: Vec<&'a CpuArray>, clock: &'a Clock, me: u64) -> Attempt<'a> {
        Attempt {
            arrays,
            clock,
            me,
            turn: None,
            snapshot: clock.0.load(Ordering::Acquire),
            reads: Vec::new(),
            writes: WriteSet::default(),
            owned: OwnedSet::default(),
            conflicts: Conflicts::default(),
            conflict_location: 0,
        }
    }

    /// Starts over. The snapshot stays: a read of a newer version will extend it.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    #[inline]
    pub(crate) fn read(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        let place = self.place(array, index, location)?;
        let key = ElementKey::new(array, index);
        if let Some(word) = mutant!("cpu: own writes are not read", self.writes.find(key), None) {
            return Ok(word);
        }
        loop {
            self.step();
            let Some((word, version)) = lock::read(place) else {
                return Err(self.conflict(Cause::Locked, location));
            };
            if mutant!("cpu: values newer than the snapshot are read", version <= self.snapshot, true) {
                memory::push(WHAT, &mut self.reads, Read { lock: place.lock, version, key, location })?;
                return Ok(word);
            }
            // Read the value again: it may have changed before the new snapshot.
            self.extend(location)?;
        }
    }

    #[inline]
    pub(crate) fn write(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        let place = self.place(array, index, location)?;
        self.writes.put(Write { place, word, key: ElementKey::new(array, index), location })?;
        Ok(())
    }

    /// Returns whether it has written nothing so far.
    pub(crate) fn is_read_only(&self) -> bool {
        self.writes.entries().is_empty()
    }

    /// Makes all writes visible at once. After an error, none is visible.
    #[inline]
    pub(crate) fn commit(&mut self) -> Result<(), Abort> {
        if self.is_read_only() {
            return Ok(());
        }
        self.take_locks()?;
        self.step();
        // Release: a thread that sees this time sees the locks held. Acquire: the check below sees the locks of earlier times.
        let time = self.clock.0.fetch_add(1, Ordering::AcqRel) + 1;
        if mutant!("cpu: one commit of others is not checked", time != self.snapshot + 1, time > self.snapshot + 2) {
            self.check_reads_of_commit()?;
        }
        for write in self.writes.entries() {
            self.step();
            write.place.value.store(write.word, Ordering::Release);
        }
        self.step();
        for owned in self.owned.drain() {
            lock::free(owned.lock, mutant!("cpu: a commit keeps the versions", time, owned.version));
        }
        self.snapshot = time;
        Ok(())
    }

    /// Returns the reads of the attempt, repeated ones included.
    pub(crate) fn reads(&self) -> &[Read<'a>] {
        &self.reads
    }

    /// Returns the elements that its commit wrote.
    pub(crate) fn elements_written(&self) -> impl Iterator<Item = u64> {
        self.writes.entries().iter().map(|write| element_of(write.place.lock))
    }

    /// Draws a time without committing: afterwards the locks of earlier times are visible here, and later times see all that was
    /// done.
    pub(crate) fn draw_time(&self) {
        self.step();
        self.clock.0.fetch_add(0, Ordering::AcqRel);
    }

    /// Returns the attempt's reads, and the versions that its commit installed.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        let lock = |key: ElementKey| {
            let coverage_log2 = self.arrays[key.array()].coverage_log2();
            key.index() >> mutant!("cpu: histories name elements instead of locks", coverage_log2, 0)
        };
        let reads = self.reads.iter().map(move |r| Entry::read(r.key.array(), lock(r.key), r.version));
        // A commit left its time in `snapshot`.
        let writes = self.writes.entries().iter();
        reads.chain(writes.map(move |w| Entry::write(w.key.array(), lock(w.key), self.snapshot)))
    }

    /// Returns the reads of an attempt that ended without a commit.
    pub(crate) fn read_entries(&self) -> impl Iterator<Item = Entry> {
        self.entries().take(mutant!("cpu: what was undone is recorded as written", self.reads.len(), usize::MAX))
    }

    #[inline]
    fn place(&self, array: u32, index: u64, location: u32) -> Result<ElementRef<'a>, Abort> {
        let array: Option<&'a CpuArray> = self.arrays.get(array as usize).copied();
        array.and_then(|array| array.at(index)).ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
    }

    /// A point where other threads may run, if threads run one at a time.
    #[inline]
    fn step(&self) {
        if let Some(turn) = &self.turn {
            turn.step();
        }
    }

    #[cold]
    fn conflict(&mut self, cause: Cause, location: u32) -> Abort {
        match cause {
            Cause::Locked => self.conflicts.locked += mutant!("cpu: conflicts with locks do not count", 1, 0),
            Cause::Changed => self.conflicts.changed += 1,
        }
        self.conflict_location = location;
        Abort::CONFLICT
    }

    /// Moves the snapshot to now, if all reads so far are still current.
    #[cold]
    fn extend(&mut self, location: u32) -> Result<(), Abort> {
        let now = self.clock.0.load(Ordering::Acquire);
        // Ordered by the clock's load: locks of earlier times are visible.
        let is_stale = !self.reads.iter().all(Read::is_current);
        if mutant!("cpu: the snapshot moves on over changed reads", is_stale, false) {
            return Err(self.conflict(Cause::Changed, location));
        }
        self.snapshot = now;
        Ok(())
    }

    #[inline]
    fn take_locks(&mut self) -> Result<(), Abort> {
        for write in self.writes.entries() {
            self.step();
            match lock::take(write.place.lock, self.me) {
                Taken::Now(version) => {
                    if let Err(short) = self.owned.push(write.place.lock, version) {
                        lock::free(write.place.lock, version);
                        self.free_locks();
                        return Err(short.into());
                    }
                }
                Taken::Before => {}
                Taken::No => {
                    let location = write.location;
                    return Err(self.give_way(Cause::Locked, location));
                }
            }
        }
        Ok(())
    }

    /// Validates that every read is current, or under a lock of ours that had its version when we acquired it.
    #[inline]
    fn check_reads_of_commit(&mut self) -> Result<(), Abort> {
        let ours = lock::held_by(self.me);
        for at in 0..self.reads.len() {
            let read = self.reads[at];
            // Ordered by the clock's draw.
            let word = read.lock.load(Ordering::Relaxed);
            let current = if word == ours {
                let version = self.owned.version(read.lock);
                mutant!("cpu: a lock is taken at another version than read", version == Some(read.version), true)
            } else {
                mutant!("cpu: reads are not checked at commit", word == read.version << 1, true)
            };
            if !current {
                let cause = if word & 1 == 1 && word != ours { Cause::Locked } else { Cause::Changed };
                return Err(self.give_way(cause, read.location));
            }
        }
        Ok(())
    }

    #[cold]
    fn give_way(&mut self, cause: Cause, location: u32) -> Abort {
        self.free_locks();
        self.conflict(cause, location)
    }

    /// Releases its locks at their old versions.
    fn free_locks(&mut self) {
        for owned in self.owned.drain() {
            mutant!("cpu: an abort keeps its locks", lock::free(owned.lock, owned.version), ());
        }
    }
}
