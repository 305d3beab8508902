//! Rounds in push order: which of the transactions that wait for their guards comes next.
//!
//! The outcome is that of attempting all of them in push order, round after round, until a round commits nothing. One that has read no
//! element that has changed since is left out of a round: its guard is still false.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;

use crate::cpu::backlog::MOST_WATCHED;
use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};

/// The transactions that wait. A position is the index of a transaction among them.
#[derive(Debug)]
pub(crate) struct Rounds {
    /// In push order.
    transactions: Vec<usize>,
    /// For each position, whether the transaction waits. One that is due or has ended does not.
    waits: Vec<bool>,
    /// The positions that have read an element. Those that do not wait may be among them.
    readers: HashMap<u64, HashSet<u32>>,
    /// The positions that have read too much, and wait for any change.
    of_any: Vec<u32>,
    /// The round, from 2 on.
    round: u32,
    /// The position whose turn it is.
    current: u32,
    /// The positions that are due in this round: the last first, and those that became due during the round.
    due: Vec<u32>,
    added: BinaryHeap<Reverse<u32>>,
    /// The positions that are due in the next round.
    later: Vec<u32>,
}

impl Rounds {
    /// Returns the rounds for transactions that have been attempted once, in push order. All are due.
    pub(crate) fn of(transactions: Vec<usize>) -> Result<Rounds, NoMemory> {
        Ok(Rounds {
            waits: memory::filled(WHAT, transactions.len(), false)?,
            due: memory::collected(WHAT, (0..transactions.len() as u32).rev())?,
            transactions,
            readers: HashMap::new(),
            of_any: Vec::new(),
            round: 2,
            current: 0,
            added: BinaryHeap::new(),
            later: Vec::new(),
        })
    }

    /// Returns the next transactions, which are neighbours in the batch, and how many rounds they have had; `None` if no guard can become
    /// true any more. There is one, unless none waits.
    pub(crate) fn next_row(&mut self) -> Option<(Range<usize>, u32)> {
        let Waiter { transaction: first, visits } = self.next()?;
        let mut row = first..first + 1;
        while self.none_waits() && self.due.last().is_some_and(|at| self.transactions[*at as usize] == row.end) {
            self.due.pop();
            row.end += 1;
        }
        Some((row, visits))
    }

    /// Takes back what has not been attempted of a row.
    pub(crate) fn put_back(&mut self, row: Range<usize>) {
        let first = self.transactions.partition_point(|transaction| *transaction < row.start) as u32;
        // They were there before, so there is room.
        self.due.extend((first..first + row.len() as u32).rev());
    }

    /// Returns whether no transaction waits: then no commit is of interest.
    pub(crate) fn none_waits(&self) -> bool {
        self.readers.is_empty() && self.of_any.is_empty()
    }

    fn next(&mut self) -> Option<Waiter> {
        if self.due.is_empty() && self.added.is_empty() {
            self.round += 1;
            self.later.sort_unstable_by_key(|position| Reverse(*position));
            std::mem::swap(&mut self.due, &mut self.later);
        }
        let added = self.added.peek().map(|Reverse(position)| *position);
        let is_added = added.is_some_and(|added| self.due.last().is_none_or(|due| added < *due));
        self.current = if is_added { self.added.pop().map(|Reverse(position)| position) } else { self.due.pop() }?;
        Some(Waiter { transaction: self.transactions[self.current as usize], visits: self.round - 1 })
    }

    /// Lets a transaction, whose turn it is, wait for the elements that it has read.
    pub(crate) fn wait(
        &mut self,
        transaction: usize,
        reads: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), NoMemory> {
        self.current = self.transactions.partition_point(|other| *other < transaction) as u32;
        self.waits[self.current as usize] = true;
        if reads.clone().count() > MOST_WATCHED {
            return memory::push(WHAT, &mut self.of_any, self.current);
        }
        for element in reads {
            let short = |_| NoMemory::for_elements::<u64>(WHAT, self.transactions.len());
            self.readers.try_reserve(1).map_err(short)?;
            let readers = self.readers.entry(element).or_default();
            readers.try_reserve(1).map_err(short)?;
            readers.insert(self.current);
        }
        Ok(())
    }

