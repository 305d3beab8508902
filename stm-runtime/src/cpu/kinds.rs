//! The order in which a thread visits transactions of several procedures: those of one after the other, within a window.
//!
//! A processor guesses well what comes next where calls of one procedure follow each other, and one claim covers all of them. Any order is
//! right, so the transactions of a window are visited by specialization.

use std::ops::Range;

use crate::backend::{Job, Order};
use crate::memory;

/// The transactions of a window: few enough for the caches.
const WINDOW: usize = 1 << 10;
/// The most specializations: with more, few transactions of a window are alike.
const MOST: usize = 16;
/// The fewest transactions of a batch for which it pays. Smaller batches keep their order.
const FEWEST: usize = 1 << 14;
/// The part of the visited transactions that may wait: where more do, they may wait for others that came before them in the batch.
const FEW: usize = 8;

/// The transactions of a window, by specialization.
pub(crate) struct Kinds {
    lists: Vec<Vec<usize>>,
}

impl Kinds {
    /// Returns the empty lists for a job, if its transactions are to be visited so, and there is memory for that.
    pub(crate) fn of(job: &Job<'_>) -> Option<Kinds> {
        let are_few = (2..=MOST).contains(&job.specializations.len());
        let is_meant = are_few && job.transactions >= FEWEST && job.options.order == Order::Any;
        let list = |_| memory::with_room("transactions of a window", WINDOW).ok();
        let lists: Option<Vec<Vec<usize>>> = (0..job.specializations.len()).filter(|_| is_meant).map(list).collect();
        lists.filter(|_| is_meant).map(|lists| Kinds { lists })
    }

    /// Returns the windows of some transactions.
    pub(crate) fn windows(transactions: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let end = transactions.end;
        transactions.step_by(WINDOW).map(move |first| first..end.min(first + WINDOW))
    }

    /// Visits the transactions of a window, list by list. `take` takes the next ones of one specialization from a range: there may be none while
    /// the range has more.
    pub(crate) fn visit<E>(
        &mut self,
        job: &Job<'_>,
        mut window: Range<usize>,
        mut take: impl FnMut(&mut Range<usize>) -> Range<usize>,
        mut visit: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        while !window.is_empty() {
            let alike = take(&mut window);
            if let Some(list) = alike.clone().next().map(|first| &mut self.lists[job.specialization_of(first)]) {
                list.extend(alike);
            }
        }
        let ended = self.lists.iter().filter(|list| !list.is_empty()).try_for_each(|list| visit(list));
        self.lists.iter_mut().for_each(Vec::clear);
        ended
    }

    /// Returns whether too many of the visited transactions wait: the order of the batch may be better.
    pub(crate) fn many_wait(waiting: usize, visited: usize) -> bool {
        waiting * FEW > visited
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Device;
    use crate::backend::JobOptions;
    use crate::test_procedures::{deposit, transfer};

    #[test]
    fn a_window_is_visited_procedure_by_procedure_and_nothing_is_left_out() {
        // Those of the second procedure with an even number.
        let has_run = |transaction: usize| matches!(transaction % 6, 2 | 4);
        let device = Device::cpu(1);
        let accounts = device.shared(&[0_i64; 4]).unwrap();
        let mut batch = device.batch();
        for transaction in 0..FEWEST {
            if transaction % 3 == 0 {
                batch.push(deposit::call(&accounts, 0, 1));
            } else {
                batch.push(transfer::call(&accounts, 0, 1, 1));
            }
        }
        let options = JobOptions::default();
        let job = batch.job(&options);
        let (mut kinds, mut seen) = (Kinds::of(&job).unwrap(), Vec::new());
        for window in Kinds::windows(0..FEWEST) {
            let mut lists = Vec::new();
            let take = |window: &mut Range<usize>| {
                let first = window.start;
                window.start += 1;
                if has_run(first) { first..first } else { first..first + 1 }
            };
            let visited: Result<(), ()> = kinds.visit(&job, window, take, |list| {
                lists.push(list.to_vec());
                Ok(())
            });
            assert!(visited.is_ok() && lists.len() == 2 && lists.iter().all(|list| list.is_sorted()), "{lists:?}");
            assert!(lists[0].iter().all(|transaction| transaction % 3 == 0), "{lists:?}");
            seen.extend(lists.concat());
        }
        seen.sort_unstable();
        assert!(seen.into_iter().eq((0..FEWEST).filter(|at| !has_run(*at))));
        let in_push_order = JobOptions { order: Order::Pushed, ..JobOptions::default() };
        assert!(Kinds::of(&batch.job(&in_push_order)).is_none());
    }
}
