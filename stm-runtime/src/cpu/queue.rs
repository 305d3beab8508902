//! The transactions that wait for one element, and the order in which they are attempted.
//!
//! A commit that writes the element makes all of them *due*. Most often only one of them can go on: one place has become free, or a
//! number has come up. Only an attempt shows which one. Programs push related transactions side by side, so the transaction nearest
//! to the committing transaction is the best guess. Programs also push one sort of work after another, so the transaction farthest
//! away is the second guess; the two guesses alternate. After some dozens of wrong guesses the transactions are attempted in order.
//! So the transactions are kept sorted, with a gap at the position of the last commit's transaction, and are taken from the edges
//! of the gap and from the ends. Transactions whose attempt failed are kept apart until the next commit, and then return into the
//! gap.

use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};

/// The most that are taken at once.
const MOST_AT_ONCE: usize = 256;
/// Of so many that are taken at once none is a guess any more.
pub(super) const NO_GUESS: usize = 64;
/// A list of this length drops entries that no longer count before it grows.
const WORTH_CLEANING: usize = 8;
/// How far the gap may move at any time. Moving it farther must be paid for by as many attempts since the last such move.
const NEAR: usize = 64;

/// Several transactions that wait for one element. Entries of transactions that wait no longer may remain.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Sorted transactions: those from `first` to below `low`, and those from `high` on.
    transactions: Vec<Waiter>,
    first: usize,
    low: usize,
    high: usize,
    /// Transactions that are due as well, unsorted, taken after all others. They are few compared with `transactions`.
    later: Vec<Waiter>,
    /// Transactions that came since the last commit. They are not due.
    fresh: Vec<Waiter>,
    /// The transaction of the last commit.
    at: usize,
    /// How many transactions have been taken since the gap was last moved far.
    earned: usize,
    /// How many transactions are taken next.
    at_once: usize,
    /// The backlog knows that transactions are due.
    pub(super) is_noted: bool,
}

impl Queue {
    /// Adds a transaction that is not due. `waits` says whether an entry still counts.
    pub(super) fn add(&mut self, waiter: Waiter, waits: impl Fn(Waiter) -> bool) -> Result<(), NoMemory> {
        if self.fresh.len() == self.fresh.capacity() && self.fresh.len() >= WORTH_CLEANING {
            self.fresh.retain(|waiter| waits(*waiter));
        }
        memory::push(WHAT, &mut self.fresh, waiter)
    }

    /// Makes all transactions due: a commit of that transaction has changed the element.
    pub(super) fn change(&mut self, at: usize) -> Result<(), NoMemory> {
        self.at = at;
        self.at_once = 1;
        self.put_back()?;
        if self.later.len() > self.ordered() / 4 {
            return self.put_in_order();
        }
        self.move_gap();
        Ok(())
    }

    /// Takes the transaction that is nearest to the last commit's transaction.
    pub(super) fn pop_near(&mut self) -> Option<Waiter> {
        self.earned += 1;
        match (self.transactions[self.first..self.low].last().copied(), self.transactions.get(self.high).copied()) {
            (Some(below), above) if above.is_none_or(|above| self.distance(below) < self.distance(above)) => {
                self.low -= 1;
                Some(below)
            }
            (_, Some(above)) => {
                self.high += 1;
                Some(above)
            }
            (_, None) => self.later.pop(),
        }
    }

    /// Takes the transaction that is farthest from the last commit's transaction.
    pub(super) fn pop_far(&mut self) -> Option<Waiter> {
        self.earned += 1;
        match (self.transactions[self.first..self.low].first().copied(), self.transactions[self.high..].last().copied())
        {
            (Some(first), last) if last.is_none_or(|last| self.distance(first) > self.distance(last)) => {
                self.first += 1;
                Some(first)
            }
            (_, Some(_)) => self.transactions.pop(),
            (_, None) => self.later.pop(),
        }
    }

    /// Takes the first transaction that is due.
    pub(super) fn pop_first(&mut self) -> Option<Waiter> {
        self.earned += 1;
        if self.first < self.low {
            self.first += 1;
            return Some(self.transactions[self.first - 1]);
        }
        let first = self.transactions.get(self.high).copied();
        self.high += usize::from(first.is_some());
        first.or_else(|| self.later.pop())
    }

    fn distance(&self, waiter: Waiter) -> usize {
        self.at.abs_diff(waiter.transaction)
    }

    /// Returns how many transactions to take next: twice as many each time, until the next commit.
    pub(super) fn at_once(&mut self) -> usize {
        let now = self.at_once.max(1);
        self.at_once = (2 * now).min(MOST_AT_ONCE);
        now
    }

    /// Returns true if transactions are due.
    pub(super) fn has_due(&self) -> bool {
        self.ordered() + self.later.len() > 0
    }

