//! The order in which a thread visits transactions for the first time: in groups whose elements are touched beforehand, and where there are
//! several procedures, those of one after the other.

use std::ops::Range;

use crate::cpu::kinds::Kinds;
use crate::cpu::prefetch::{GROUP, LookAhead};
use crate::cpu::state::CpuRun;
use crate::tx::Halted;

/// What a thread knows of the transactions that it is about to visit.
pub(crate) struct Ahead<'a> {
    run: &'a CpuRun<'a>,
    /// Prefetches, if that pays.
    look_ahead: Option<LookAhead<'a>>,
    /// The transactions of a window by procedure, if they are visited so.
    kinds: Option<Kinds>,
}

impl<'a> Ahead<'a> {
    /// Returns that of a thread which commits under locks, or in place.
    pub(crate) fn new(run: &'a CpuRun<'a>, is_in_place: bool) -> Ahead<'a> {
        let (job, kinds) = (run.job, Kinds::of(run.job));
        let look_ahead = LookAhead::new(job, run.views, |specialization| !run.is_reader(specialization));
        // Where transactions of one procedure follow each other, and no lock orders their loads, a processor looks ahead itself.
        let is_easy = is_in_place && (kinds.is_some() || job.specializations.len() == 1);
        Ahead { run, look_ahead: if is_easy { look_ahead.and_then(LookAhead::in_place) } else { look_ahead }, kinds }
    }

    /// Returns how many of some transactions are visited at a time: without prefetches there is no reason to stop.
    fn step(&self, transactions: usize) -> usize {
        if self.look_ahead.is_some() { GROUP } else { transactions.max(1) }
    }
}

/// A thread that visits transactions.
pub(crate) trait Visitor<'a> {
    fn ahead(&mut self) -> &mut Ahead<'a>;

    /// Returns the number of transactions that it has left for later because their guards were false.
    fn put_off(&self) -> usize;

    /// Executes transactions of one specialization for the first time, which follow each other in the batch.
    fn visit_range(&mut self, alike: Range<usize>) -> Result<(), Halted>;

    /// Executes the transactions of a list, which are of one specialization, for the first time.
    fn visit_list(&mut self, alike: &[usize]) -> Result<(), Halted>;

    /// Executes claimed transactions for the first time.
    fn visit_claimed(&mut self, transactions: Range<usize>) -> Result<(), Halted> {
        if self.ahead().kinds.is_none() {
            return self.visit_in_order(transactions);
        }
        for window in Kinds::windows(transactions) {
            let Some(mut kinds) = self.ahead().kinds.take() else {
                self.visit_in_order(window)?;
                continue;
            };
            let (size, before, run) = (window.len(), self.put_off(), self.ahead().run);
            kinds.visit(run.job, window, |window| run.take_alike(window), |list| self.visit_in_groups(list))?;
            let waiting = self.put_off() - before;
            self.ahead().kinds = Some(kinds).filter(|_| !Kinds::many_wait(waiting, size));
        }
        Ok(())
    }

    /// Executes transactions in the order of the batch.
    fn visit_in_order(&mut self, transactions: Range<usize>) -> Result<(), Halted> {
        let (run, step) = (self.ahead().run, self.ahead().step(transactions.len()));
        for first in transactions.clone().step_by(step) {
            let mut group = first..transactions.end.min(first + step);
            if let Some(look_ahead) = &mut self.ahead().look_ahead {
                look_ahead.group(run, group.clone());
            }
            while !group.is_empty() {
                let alike = run.take_alike(&mut group);
                self.visit_range(alike)?;
            }
        }
        Ok(())
    }

    /// Executes the transactions of a list, which are of one specialization, group by group.
    fn visit_in_groups(&mut self, list: &[usize]) -> Result<(), Halted> {
        let (run, step) = (self.ahead().run, self.ahead().step(list.len()));
        for group in list.chunks(step) {
            if let Some(look_ahead) = &mut self.ahead().look_ahead {
                look_ahead.alike(run, group);
            }
            self.visit_list(group)?;
        }
        Ok(())
    }
}
