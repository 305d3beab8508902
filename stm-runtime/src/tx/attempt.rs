//! One attempt of the threaded engine: optimistic concurrency control with a version in each lock word, and no clock.
//!
//! Reads are invisible: an attempt keeps the version of each record that it read. Writes are buffered. A commit locks what it
//! writes, checks that all its reads are current, stores the values and releases the locks with the next versions. No word is
//! shared by all threads, so commits of different records do not meet (Tu et al., "Speedy Transactions in Multicore In-Memory
//! Databases", section 4.4, without the epochs).
//!
//! The unit is the record: its components have one lock word, one version, and one entry in each set. A component that no procedure
//! of the run writes is loaded without any of them.
//!
//! Where the compiler knows that a short transaction may later write a record that it reads, the read takes the lock at once. Such
//! a read cannot become stale, and a transfer takes two locks and checks nothing.
//!
//! A running attempt may see values that did not exist together. Such an attempt never has an outcome: its reads are checked before
//! its guard, its reject or its fault counts, and now and then in loops, which it might not leave otherwise. Then it conflicts.
//!
//! The fence before a check orders it with the checks and locks of others. If two commits each read an element that the other
//! writes, the fence that comes second sees the lock of the first, or its new version, and aborts. Likewise two transactions that
//! only read cannot see two commits in different orders. No commit waits for a lock without bound.

mod fast;
mod records;
#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests;

use super::abort::{Abort, AbortKind};
use super::lock::{self, Taken};
use super::sets::{Read, WHAT, Write, WriteSet, element_of};
use super::table::{Cell, LockNames, View};
use super::turns::Turn;
use crate::memory;
use crate::outcome::{Conflicts, Entry};
use crate::sync::{AtomicU64, Ordering, fence};

/// The fewest reads at which a loop checks them.
const FEWEST_TO_CHECK: usize = 64;

/// The state of a thread's current attempt, reused for all its attempts.
#[derive(Debug)]
pub struct Attempt<'a> {
    views: Vec<View<'a>>,
    /// The scalars that procedures write, for accesses at once.
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
    /// The attempt writes records whose locks it has not taken.
    needs_locks: bool,
    /// Conflicts so far.
    pub(crate) conflicts: Conflicts,
    /// The last conflict.
    pub(crate) conflict_at: Option<ConflictAt<'a>>,
}

