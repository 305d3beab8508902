//! One attempt of the threaded engine: optimistic concurrency control with a version in each lock word, and no clock.
//!
//! Reads are invisible: an attempt keeps the version of each element that it read. Writes are buffered. A commit locks what it
//! writes, checks that all its reads are current, stores the values and releases the locks with the next versions. No word is
//! shared by all threads, so commits of different elements do not meet (Tu et al., "Speedy Transactions in Multicore In-Memory
//! Databases", section 4.4, without the epochs).
//!
//! Where the compiler knows that a short transaction may later write an element that it reads, the read takes the lock at once. Such
//! a read cannot become stale, and a transfer takes two locks and checks nothing.
//!
//! A running attempt may see values that did not exist together. Such an attempt never has an outcome: its reads are checked before
//! its guard, its reject or its fault counts, and now and then in loops, which it might not leave otherwise. Then it conflicts.
//!
//! The fence before a check orders it with the checks and locks of others. If two commits each read an element that the other
//! writes, the fence that comes second sees the lock of the first, or its new version, and aborts. Likewise two transactions that
//! only read cannot see two commits in different orders. No commit waits for a lock without bound.

mod fast;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{Intent, ProcedureSpec};

use super::abort::{Abort, AbortKind};
use super::lock::{self, Cell, CpuArray, ElementRef, Seen, Taken};
use super::sets::{ElementKey, Read, WHAT, Write, WriteSet, element_of};
use super::turns::Turn;
use crate::memory;
use crate::outcome::{Conflicts, Entry};
use crate::sync::{Ordering, fence};

/// The fewest reads at which a loop checks them.
const FEWEST_TO_CHECK: usize = 64;

