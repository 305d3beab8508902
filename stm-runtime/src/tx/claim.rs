//! Transactions of one procedure that a thread attempts one after the other, in one call of the procedure's function.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::abort::Abort;
use super::alarm::Alarm;
use crate::outcome::{AtomicOutcomes, COMMITTED};
use crate::sync::AtomicBool;

/// The transactions, and what becomes of them.
#[derive(Debug)]
pub struct Claim<'r> {
    /// The transaction to be attempted next. Those before it are committed, or noted as postponed.
    pub(crate) next: usize,
    pub(crate) end: usize,
    /// The transactions, if they do not follow each other: `next` and `end` are places in this list.
    pub(crate) list: Option<&'r [usize]>,
    /// The most attempts from one look at the alarm to the next.
    pub(crate) stretch: usize,
    /// Where commits are noted. Without it, the caller starts the only attempt, and there is nothing to commit.
    pub(crate) log: Option<&'r CommitLog<'r>>,
    /// The words of the result of an attempt without a log.
    pub(crate) result: &'r mut [u64],
    /// Takes transactions whose guards are false, as far as it has room: then the next one follows at once.
    pub(crate) postponed: Option<&'r mut Vec<usize>>,
}

impl<'r> Claim<'r> {
    /// Returns the claim of several transactions.
    pub(crate) fn of(transactions: Range<usize>, log: &'r CommitLog<'r>) -> Claim<'r> {
        let (next, end) = (transactions.start, transactions.end);
        Claim { next, end, list: None, stretch: 1, log: Some(log), result: &mut [], postponed: None }
    }

    /// Returns the claim of those in a list.
    pub(crate) fn of_list(list: &'r [usize], log: &'r CommitLog<'r>) -> Claim<'r> {
        Claim { list: Some(list), ..Claim::of(0..list.len(), log) }
    }

    /// Returns the claim of one transaction, whose attempt the caller has started.
    pub(crate) fn one(transaction: usize, result: &'r mut [u64]) -> Claim<'r> {
        Claim { next: transaction, end: transaction + 1, list: None, stretch: 1, log: None, result, postponed: None }
    }

    /// Returns the transaction at a place from `next` to `end`.
    #[inline(always)]
    pub(crate) fn transaction(&self, at: usize) -> usize {
        match self.list {
            Some(list) => list[at],
            None => at,
        }
    }
}

/// Where a thread notes its commits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitLog<'r> {
    pub(crate) alarm: &'r Alarm,
    pub(crate) outcomes: &'r AtomicOutcomes,
    pub(crate) counts: &'r Counts,
    /// Whether the caller has to do something before each commit.
    pub(crate) holds: bool,
    /// Whether the caller has to do something after each commit; `None` if it always has.
    pub(crate) watch: Option<&'r AtomicBool>,
}

impl CommitLog<'_> {
    /// Notes a commit. It must come after the commit.
    #[inline]
    pub(crate) fn note_commit(&self, transaction: usize, has_written: bool) {
        self.outcomes.set_status(transaction, COMMITTED);
        self.counts.finish(mutant!("cpu: reads count as changes", has_written, true));
    }

    /// Returns whether the caller has to do something after a commit.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_none_or(|watch| watch.load(Ordering::Relaxed))
    }
}

/// Why a procedure's function returned to the executor.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All transactions of the claim are committed.
    All,
    /// The transaction before the next one is committed, and the executor has to do something about it.
    Committed,
    /// The attempt at the next transaction can be committed: the executor has to do something before it does that itself.
    Ready,
    /// The attempt at the next transaction ended early.
    Early(Abort),
    /// The run has to end.
    Halted,
}

impl Ended {
    /// Returns the end of an attempt without a log.
    pub(crate) fn of_one(self) -> Result<(), Abort> {
        match self {
            Ended::Early(abort) => Err(abort),
            _ => Ok(()),
        }
    }
}

/// The counters that one thread publishes, on a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counts {
    /// Commits that wrote something.
    changes: AtomicU64,
    /// Transactions with a final outcome.
    finished: AtomicU64,
}

impl Counts {
    /// Counts a transaction with a final outcome. It must come after the commit that it counts. Only one thread calls it.
    #[inline]
    pub(crate) fn finish(&self, has_written: bool) {
        self.add(1, u64::from(has_written));
    }

    /// Counts that many transactions with a final outcome, and among them commits that wrote something. As [`Counts::finish`].
    #[inline]
    pub(crate) fn add(&self, finished: u64, changes: u64) {
        // Release: a thread that reads these numbers afterwards sees the values written before.
        self.changes.store(self.changes.load(Ordering::Relaxed) + changes, Ordering::Release);
        self.finished.store(self.finished.load(Ordering::Relaxed) + finished, Ordering::Release);
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Acquire)
    }
}