    /// Takes the elements that the current transaction has written. Those that wait for one become due: in this round if their turn
    /// is still to come, otherwise in the next.
    pub(crate) fn wrote(&mut self, elements: impl Iterator<Item = u64>) -> Result<(), NoMemory> {
        let mut has_written = false;
        for element in elements {
            has_written = true;
            for position in self.readers.remove(&element).into_iter().flatten() {
                self.wake(position)?;
            }
        }
        if mutant!("rounds: what reads much is forgotten", has_written, false) {
            std::mem::take(&mut self.of_any).into_iter().try_for_each(|position| self.wake(position))?;
        }
        Ok(())
    }

    fn wake(&mut self, position: u32) -> Result<(), NoMemory> {
        let waits = std::mem::take(&mut self.waits[position as usize]);
        if !mutant!("rounds: what has ended is due again", waits, true) {
            return Ok(());
        }
        if mutant!("rounds: all wait for the next round", position > self.current, false) {
            let short = |_| NoMemory::for_elements::<u32>(WHAT, self.transactions.len());
            self.added.try_reserve(1).map_err(short)?;
            self.added.push(Reverse(position));
            return Ok(());
        }
        memory::push(WHAT, &mut self.later, position)
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        neighbours_come_together_until_one_waits
        what_becomes_due_has_its_turn_in_push_order
        one_that_reads_much_waits_for_any_change
    }

    fn next(rounds: &mut Rounds) -> Option<(usize, u32)> {
        rounds.next().map(|waiter| (waiter.transaction, waiter.visits))
    }

    #[cfg_attr(test, test)]
    fn what_becomes_due_has_its_turn_in_push_order() {
        let mut rounds = Rounds::of(vec![3, 5, 8, 9]).unwrap();
        for (transaction, element) in [(3, 1), (5, 7), (8, 2)] {
            assert_eq!(next(&mut rounds), Some((transaction, 1)));
            rounds.wait(transaction, [element, 100].into_iter()).unwrap();
        }
        assert_eq!(next(&mut rounds), Some((9, 1)));
        rounds.wrote([1, 50].into_iter()).unwrap();
        assert_eq!(next(&mut rounds), Some((3, 2)), "its turn of the first round was over");
        rounds.wrote([2].into_iter()).unwrap();
        assert_eq!(next(&mut rounds), Some((8, 2)), "its turn of this round is still to come");
        rounds.wrote([2, 100].into_iter()).unwrap();
        assert_eq!(next(&mut rounds), Some((5, 3)), "the others have ended");
        rounds.wrote([100].into_iter()).unwrap();
        assert_eq!(next(&mut rounds), None);
    }

    #[cfg_attr(test, test)]
    fn neighbours_come_together_until_one_waits() {
        let mut rounds = Rounds::of(vec![3, 4, 5, 8]).unwrap();
        assert_eq!(rounds.next_row(), Some((3..6, 1)));
        rounds.wait(4, [7].into_iter()).unwrap();
        rounds.put_back(5..6);
        assert_eq!(rounds.next_row(), Some((5..6, 1)));
        rounds.wrote([7].into_iter()).unwrap();
        assert_eq!(rounds.next_row(), Some((8..9, 1)));
        assert_eq!(rounds.next_row(), Some((4..5, 2)));
        assert_eq!(rounds.next_row(), None);
    }

    #[cfg_attr(test, test)]
    fn one_that_reads_much_waits_for_any_change() {
        let mut rounds = Rounds::of(vec![0, 1]).unwrap();
        assert_eq!(next(&mut rounds), Some((0, 1)));
        rounds.wait(0, 0..=MOST_WATCHED as u64).unwrap();
        assert_eq!(next(&mut rounds), Some((1, 1)));
        rounds.wrote(std::iter::empty()).unwrap();
        assert_eq!(next(&mut rounds), None, "a commit that writes nothing is no change");
        let mut rounds = Rounds::of(vec![0, 1]).unwrap();
        next(&mut rounds);
        rounds.wait(0, 0..=MOST_WATCHED as u64).unwrap();
        next(&mut rounds);
        rounds.wrote([1000].into_iter()).unwrap();
        assert_eq!(next(&mut rounds), Some((0, 2)));
    }
}