/// The state of a thread's current attempt, reused for all its attempts.
#[derive(Debug)]
pub struct Attempt<'a> {
    arrays: Vec<&'a CpuArray>,
    /// The elements of the arrays, for accesses at once.
    cells: Vec<&'a [Cell]>,
    /// The number of this thread, for lock words.
    me: u64,
    /// The turn of this thread, if threads run one at a time.
    pub(crate) turn: Option<Box<Turn<'a>>>,
    /// The locations whose reads take the lock, one bit each.
    for_update: u64,
    /// What was read without the lock.
    reads: Vec<Read<'a>>,
    /// The number of reads at which a loop checks them next.
    next_check: usize,
    writes: WriteSet<'a>,
    /// The attempt may hold locks.
    has_locks: bool,
    /// The attempt writes elements whose locks it has not taken.
    needs_locks: bool,
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
    pub(crate) fn new(arrays: Vec<&'a CpuArray>, me: u64) -> Attempt<'a> {
        Attempt {
            cells: arrays.iter().map(|array| array.cells()).collect(),
            arrays,
            me,
            turn: None,
            for_update: 0,
            reads: Vec::new(),
            next_check: FEWEST_TO_CHECK,
            writes: WriteSet::default(),
            has_locks: false,
            needs_locks: false,
            conflicts: Conflicts::default(),
            conflict_location: 0,
        }
    }

    /// Makes room for some elements, as the slow path does.
    #[cfg(all(test, loom))]
    pub(crate) fn make_room(&mut self) {
        self.reads.reserve(8);
        self.writes.make_room();
    }

    /// Starts over, with the locations whose reads take the lock: see [`read_for_update`].
    #[cfg(any(test, feature = "mutation"))]
    pub(crate) fn begin_with(&mut self, for_update: u64) {
        super::access::Memory::prepare(self, for_update);
        super::access::Memory::begin(self);
    }

    /// Reads an element that was not read at once.
    fn read_slowly(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        let place = self.place(array, index, location)?;
        let key = ElementKey::new(array, index);
        if let Some(own) = mutant!("cpu: own writes are not read", self.writes.find(key), None) {
            return Ok(own.word);
        }
        self.step();
        if is_for_update(self.for_update, location) {
            return self.read_and_lock(place, key, location);
        }
        match lock::read(place, self.me) {
            Seen::Free { word, version } => {
                memory::push(WHAT, &mut self.reads, Read { lock: place.lock, version, key, location })?;
                Ok(word)
            }
            Seen::Own { word } => self.read_under_own_lock(place, key, location, word),
            Seen::Locked => Err(self.conflict(Cause::Locked, location)),
        }
    }

    /// Reads an element that the attempt may write later, and takes its lock.
    fn read_and_lock(&mut self, place: ElementRef<'a>, key: ElementKey, location: u32) -> Result<u64, Abort> {
        match lock::take(place.lock, self.me) {
            Taken::Now(version) => {
                let word = place.value.load(Ordering::Relaxed);
                let read = Write { is_read: true, is_owner: true, ..unwritten(place, key, location, word, version) };
                if let Err(short) = self.writes.push(read) {
                    lock::free(place.lock, version);
                    return Err(short.into());
                }
                self.has_locks = true;
                Ok(word)
            }
            Taken::Before => {
                let word = place.value.load(Ordering::Relaxed);
                self.read_under_own_lock(place, key, location, word)
            }
            Taken::No => Err(self.conflict(Cause::Locked, location)),
        }
    }

    /// Notes the read of an element whose lock the attempt took for another element.
    #[cold]
    fn read_under_own_lock(
        &mut self,
        place: ElementRef<'a>,
        key: ElementKey,
        location: u32,
        word: u64,
    ) -> Result<u64, Abort> {
        let owner = self.writes.owner_of(place.lock, key);
        let version = owner.map_or(0, |at| self.writes.entries()[at].version);
        self.writes.push(Write { is_read: true, ..unwritten(place, key, location, word, version) })?;
        Ok(word)
    }

    fn write_slowly(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        let place = self.place(array, index, location)?;
        let key = ElementKey::new(array, index);
        if let Some(known) = self.writes.find_mut(key) {
            let word = mutant!("cpu: the first write of an element stays", word, known.word);
            (known.word, known.is_written, known.is_next) = (word, true, true);
            return Ok(());
        }
        self.needs_locks = true;
        let write = Write { is_written: true, is_next: true, ..unwritten(place, key, location, word, 0) };
        Ok(self.writes.push(write)?)
    }

    /// Commits in the general case: threads may run one at a time, and elements may share a lock word. After an error, no write is
    /// visible, and the locks remain until [`Attempt::release`].
    pub(crate) fn commit_slowly(&mut self) -> Result<bool, Abort> {
        self.take_locks()?;
        self.step();
        self.check_reads()?;
        let has_written = self.publish();
        self.has_locks = false;
        Ok(has_written)
    }

    /// Makes all writes visible, and then releases the locks.
    fn publish(&mut self) -> bool {
        for write in self.writes.entries().iter().filter(|write| write.is_written) {
            self.step();
            write.place.value.store(write.word, Ordering::Release);
        }
        self.step();
        for write in self.writes.entries().iter().filter(|write| write.is_owner) {
            let is_next = mutant!("cpu: a commit keeps the versions", write.is_next, false);
            lock::free(write.place.lock, write.version + u64::from(is_next));
        }
        self.has_written()
    }

    fn take_locks(&mut self) -> Result<(), Abort> {
        for at in 0..self.writes.entries().len() {
            let Write { place, is_written, is_owner, location, .. } = self.writes.entries()[at];
            if is_owner || !is_written {
                continue;
            }
            self.step();
            match lock::take(place.lock, self.me) {
                Taken::Now(version) => {
                    let write = &mut self.writes.entries_mut()[at];
                    (write.version, write.is_owner) = (version, true);
                    self.has_locks = true;
                }
                Taken::Before => self.write_under_own_lock(at),
                Taken::No => return Err(self.conflict(Cause::Locked, location)),
            }
        }
        Ok(())
    }

    /// Notes that an element is written whose lock the attempt took for another element.
    #[cold]
    fn write_under_own_lock(&mut self, at: usize) {
        let Write { place, key, .. } = self.writes.entries()[at];
        if let Some(owner) = self.writes.owner_of(place.lock, key) {
            let owner = &mut self.writes.entries_mut()[owner];
            owner.is_next |= mutant!("cpu: an element beside the locked one keeps the version", true, false);
            let version = owner.version;
            self.writes.entries_mut()[at].version = version;
        }
    }

    /// Ends an attempt without a commit. Returns how it ends: a guard, a reject and a fault count if the reads are of one moment, and
    /// are a conflict otherwise.
    pub(crate) fn end_early(&mut self, abort: Abort) -> Abort {
        let is_outcome =
            matches!(abort.kind(), AbortKind::Postponed | AbortKind::Rejected { .. } | AbortKind::Fault { .. });
        let ended = if is_outcome { self.confirm() } else { Ok(()) };
        self.release();
        ended.err().unwrap_or(abort)
    }

    fn confirm(&mut self) -> Result<(), Abort> {
        mutant!("cpu: an outcome counts whatever it has read", self.check_reads(), Ok(()))?;
        self.gather_reads()
    }

    /// Releases its locks at their old versions.
    #[inline]
    pub(crate) fn release(&mut self) {
        if !std::mem::take(&mut self.has_locks) {
            return;
        }
        for write in self.writes.entries().iter().filter(|write| write.is_owner) {
            mutant!("cpu: an abort keeps its locks", lock::free(write.place.lock, write.version), ());
        }
    }

    /// Checks that all reads are of one moment: each is current, or under a lock of this attempt since that version.
    #[inline]
    pub(crate) fn check_reads(&mut self) -> Result<(), Abort> {
        // A single value always existed, and what is locked cannot change.
        let is_needed = self.reads.len() > usize::from(!self.has_locks);
        if mutant!("cpu: reads are not checked", is_needed, false) { self.check_all_reads() } else { Ok(()) }
    }

    /// Does the same in a loop, after twice as many reads each time.
    fn check_reads_of_loop(&mut self) -> Result<(), Abort> {
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
                let owner = self.writes.owner_of(read.lock, read.key);
                let version = owner.map(|at| self.writes.entries()[at].version);
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

    /// Adds the reads with a lock to the others, for an attempt that ends without a commit.
    fn gather_reads(&mut self) -> Result<(), Abort> {
        for write in self.writes.entries().iter().filter(|write| write.is_read) {
            let Write { place, version, key, location, .. } = *write;
            memory::push(WHAT, &mut self.reads, Read { lock: place.lock, version, key, location })?;
        }
        Ok(())
    }

    /// Returns the reads of an attempt without a commit, after [`Attempt::end_early`], repeated ones included.
    pub(crate) fn reads(&self) -> &[Read<'a>] {
        &self.reads
    }

    /// Returns whether the attempt may hold locks.
    pub(crate) fn has_locks(&self) -> bool {
        self.has_locks
    }

    /// Returns whether the attempt has written something.
    pub(crate) fn has_written(&self) -> bool {
        self.writes.entries().iter().any(|write| write.is_written)
    }

    /// Returns the elements that its commit wrote.
    pub(crate) fn elements_written(&self) -> impl Iterator<Item = u64> {
        self.writes.entries().iter().filter(|write| write.is_written).map(|write| element_of(write.place.lock))
    }

    /// Returns the attempt's reads, and the versions that its commit installed.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        let own = |write: &Write<'_>| {
            let (array, lock) = (write.key.array(), self.lock_of(write.key));
            let read = write.is_read.then(|| Entry::read(array, lock, write.version));
            let written = write.is_written.then(|| Entry::write(array, lock, write.version + 1));
            read.into_iter().chain(written)
        };
        self.read_entries().chain(self.writes.entries().iter().flat_map(own))
    }

    /// Returns the reads of an attempt without a commit, after [`Attempt::end_early`].
    pub(crate) fn read_entries(&self) -> impl Iterator<Item = Entry> {
        self.reads.iter().map(move |r| Entry::read(r.key.array(), self.lock_of(r.key), r.version))
    }

    /// Returns the index of the lock word of an element.
    fn lock_of(&self, key: ElementKey) -> u64 {
        let coverage_log2 = self.arrays[key.array()].coverage_log2();
        key.index() >> mutant!("cpu: histories name elements instead of locks", coverage_log2, 0)
    }

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
/// Locations from 64 on have no bit. A procedure with accesses in loops has none, because it would hold the locks for long.
pub(crate) fn read_for_update(procedure: &ProcedureSpec) -> u64 {
    if procedure.facts.indexed > 0 {
        return 0;
    }
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

/// Returns the entry of an element without a lock of its own.
#[inline]
fn unwritten<'a>(place: ElementRef<'a>, key: ElementKey, location: u32, word: u64, version: u64) -> Write<'a> {
    Write { place, word, key, version, location, is_read: false, is_written: false, is_owner: false, is_next: false }
}

#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests {
    use super::*;
    use crate::tx::access::Memory;

    hunted! {
        what_shares_a_lock_word_gets_its_next_version
    }

    /// The first element is locked by a read and is not written; the second one has the same lock word.
    #[cfg_attr(test, test)]
    fn what_shares_a_lock_word_gets_its_next_version() {
        let array = CpuArray::new([5, 6].into_iter(), 1).unwrap();
        let mut attempt = Attempt::new(vec![&array], 0);
        for (written, version) in [(true, 1), (false, 1)] {
            attempt.begin_with(1);
            assert_eq!(attempt.read(0, 0, 0, true), Ok(5));
            if written {
                attempt.write(0, 1, 7, 1, true).unwrap();
            }
            attempt.commit_slowly().unwrap();
            let seen = lock::read(array.at(1).unwrap(), 9);
            assert_eq!(seen, Seen::Free { word: 7, version });
        }
    }
}