/// Where a conflict was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConflictAt<'a> {
    /// The source location.
    pub(crate) location: u32,
    pub(crate) lock: &'a AtomicU64,
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
    pub(crate) fn new(views: Vec<View<'a>>, me: u64) -> Attempt<'a> {
        let cells = |view: &View<'a>| if view.is_constant() { &[][..] } else { view.cells };
        Attempt {
            cells: views.iter().map(cells).collect(),
            views,
            me,
            turn: None,
            for_update: 0,
            reads: Vec::new(),
            next_check: FEWEST_TO_CHECK,
            writes: WriteSet::default(),
            has_locks: false,
            needs_locks: false,
            conflicts: Conflicts::default(),
            conflict_at: None,
        }
    }

    /// Makes room for some elements, as the slow path does.
    #[cfg(all(test, loom))]
    pub(crate) fn make_room(&mut self) {
        self.reads.reserve(8);
        self.writes.make_room();
    }

    /// Starts over, with the locations whose reads take the lock, one bit each.
    #[cfg(any(test, feature = "mutation"))]
    pub(crate) fn begin_with(&mut self, for_update: u64) {
        super::access::Memory::prepare(self, for_update);
        super::access::Memory::begin(self);
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
        let mut has_written = false;
        for write in self.writes.entries().iter().filter(|write| write.is_written) {
            self.writes.store(write, || self.step());
            has_written = true;
        }
        self.step();
        for write in self.writes.entries().iter().filter(|write| write.is_owner) {
            let is_next = mutant!("cpu: a commit keeps the versions", write.is_next, false);
            lock::free(write.row.lock, write.version + u64::from(is_next));
        }
        has_written
    }

    fn take_locks(&mut self) -> Result<(), Abort> {
        for at in 0..self.writes.entries().len() {
            let Write { row, is_written, is_owner, location, .. } = self.writes.entries()[at];
            if is_owner || !is_written {
                continue;
            }
            self.step();
            match lock::take(row.lock, self.me) {
                Taken::Now(version) => {
                    let write = &mut self.writes.entries_mut()[at];
                    (write.version, write.is_owner) = (version, true);
                    self.has_locks = true;
                }
                Taken::Before => self.write_under_own_lock(at),
                Taken::No => return Err(self.conflict(Cause::Locked, location, row.lock)),
            }
        }
        Ok(())
    }

    /// Notes that an element is written whose lock the attempt took for another element.
    #[cold]
    fn write_under_own_lock(&mut self, at: usize) {
        if let Some(owner) = self.writes.owner_of(self.writes.entries()[at].row.lock) {
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
            mutant!("cpu: an abort keeps its locks", lock::free(write.row.lock, write.version), ());
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
                let owner = self.writes.owner_of(read.lock);
                let version = owner.map(|at| self.writes.entries()[at].version);
                mutant!("cpu: a lock is taken at another version than read", version == Some(read.version), true)
            } else {
                word == read.version << 1
            };
            if !is_current {
                let cause = if word & 1 == 1 && word != ours { Cause::Locked } else { Cause::Changed };
                return Err(self.conflict(cause, read.location, read.lock));
            }
        }
        Ok(())
    }

    /// Adds the reads with a lock to the others, for an attempt that ends without a commit.
    fn gather_reads(&mut self) -> Result<(), Abort> {
        for write in self.writes.entries().iter().filter(|write| write.is_read) {
            let Write { row, version, location, .. } = *write;
            memory::push(WHAT, &mut self.reads, Read { lock: row.lock, version, location })?;
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

    /// Returns the elements that its commit wrote.
    pub(crate) fn elements_written(&self) -> impl Iterator<Item = u64> {
        self.writes.entries().iter().filter(|write| write.is_written).map(|write| element_of(write.row.lock))
    }

    /// Returns the attempt's reads, and the versions that its commit installed.
    pub(crate) fn entries(&self, names: &LockNames<'_>) -> impl Iterator<Item = Entry> {
        let own = |write: &Write<'_>| {
            let (array, lock) = names.of(write.row.lock);
            let read = write.is_read.then(|| Entry::read(array, lock, write.version));
            let written = write.is_written.then(|| Entry::write(array, lock, write.version + 1));
            read.into_iter().chain(written)
        };
        self.read_entries(names).chain(self.writes.entries().iter().flat_map(own))
    }

    /// Returns the reads of an attempt without a commit, after [`Attempt::end_early`].
    pub(crate) fn read_entries(&self, names: &LockNames<'_>) -> impl Iterator<Item = Entry> {
        self.reads.iter().map(|read| {
            let (array, lock) = names.of(read.lock);
            Entry::read(array, lock, read.version)
        })
    }

    /// A point where other threads may run, if threads run one at a time.
    #[inline]
    pub(crate) fn step(&self) {
        if let Some(turn) = &self.turn {
            turn.step();
        }
    }

    #[cold]
    fn conflict(&mut self, cause: Cause, location: u32, lock: &'a AtomicU64) -> Abort {
        match cause {
            Cause::Locked => self.conflicts.locked += mutant!("cpu: conflicts with locks do not count", 1, 0),
            Cause::Changed => self.conflicts.changed += 1,
        }
        self.conflict_at = Some(ConflictAt { location, lock });
        Abort::CONFLICT
    }
}

impl Drop for Attempt<'_> {
    /// Releases what it holds, also when the user's function panics.
    fn drop(&mut self) {
        self.release();
    }
}

#[inline]
fn is_for_update(for_update: u64, location: u32) -> bool {
    location < u64::BITS && for_update >> location & 1 == 1
}
