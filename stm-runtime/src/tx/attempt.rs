//! One attempt of the threaded engine: optimistic concurrency control with a version in each lock word, and no clock.
//!
//! Reads are invisible: an attempt keeps the version of each element that it read. Writes are buffered. A commit locks what it
//! writes, checks that all its reads are current, stores the values and releases the locks with the next versions. No word is
//! shared by all threads, so commits of different elements do not meet (Tu et al., "Speedy Transactions in Multicore In-Memory
//! Databases", section 4.4, without the epochs).
//!
//! Where the compiler knows that a read element may be written later, the read takes the lock at once. Such a read cannot become
//! stale, and a transfer takes two locks and checks nothing.
//!
//! A running attempt may see values that did not exist together. Such an attempt never has an outcome: its reads are checked before
//! its guard, its reject or its fault counts, and now and then in loops, which it might not leave otherwise. Then it conflicts.
//!
//! The fence before a check orders it with the checks and locks of others. If two commits each read an element that the other
//! writes, the fence that comes second sees the lock of the first, or its new version, and aborts. Likewise two transactions that
//! only read cannot see two commits in different orders. No commit waits for a lock without bound.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{Intent, ProcedureSpec};

use super::abort::Abort;
use super::lock::{self, CpuArray, ElementRef, Seen, Taken};
use super::sets::{ElementKey, OwnedSet, Read, WHAT, Write, WriteSet, element_of};
use super::turns::Turn;
use crate::memory;
use crate::outcome::{Conflicts, Entry};
use crate::sync::{Ordering, fence};

/// The fewest reads at which a loop checks them.
const FEWEST_TO_CHECK: usize = 64;

/// The state of a thread's current attempt, reused for all its attempts.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    arrays: Vec<&'a CpuArray>,
    /// The number of this thread, for lock words.
    me: u64,
    /// The turn of this thread, if threads run one at a time.
    pub(crate) turn: Option<Box<Turn<'a>>>,
    /// The locations whose reads take the lock, one bit each.
    for_update: u64,
    reads: Vec<Read<'a>>,
    /// How many of the reads are not under a lock of this attempt.
    unlocked: usize,
    /// The number of reads at which a loop checks them next.
    next_check: usize,
    writes: WriteSet<'a>,
    owned: OwnedSet<'a>,
    /// Keep the versions that commits install, for a history.
    records: bool,
    /// The version that the commit installed for each write, if kept.
    installed: Vec<u64>,
    /// Conflicts so far.
    pub(crate) conflicts: Conflicts,
    /// The source location of the last conflict.
    pub(crate) conflict_location: u32,
}

/// The cause of a conflict.
#[derive(Debug, Clone, Copy)]
enum Cause {
    /// Another attempt holds a lock.
    Locked,
    /// A value that was read is no longer current.
    Changed,
}

