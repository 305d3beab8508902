//! What all threads of a run read.

use std::ops::Range;

use crate::backend::{Job, Resolved};
use crate::cpu::holders::Holders;
use crate::cpu::pool::WorkerPool;
use crate::cpu::waiter::Waiter;
use crate::memory::{self, NoMemory};
use crate::outcome::{AtomicOutcomes, COMMITTED, ElementCounts, ProfileCounts};
use crate::tx::attempt::ConflictAt;
use crate::tx::sets::element_of;
use crate::tx::{LockNames, View};

/// The purpose of the memory of lists, for errors.
const WHAT: &str = "outcomes";

/// The state of a run.
pub(crate) struct CpuRun<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) views: &'a [View<'a>],
    pub(crate) specializations: &'a [Resolved<'a>],
    pub(crate) outcomes: &'a AtomicOutcomes,
    pub(crate) pool: &'a WorkerPool<'a>,
    pub(crate) names: &'a LockNames<'a>,
    /// Who wrote elements last, if the run is profiled.
    pub(crate) holders: Option<&'a Holders>,
    /// For each specialization, whether a stage at rest runs its transactions before all others; empty where there is no such stage.
    pub(crate) readers: &'a [bool],
}

impl CpuRun<'_> {
    /// Returns the number of the procedure of a transaction.
    pub(crate) fn procedure_of(&self, transaction: usize) -> usize {
        self.specializations[self.job.specialization_of(transaction)].procedure_index
    }

    /// Adds a conflict of a transaction of the procedure to the counts of a thread.
    pub(crate) fn profile_conflict(&self, profile: &mut ProfileCounts, procedure: usize, at: &ConflictAt<'_>) {
        let holder = self.holders.map_or(0, |holders| holders.of(element_of(at.lock)));
        let counts = &mut profile.procedures[procedure];
        if let Some(count) = counts.by_holder.get_mut(holder) {
            *count += 1;
        }
        if let Some(count) = counts.locations.get_mut(at.location as usize) {
            *count += mutant!("cpu: a conflict counts twice at its line", 1, 2);
        }
        let (array, lock) = self.names.of(at.lock);
        let elements = self.views[array].table.elements_under(lock);
        let counts = ElementCounts { elements: elements.len(), conflicts: 1, uncertain: 0 };
        profile.add_element((self.job.arrays_in_batch[array], elements.start), counts);
    }

    /// Returns whether transactions of a specialization have been run at rest before.
    #[inline]
    pub(crate) fn is_reader(&self, specialization: usize) -> bool {
        self.readers.get(specialization).is_some_and(|is_reader| *is_reader)
    }

    /// Takes the next transactions of one specialization from a range: those that still have to be run. There may be none while the
    /// range has more.
    #[inline]
    pub(crate) fn take_alike(&self, transactions: &mut Range<usize>) -> Range<usize> {
        let mut alike = self.job.alike(transactions.clone());
        if !self.readers.is_empty() && self.is_reader(self.job.specialization_of(alike.start)) {
            alike = self.uncommitted(alike);
        }
        transactions.start = alike.end;
        alike
    }

    /// Loads the arguments of transactions of one specialization, whose loads overlap. In attempts whose guards are false now and then none
    /// would: the processor guesses seldom right what comes next, and what waits lies too far apart to be loaded in advance.
    pub(crate) fn load_arguments(&self, transactions: &[usize]) {
        let Some(first) = transactions.first() else { return };
        let specialization = &self.job.specializations[self.job.specialization_of(*first)];
        for column in &self.job.columns[specialization.columns.clone()] {
            std::hint::black_box(transactions.iter().fold(0, |all, one| all ^ column.get(self.job.row_of(*one))));
        }
    }

    /// Returns the first transactions of a range that are not committed.
    fn uncommitted(&self, mut transactions: Range<usize>) -> Range<usize> {
        let is_committed = |at: &usize| mutant!("cpu: a reader runs again", self.outcomes.is(*at, COMMITTED), false);
        transactions.start = transactions.clone().find(|at| !is_committed(at)).unwrap_or(transactions.end);
        transactions.end = transactions.clone().find(is_committed).unwrap_or(transactions.end);
        transactions
    }
}

/// Transactions that a stage leaves to later ones.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Those whose guards were false, each visited once.
    pub(crate) put_off: Vec<usize>,
    /// Those that lost too many conflicts.
    pub(crate) lost: Vec<Waiter>,
}

impl Left {
    /// Adds those of another thread or stage.
    pub(crate) fn append(&mut self, other: &mut Left) -> Result<(), NoMemory> {
        memory::grow_by(WHAT, &mut self.put_off, other.put_off.len())?;
        memory::grow_by(WHAT, &mut self.lost, other.lost.len())?;
        self.put_off.append(&mut other.put_off);
        self.lost.append(&mut other.lost);
        Ok(())
    }

    /// Sorts them, the last transaction first.
    pub(crate) fn sort(&mut self) {
        self.put_off.sort_unstable_by_key(|transaction| std::cmp::Reverse(*transaction));
    }

    /// Takes some of them, once they are sorted: first the first transactions of the batch.
    pub(crate) fn take(&mut self, most: usize) -> Left {
        let last = |len: usize| len.saturating_sub(most);
        let mut put_off = self.put_off.split_off(last(self.put_off.len()));
        put_off.reverse();
        Left { put_off, lost: self.lost.split_off(last(self.lost.len())) }
    }

    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.put_off.is_empty() && self.lost.is_empty()
    }
}
