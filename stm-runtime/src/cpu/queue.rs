//! The transactions that wait for one element, and the order in which they are attempted.
//!
//! A commit that writes the element makes all of them *due*. Most often only one of them can go on: one place has become free, or a
//! number has come up. Only an attempt shows which one. Programs push related transactions side by side, so the transaction nearest
//! to the committing transaction is the best guess. Programs also push one sort of work after another, so the transaction farthest
//! away is the second guess. The two guesses alternate. After some dozens of wrong guesses the transactions are attempted in order.
//!
//! The entries are sorted, and an entry keeps its place when its transaction is taken. A transaction whose attempt fails again
//! marks its entry as present. So a commit moves no entry: it sets cursors on both sides of its own transaction and at both ends.
//! Taken entries lie outside the ranges between the cursors and are not due before the next commit.

use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};

/// The most transactions that are taken at once.
const MOST_AT_ONCE: usize = 256;
/// From this number of transactions taken at once, the queue guesses no more.
pub(super) const NO_GUESS: usize = 64;
/// A list of this length drops entries that no longer count before it grows.
const WORTH_CLEANING: usize = 8;
/// The most absent entries that cursors skip. Taken entries of running attempts are among them.
const MOST_ABSENT: usize = 1024;

/// The place of a transaction among those that wait.
#[derive(Debug, Clone, Copy)]
struct Entry {
    waiter: Waiter,
    /// The transaction waits here: it was not taken, or its attempt has failed again.
    is_present: bool,
}

/// Several transactions that wait for one element. Entries of transactions that wait no longer may remain.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Sorted by transaction, each of which has one entry. Present entries from `first` to below `low`, and from `high` to below
    /// `last`, are due.
    entries: Vec<Entry>,
    first: usize,
    low: usize,
    high: usize,
    last: usize,
    /// Present entries.
    present: usize,
    /// Present entries that are due.
    due: usize,
    /// The entry that was added last: transactions that were taken in order come back in order.
    added: usize,
    /// Transactions without an entry that are due, unsorted, taken after all others. They are few compared with `entries`.
    later: Vec<Waiter>,
    /// Transactions without an entry that came since the last commit. They are not due.
    fresh: Vec<Waiter>,
    /// The transaction of the last commit.
    at: usize,
    /// How many transactions are taken next.
    at_once: usize,
    /// The backlog knows that transactions are due.
    pub(super) is_noted: bool,
}

impl Queue {
    /// Adds a transaction that is not due. `waits` says whether an entry still counts.
    pub(super) fn add(&mut self, waiter: Waiter, waits: impl Fn(Waiter) -> bool) -> Result<(), NoMemory> {
        let known = self.find(waiter.transaction);
        // A thread that enters the queues slowly may come after the next visit of its transaction. That visit counts.
        let is_late = |at: usize| self.entries[at].waiter.visits > waiter.visits;
        if mutant!("cpu: a late entry replaces a newer one", known.is_some_and(is_late), false) {
            return Ok(());
        }
        // An absent entry between the cursors would become due.
        if let Some(at) = known.filter(|at| self.entries[*at].is_present || !self.is_ahead(*at)) {
            self.present += usize::from(!self.entries[at].is_present);
            self.entries[at] = Entry { waiter, is_present: true };
            self.added = at;
            return Ok(());
        }
        if self.fresh.len() == self.fresh.capacity() && self.fresh.len() >= WORTH_CLEANING {
            self.fresh.retain(|waiter| waits(*waiter));
        }
        memory::push(WHAT, &mut self.fresh, waiter)
    }

    fn find(&self, transaction: usize) -> Option<usize> {
        let next = self.added + 1;
        if self.entries.get(next).is_some_and(|entry| entry.waiter.transaction == transaction) {
            return Some(next);
        }
        self.entries.binary_search_by_key(&transaction, |entry| entry.waiter.transaction).ok()
    }

    /// Returns true if a cursor has still to pass the entry.
    fn is_ahead(&self, at: usize) -> bool {
        (self.first..self.low).contains(&at) || (self.high..self.last).contains(&at)
    }

    /// Makes all transactions due: a commit of that transaction has changed the element.
    pub(super) fn change(&mut self, at: usize) -> Result<(), NoMemory> {
        memory::grow_by(WHAT, &mut self.later, self.fresh.len())?;
        self.later.append(&mut self.fresh);
        let absent = self.entries.len() - self.present;
        if self.later.len() > self.entries.len() / 4 || absent > MOST_ABSENT.min(self.entries.len() / 2) {
            self.put_in_order()?;
        }
        self.at = at;
        self.at_once = 1;
        self.due = self.present;
        self.low = self.entries.partition_point(|entry| entry.waiter.transaction < at);
        (self.first, self.high, self.last) = (0, self.low, self.entries.len());
        Ok(())
    }