impl<'a> Attempt<'a> {
    /// Returns the attempts of thread `me`. They keep what a history needs if it `records` one.
    pub(crate) fn new(arrays: Vec<&'a CpuArray>, me: u64, records: bool) -> Attempt<'a> {
        Attempt {
            arrays,
            me,
            turn: None,
            for_update: 0,
            reads: Vec::new(),
            unlocked: 0,
            next_check: FEWEST_TO_CHECK,
            writes: WriteSet::default(),
            owned: OwnedSet::default(),
            records,
            installed: Vec::new(),
            conflicts: Conflicts::default(),
            conflict_location: 0,
        }
    }

    /// Starts over, with the locations whose reads take the lock: see [`read_for_update`].
    #[inline]
    pub(crate) fn begin(&mut self, for_update: u64) {
        self.for_update = for_update;
        self.reads.clear();
        self.writes.clear();
        (self.unlocked, self.next_check) = (0, FEWEST_TO_CHECK);
    }

    #[inline]
    pub(crate) fn read(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        let place = self.place(array, index, location)?;
        let key = ElementKey::new(array, index);
        if let Some(word) = mutant!("cpu: own writes are not read", self.writes.find(key), None) {
            return Ok(word);
        }
        if is_for_update(self.for_update, location) {
            return self.read_locked(place, key, location);
        }
        self.step();
        match lock::read(place, self.me) {
            Seen::Free { word, version } => {
                memory::push(WHAT, &mut self.reads, Read { lock: place.lock, version, key, location })?;
                self.unlocked += 1;
                Ok(word)
            }
            Seen::Own { word } => Ok(word),
            Seen::Locked => Err(self.conflict(Cause::Locked, location)),
        }
    }

    /// Takes the lock of an element that the attempt may write later, and reads it.
    #[inline]
    fn read_locked(&mut self, place: ElementRef<'a>, key: ElementKey, location: u32) -> Result<u64, Abort> {
        self.step();
        match lock::take(place.lock, self.me) {
            Taken::Now(version) => {
                if let Err(short) = self.owned.push_early(place.lock, version) {
                    lock::free(place.lock, version);
                    return Err(short.into());
                }
                memory::push(WHAT, &mut self.reads, Read { lock: place.lock, version, key, location })?;
            }
            Taken::Before => {}
            Taken::No => return Err(self.conflict(Cause::Locked, location)),
        }
        Ok(place.value.load(Ordering::Relaxed))
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

    /// Makes all writes visible at once. After an error, none is visible, and the locks remain until [`Attempt::release`].
    #[inline]
    pub(crate) fn commit(&mut self) -> Result<(), Abort> {
        self.take_locks()?;
        self.step();
        self.check_reads()?;
        if self.records {
            self.note_versions()?;
        }
        for write in self.writes.entries() {
            self.step();
            write.place.value.store(write.word, Ordering::Release);
        }
        self.step();
        for owned in self.owned.drain() {
            let is_next = mutant!("cpu: a commit keeps the versions", owned.is_written, false);
            lock::free(owned.lock, owned.version + u64::from(is_next));
        }
        Ok(())
    }

    /// Ends an attempt without a commit: releases its locks at their old versions.
    pub(crate) fn release(&mut self) {
        for owned in self.owned.drain() {
            mutant!("cpu: an abort keeps its locks", lock::free(owned.lock, owned.version), ());
        }
    }

    /// Checks that all reads are of one moment: each is current, or under a lock of this attempt since that version.
    #[inline]
    pub(crate) fn check_reads(&mut self) -> Result<(), Abort> {
        // A single value always existed, and what is locked cannot change.
        let is_needed = self.unlocked > usize::from(self.owned.is_empty());
        if mutant!("cpu: reads are not checked", is_needed, false) { self.check_all_reads() } else { Ok(()) }
    }

    /// Does the same in a loop, after twice as many reads each time.
    #[inline]
    pub(crate) fn check_reads_of_loop(&mut self) -> Result<(), Abort> {
        if self.reads.len() < self.next_check {
            return Ok(());
        }
        self.next_check = 2 * self.reads.len();
        self.check_reads()
    }

    fn check_all_reads(&mut self) -> Result<(), Abort> {
        fence(Ordering::SeqCst);
        let ours = lock::held_by(self.me);
        for at in 0..self.reads.len() {
            let read = self.reads[at];
            // Ordered by the fence.
            let word = read.lock.load(Ordering::Relaxed);
            let is_current = if word == ours {
                let version = self.owned.version(read.lock);
                mutant!("cpu: a lock is taken at another version than read", version == Some(read.version), true)
            } else {
                word == read.version << 1
            };
            if !is_current {
                let cause = if word & 1 == 1 && word != ours { Cause::Locked } else { Cause::Changed };
                return Err(self.conflict(cause, read.location));
            }
        }
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
                        return Err(short.into());
                    }
                }
                Taken::Before => self.owned.is_written(write.place.lock),
                Taken::No => {
                    let location = write.location;
                    return Err(self.conflict(Cause::Locked, location));
                }
            }
        }
        Ok(())
    }

    /// Keeps the version that the commit will install for each write.
    #[cold]
    fn note_versions(&mut self) -> Result<(), Abort> {
        self.installed.clear();
        for write in self.writes.entries() {
            let before = self.owned.version(write.place.lock).unwrap_or_default();
            memory::push(WHAT, &mut self.installed, before + 1)?;
        }
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

    /// Returns the attempt's reads, and the versions that its commit installed.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        let writes = self.writes.entries().iter().zip(&self.installed);
        self.read_entries()
            .chain(writes.map(|(write, version)| Entry::write(write.key.array(), self.lock_of(write.key), *version)))
    }

    /// Returns the reads of an attempt.
    pub(crate) fn read_entries(&self) -> impl Iterator<Item = Entry> {
        self.reads.iter().map(move |r| Entry::read(r.key.array(), self.lock_of(r.key), r.version))
    }

    /// Returns the index of the lock word of an element.
    fn lock_of(&self, key: ElementKey) -> u64 {
        let coverage_log2 = self.arrays[key.array()].coverage_log2();
        key.index() >> mutant!("cpu: histories name elements instead of locks", coverage_log2, 0)
    }

    #[inline]
    fn place(&self, array: u32, index: u64, location: u32) -> Result<ElementRef<'a>, Abort> {
        let array: Option<&'a CpuArray> = self.arrays.get(array as usize).copied();
        array.and_then(|array| array.at(index)).ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
    }

    /// A point where other threads may run, if threads run one at a time.
    #[inline]
    pub(crate) fn step(&self) {
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
}

impl Drop for Attempt<'_> {
    /// Releases what it holds, also when the user's function panics.
    fn drop(&mut self) {
        self.release();
    }
}

/// Returns the locations of a procedure whose reads take the lock, one bit each: those of elements that it may write later.
/// Locations from 64 on have no bit.
pub(crate) fn read_for_update(procedure: &ProcedureSpec) -> u64 {
    let bits = |wanted: bool| {
        let slots = procedure.facts.slots.iter().filter(|slot| (slot.intent == Intent::Update) == wanted);
        slots.filter(|slot| slot.location < u64::BITS).fold(0_u64, |bits, slot| bits | 1 << slot.location)
    };
    // The components of a record are read at one location.
    bits(true) & !bits(false)
}

#[inline]
fn is_for_update(for_update: u64, location: u32) -> bool {
    location < u64::BITS && for_update >> location & 1 == 1
}
