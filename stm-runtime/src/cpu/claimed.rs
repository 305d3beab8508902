//! The order in which a thread executes the transactions that it has claimed: in groups whose elements are touched beforehand, and where there are
//! several procedures, those of one after the other.

use std::ops::Range;

use crate::cpu::kinds::Kinds;
use crate::cpu::prefetch::{GROUP, LookAhead};
use crate::cpu::state::CpuRun;
use crate::tx::Halted;

/// How a thread orders the transactions of a claim, and touches their elements.
pub(crate) struct ClaimOrder<'a> {
    run: &'a CpuRun<'a>,
    /// Prefetches, if that pays.
    look_ahead: Option<LookAhead<'a>>,
    /// The transactions of a window by procedure, if they are executed so.
    kinds: Option<Kinds>,
}

impl<'a> ClaimOrder<'a> {
    /// Returns that of a thread which commits under locks, or in place.
    pub(crate) fn new(run: &'a CpuRun<'a>, is_in_place: bool) -> ClaimOrder<'a> {
        let (job, kinds) = (run.job, Kinds::of(run.job));
        let look_ahead = LookAhead::new(job, run.views, |specialization| !run.is_reader(specialization));
        // Where transactions of one procedure follow each other, and no lock orders their loads, a processor looks ahead itself.
        let is_easy = is_in_place && (kinds.is_some() || job.specializations.len() == 1);
        ClaimOrder {
            run,
            look_ahead: if is_easy { look_ahead.and_then(LookAhead::in_place) } else { look_ahead },
            kinds,
        }
    }

    /// Returns how many of some transactions are executed at a time: without prefetches there is no reason to stop.
    fn step(&self, transactions: usize) -> usize {
        if self.look_ahead.is_some() { GROUP } else { transactions.max(1) }
    }
}

/// A thread that executes transactions.
pub(crate) trait Executor<'a> {
    fn order(&mut self) -> &mut ClaimOrder<'a>;

    /// Returns the number of transactions that it has left for later because their guards were false.
    fn put_off(&self) -> usize;

    /// Executes transactions of one specialization for the first time, which follow each other in the batch.
    fn execute_range(&mut self, alike: Range<usize>) -> Result<(), Halted>;

    /// Executes the transactions of a list, which are of one specialization, for the first time.
    fn execute_list(&mut self, alike: &[usize]) -> Result<(), Halted>;

    /// Executes claimed transactions for the first time.
    fn execute_claimed(&mut self, transactions: Range<usize>) -> Result<(), Halted> {
        if self.order().kinds.is_none() {
            return self.execute_in_order(transactions);
        }
        for window in Kinds::windows(transactions) {
            let Some(mut kinds) = self.order().kinds.take() else {
                self.execute_in_order(window)?;
                continue;
            };
            let (size, before, run) = (window.len(), self.put_off(), self.order().run);
            kinds.visit(run.job, window, |window| run.take_alike(window), |list| self.execute_in_groups(list))?;
            let waiting = self.put_off() - before;
            self.order().kinds = Some(kinds).filter(|_| !Kinds::many_wait(waiting, size));
        }
        Ok(())
    }

    /// Executes transactions in the order of the batch.
    fn execute_in_order(&mut self, transactions: Range<usize>) -> Result<(), Halted> {
        let (run, step) = (self.order().run, self.order().step(transactions.len()));
        for first in transactions.clone().step_by(step) {
            let mut group = first..transactions.end.min(first + step);
            if let Some(look_ahead) = &mut self.order().look_ahead {
                look_ahead.group(run, group.clone());
            }
            while !group.is_empty() {
                let alike = run.take_alike(&mut group);
                self.execute_range(alike)?;
            }
        }
        Ok(())
    }

    /// Executes the transactions of a list, which are of one specialization, group by group.
    fn execute_in_groups(&mut self, list: &[usize]) -> Result<(), Halted> {
        let (run, step) = (self.order().run, self.order().step(list.len()));
        for group in list.chunks(step) {
            if let Some(look_ahead) = &mut self.order().look_ahead {
                look_ahead.alike(run, group);
            }
            self.execute_list(group)?;
        }
        Ok(())
    }
}