    /// Drops absent entries, and makes entries of the transactions that have none.
    fn put_in_order(&mut self) -> Result<(), NoMemory> {
        self.entries.retain(|entry| entry.is_present);
        if !self.later.is_empty() {
            memory::grow_by(WHAT, &mut self.entries, self.later.len())?;
            self.entries.extend(self.later.drain(..).map(|waiter| Entry { waiter, is_present: true }));
            self.entries.sort_unstable_by_key(|entry| (entry.waiter.transaction, entry.waiter.visits));
            // Of several entries of a transaction, only the last visit counts.
            self.entries.dedup_by(|next, entry| {
                let is_same = next.waiter.transaction == entry.waiter.transaction;
                entry.waiter = if is_same { next.waiter } else { entry.waiter };
                is_same
            });
        }
        self.present = self.entries.len();
        Ok(())
    }

    /// Takes the transaction that is nearest to the last commit's transaction.
    pub(super) fn pop_near(&mut self) -> Option<Waiter> {
        if self.due == 0 {
            return self.later.pop();
        }
        while self.first < self.low && !self.entries[self.low - 1].is_present {
            self.low -= 1;
        }
        self.skip_high();
        let below = (self.first < self.low).then(|| self.distance(self.low - 1));
        let above = (self.high < self.last).then(|| self.distance(self.high));
        if above.is_none() || below.is_some_and(|below| Some(below) < above) {
            self.low -= 1;
            return Some(self.take(self.low));
        }
        self.high += 1;
        Some(self.take(self.high - 1))
    }

    /// Takes the transaction that is farthest from the last commit's transaction.
    pub(super) fn pop_far(&mut self) -> Option<Waiter> {
        if self.due == 0 {
            return self.later.pop();
        }
        self.skip_first();
        while self.high < self.last && !self.entries[self.last - 1].is_present {
            self.last -= 1;
        }
        let first = (self.first < self.low).then(|| self.distance(self.first));
        let last = (self.high < self.last).then(|| self.distance(self.last - 1));
        if first > last {
            self.first += 1;
            return Some(self.take(self.first - 1));
        }
        self.last -= 1;
        Some(self.take(self.last))
    }

    /// Takes the first transaction that is due.
    pub(super) fn pop_first(&mut self) -> Option<Waiter> {
        if self.due == 0 {
            return self.later.pop();
        }
        self.skip_first();
        if self.first < self.low {
            self.first += 1;
            return Some(self.take(self.first - 1));
        }
        self.skip_high();
        self.high += 1;
        Some(self.take(self.high - 1))
    }

    fn skip_first(&mut self) {
        while self.first < self.low && !self.entries[self.first].is_present {
            self.first += 1;
        }
    }

    fn skip_high(&mut self) {
        while self.high < self.last && !self.entries[self.high].is_present {
            self.high += 1;
        }
    }

    /// Takes a due entry, which a cursor has passed already.
    fn take(&mut self, at: usize) -> Waiter {
        self.present -= 1;
        self.due -= 1;
        self.entries[at].is_present = false;
        self.entries[at].waiter
    }

    fn distance(&self, entry: usize) -> usize {
        self.at.abs_diff(self.entries[entry].waiter.transaction)
    }

    /// Returns how many transactions to take next: twice as many each time, until the next commit.
    pub(super) fn at_once(&mut self) -> usize {
        let now = self.at_once.max(1);
        self.at_once = (2 * now).min(MOST_AT_ONCE);
        now
    }

    /// Returns true if transactions are due.
    pub(super) fn has_due(&self) -> bool {
        self.due > 0 || !self.later.is_empty()
    }

    /// Returns true if no transaction is left.
    pub(super) fn is_empty(&self) -> bool {
        self.present == 0 && self.later.is_empty() && self.fresh.is_empty()
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        a_late_entry_does_not_replace_that_of_a_later_visit
    }

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

    #[cfg_attr(test, test)]
    fn a_late_entry_does_not_replace_that_of_a_later_visit() {
        let mut queue = queue(0..8);
        queue.change(4).unwrap();
        assert_eq!(taken(&mut queue, 8).len(), 8);
        for visits in [3, 2] {
            queue.add(Waiter { transaction: 5, visits }, |_| true).unwrap();
        }
        queue.change(4).unwrap();
        assert_eq!(queue.pop_first(), Some(Waiter { transaction: 5, visits: 3 }));
        assert!(queue.is_empty());
    }

    #[test]
    fn a_transaction_that_was_woken_elsewhere_has_one_entry() {
        let mut queue = queue(0..8);
        queue.change(4).unwrap();
        // It is still here, with an entry that no longer counts.
        queue.add(Waiter { transaction: 5, visits: 2 }, |_| true).unwrap();
        queue.add(Waiter { transaction: 20, visits: 1 }, |_| true).unwrap();
        queue.add(Waiter { transaction: 20, visits: 2 }, |_| true).unwrap();
        queue.change(100).unwrap();
        let visits = (0..20).map_while(|_| queue.pop_first()).map(|waiter| (waiter.transaction, waiter.visits));
        let (mut visits, known) = (visits.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 6, 7].map(|known| (known, 1)));
        visits.retain(|visit| !known.contains(visit));
        assert_eq!((visits.first(), visits.last().map(|last| last.0)), (Some(&(5, 2)), Some(20)));
        assert!(queue.is_empty());
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
                        if !due.contains(&transaction) && !fresh.contains(&transaction) {
                            queue.add(waiter(transaction), |_| true).unwrap();
                            fresh.push(transaction);
                        }
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