    /// Returns true if no transaction is left.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_due() && self.fresh.is_empty()
    }

    fn ordered(&self) -> usize {
        self.low - self.first + self.transactions.len() - self.high
    }

    /// Makes the fresh transactions due. Those for which there is room at their position go there, and the others into `later`.
    fn put_back(&mut self) -> Result<(), NoMemory> {
        let mut fresh = std::mem::take(&mut self.fresh);
        // Usually these are a few guesses, and then transactions in order. Sorting all of them would cost more than their attempts.
        let in_order = fresh.windows(2).rev().take_while(|pair| pair[0].transaction < pair[1].transaction).count() + 1;
        let guesses = fresh.len().saturating_sub(in_order);
        if guesses > 0 {
            fresh = merged(fresh, guesses)?;
        }
        self.put_run(&fresh)?;
        fresh.clear();
        self.fresh = fresh;
        Ok(())
    }

    /// Makes transactions due that are in order.
    fn put_run(&mut self, run: &[Waiter]) -> Result<(), NoMemory> {
        memory::grow_by(WHAT, &mut self.later, run.len())?;
        memory::grow_by(WHAT, &mut self.transactions, run.len())?;
        let run = self.put_first(run);
        let run = self.put_into_gap(run);
        let last = if self.high < self.transactions.len() { self.transactions.last() } else { None };
        let end = run.len()
            - last.map_or(0, |last| run.len() - run.partition_point(|waiter| waiter.transaction <= last.transaction));
        self.transactions.extend_from_slice(&run[end..]);
        self.later.extend_from_slice(&run[..end]);
        Ok(())
    }

    /// Puts those before all others that come first, if there is room. Returns the rest.
    fn put_first<'a>(&mut self, run: &'a [Waiter]) -> &'a [Waiter] {
        let Some(least) = self.transactions[self.first..self.low].first() else { return run };
        let (before, rest) = run.split_at(run.partition_point(|waiter| waiter.transaction < least.transaction));
        if before.len() > self.first {
            return run;
        }
        self.transactions[self.first - before.len()..self.first].copy_from_slice(before);
        self.first -= before.len();
        rest
    }

    /// Puts those into the gap that belong there, as long as there is room. Returns the rest, if that is one run, or all.
    fn put_into_gap<'a>(&mut self, run: &'a [Waiter]) -> &'a [Waiter] {
        let least = self.transactions[self.first..self.low].last().map_or(0, |below| below.transaction + 1);
        let end = self.transactions.get(self.high).map_or(usize::MAX, |above| above.transaction);
        let begin = run.partition_point(|waiter| waiter.transaction < least);
        let (fit, rest) = run[begin..].split_at(run[begin..].partition_point(|waiter| waiter.transaction < end));
        if self.first == self.low {
            // Nothing is before the gap, so it begins at the first place.
            (self.first, self.low) = (0, 0);
        }
        if self.high == self.transactions.len() && fit.len() > self.high - self.low {
            // Nothing is behind it, so it ends where the last of these will be.
            self.transactions.resize(self.low + fit.len(), fit[0]);
            self.high = self.transactions.len();
        }
        if fit.len() > self.high - self.low {
            return run;
        }
        // There was no room for these before the others.
        self.later.extend_from_slice(&run[..begin]);
        let (below, above) = fit.split_at(fit.partition_point(|waiter| waiter.transaction < self.at));
        self.transactions[self.low..][..below.len()].copy_from_slice(below);
        self.transactions[self.high - above.len()..self.high].copy_from_slice(above);
        self.low += below.len();
        self.high -= above.len();
        rest
    }

    /// Sorts all due transactions, and puts the gap at the last commit's transaction.
    fn put_in_order(&mut self) -> Result<(), NoMemory> {
        memory::grow_by(WHAT, &mut self.transactions, self.later.len())?;
        self.transactions.drain(self.low..self.high);
        self.transactions.drain(..self.first);
        self.transactions.append(&mut self.later);
        self.transactions.sort_unstable_by_key(|waiter| waiter.transaction);
        self.low = self.transactions.partition_point(|waiter| waiter.transaction < self.at);
        (self.first, self.high) = (0, self.low);
        Ok(())
    }

    /// Moves the gap to the last commit's transaction, unless that is far and too few transactions have been taken since the last
    /// such move.
    fn move_gap(&mut self) {
        let (low, high) = (self.low, self.high);
        let below = low
            - self.first
            - self.transactions[self.first..low].partition_point(|waiter| waiter.transaction < self.at);
        let above = self.transactions[high..].partition_point(|waiter| waiter.transaction < self.at);
        if below.max(above) > NEAR {
            if below.max(above) > self.earned {
                return;
            }
            self.earned = 0;
        }
        self.transactions.copy_within(low - below..low, high - below);
        self.transactions.copy_within(high..high + above, low);
        self.low = low - below + above;
        self.high = high - below + above;
    }
}

/// Sorts transactions, of which those behind the first `few` are in order.
fn merged(mut transactions: Vec<Waiter>, few: usize) -> Result<Vec<Waiter>, NoMemory> {
    let mut sorted = memory::with_room(WHAT, transactions.len())?;
    let (few, mut many) = transactions.split_at_mut(few);
    few.sort_unstable_by_key(|waiter| waiter.transaction);
    for waiter in few {
        let (before, rest) = many.split_at_mut(many.partition_point(|other| other.transaction < waiter.transaction));
        sorted.extend_from_slice(before);
        sorted.push(*waiter);
        many = rest;
    }
    sorted.extend_from_slice(many);
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiter(transaction: usize) -> Waiter {
        Waiter { transaction, visits: 1 }
    }

    fn queue(transactions: impl IntoIterator<Item = usize>) -> Queue {
        let mut queue = Queue::default();
        transactions.into_iter().for_each(|transaction| queue.add(waiter(transaction), |_| true).unwrap());
        queue
    }

    fn taken(queue: &mut Queue, most: usize) -> Vec<usize> {
        (0..most).map_while(|_| queue.pop_near()).map(|waiter| waiter.transaction).collect()
    }

    #[test]
    fn the_nearest_are_taken_first_and_each_once() {
        let mut queue = queue([9, 1, 30, 12, 11, 2]);
        assert!(!queue.has_due() && !queue.is_empty());
        queue.change(10).unwrap();
        assert_eq!(taken(&mut queue, 4), [11, 9, 12, 2]);
        assert_eq!([30, 1], [(); 2].map(|()| queue.pop_far().unwrap().transaction));
        assert!(queue.is_empty());
    }

    #[test]
    fn a_transaction_that_comes_back_is_due_after_the_next_commit_only() {
        let mut queue = queue(0..8);
        queue.change(4).unwrap();
        for transaction in taken(&mut queue, 3) {
            queue.add(waiter(transaction), |_| true).unwrap();
        }
        assert_eq!(taken(&mut queue, 9).len(), 5);
        assert!(!queue.has_due());
        queue.change(100).unwrap();
        assert_eq!(taken(&mut queue, 9), [5, 4, 3]);
    }

    #[test]
    fn transactions_that_were_attempted_in_order_go_back_to_their_places() {
        let mut queue = queue(0..1000);
        queue.change(500).unwrap();
        let mut attempted = taken(&mut queue, 4);
        attempted.extend((0..3).map(|_| queue.pop_far().unwrap().transaction));
        attempted.extend((0..700).map(|_| queue.pop_first().unwrap().transaction));
        attempted.into_iter().for_each(|transaction| queue.add(waiter(transaction), |_| true).unwrap());
        queue.change(200).unwrap();
        assert!(queue.later.is_empty(), "{} transactions have lost their places", queue.later.len());
        assert_eq!(taken(&mut queue, 3), [200, 201, 199]);
    }

    #[test]
    fn batches_double_until_the_next_commit() {
        let mut queue = queue(0..4);
        queue.change(0).unwrap();
        assert_eq!([1, 2, 4], [(); 3].map(|()| queue.at_once()));
        queue.change(0).unwrap();
        assert_eq!(queue.at_once(), 1);
    }

    /// Compares with a plain list through many commits, failed attempts and new transactions.
    #[test]
    fn no_transaction_is_lost_or_taken_twice() {
        let mut random = 1_u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % n
        };
        for _ in 0..200 {
            let (mut queue, mut due, mut fresh) = (Queue::default(), Vec::new(), Vec::new());
            for _ in 0..200 {
                match below(4) {
                    0 => {
                        queue.change(below(1000)).unwrap();
                        due.append(&mut fresh);
                    }
                    1 => {
                        let transaction = below(1000);
                        queue.add(waiter(transaction), |_| true).unwrap();
                        fresh.push(transaction);
                    }
                    _ => {
                        let taken = match below(3) {
                            0 => queue.pop_near(),
                            1 => queue.pop_far(),
                            _ => queue.pop_first(),
                        };
                        let Some(transaction) = taken.map(|waiter| waiter.transaction) else {
                            assert!(due.is_empty());
                            continue;
                        };
                        let at = due.iter().position(|known| *known == transaction).expect("it should be due");
                        due.swap_remove(at);
                        if below(2) == 0 {
                            queue.add(waiter(transaction), |_| true).unwrap();
                            fresh.push(transaction);
                        }
                    }
                }
                assert_eq!((queue.has_due(), queue.is_empty()), (!due.is_empty(), due.is_empty() && fresh.is_empty()));
            }
            queue.change(0).unwrap();
            due.append(&mut fresh);
            let mut rest = taken(&mut queue, usize::MAX);
            rest.sort_unstable();
            due.sort_unstable();
            assert_eq!(rest, due);
        }
    }
}
