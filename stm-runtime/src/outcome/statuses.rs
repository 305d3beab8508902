//! The status of each transaction of a batch.

use std::mem::take;
use std::ops::{Deref, DerefMut, Range};

use super::kept::KeptLists;
use super::tally::{TOGETHER, Tallies, Tally, counted, unlike};
use super::{COMMITTED, PENDING};
use crate::memory::{self, NoMemory};

static LISTS: KeptLists<u8> = KeptLists::new();

/// One of the status constants for each transaction.
#[derive(Debug, Default)]
pub(crate) struct Statuses {
    list: Vec<u8>,
    /// The status of all transactions while the list has what it had in an earlier run.
    all: Option<u8>,
    /// The transactions that have other statuses then, in order.
    others: Vec<(usize, u8)>,
    /// The list in blocks, counted, if that is known.
    tallies: Option<Vec<Tally>>,
}

impl Statuses {
    /// Returns the statuses of pending transactions.
    pub(crate) fn pending(transactions: usize) -> Result<Statuses, NoMemory> {
        const { assert!(PENDING == 0, "zeros are pending") };
        match LISTS.take(transactions) {
            Some(mut list) => {
                list.resize(transactions, PENDING);
                Ok(Statuses { list, all: Some(PENDING), others: Vec::new(), tallies: None })
            }
            None => Ok(memory::zeroed("outcomes", transactions)?.into()),
        }
    }

    /// Returns their number.
    pub(crate) fn transactions(&self) -> usize {
        self.list.len()
    }

    /// Lets `fetch` write all of them. It calls its second argument with each part and its index, a multiple of
    /// [`TOGETHER`](super::tally::TOGETHER), to have it counted. If it fails, they are pending.
    pub(crate) fn fetch<E>(
        &mut self,
        fetch: impl FnOnce(&mut [u8], &(dyn Fn(usize, &[u8]) + Sync)) -> Result<(), E>,
    ) -> Result<(), E> {
        let tallies = Tallies::default();
        (self.all, self.others) = (Some(PENDING), Vec::new());
        fetch(&mut self.list, &|first, statuses| tallies.add(first, statuses))?;
        (self.all, self.tallies) = (None, Some(tallies.in_order()));
        Ok(())
    }

    /// Makes all of them committed but these, which are in order, without a list.
    pub(crate) fn commit_but(&mut self, others: Vec<(usize, u8)>) {
        (self.all, self.others) = (Some(COMMITTED), others);
    }

    /// Returns whether nearly all have been committed so.
    pub(crate) fn are_committed(&self) -> bool {
        self.all == Some(COMMITTED)
    }

    /// Returns the statuses of a range that are not like others, with their transactions. A status that is committed is like others.
    pub(crate) fn unlike(
        &self,
        range: Range<usize>,
        others: impl Fn(u8) -> bool + Copy,
    ) -> impl Iterator<Item = (usize, u8)> {
        let (listed, range) = if self.are_committed() { (0..0, range) } else { (range, 0..0) };
        let first = listed.start;
        let listed = unlike(&self.list[listed], others).map(move |(at, status)| (first + at, status));
        let few = self.others.iter().copied();
        listed.chain(few.filter(move |(at, status)| range.contains(at) && !others(*status)))
    }

    /// Returns the status of a transaction; `None` past the last one.
    pub(crate) fn at(&self, transaction: usize) -> Option<u8> {
        let listed = *self.list.get(transaction)?;
        let Some(all) = self.all else { return Some(listed) };
        let other = self.others.binary_search_by_key(&transaction, |(at, _)| *at);
        Some(other.map_or(all, |at| self.others[at].1))
    }

    /// Lets `edit` write those of some transactions, of which many follow each other.
    pub(crate) fn edit<E>(
        &mut self,
        transactions: &[usize],
        edit: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.settle();
        let tallies = self.tallies.take();
        edit(&mut self.list)?;
        self.tallies = tallies.map(|mut tallies| {
            for same_block in transactions.chunk_by(|a, b| a / TOGETHER == b / TOGETHER) {
                let nth = same_block[0] / TOGETHER;
                let statuses = &self.list[nth * TOGETHER..];
                let counted = Tally::of(nth, &statuses[..TOGETHER.min(statuses.len())]);
                mutant!("outcomes: what is left keeps its count", tallies[nth] = counted, _ = counted);
            }
            tallies
        });
        Ok(())
    }

    /// Writes the list where all have one status: those that no run has written are pending. It can be read from then on.
    pub(crate) fn settle(&mut self) {
        if let Some(all) = self.all.take() {
            self.list.fill(all);
            take(&mut self.others).into_iter().for_each(|(at, status)| self.list[at] = status);
            self.tallies = None;
        }
    }

    /// Returns the blocks of statuses in order, counted.
    pub(crate) fn tallies(&self) -> Vec<Tally> {
        if self.are_committed() {
            return Tally::committed_but(self.list.len(), &self.others);
        }
        self.tallies.clone().unwrap_or_else(|| counted(self))
    }
}

impl Deref for Statuses {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        assert!(self.all.is_none(), "statuses are written or settled before they are read");
        &self.list
    }
}

impl DerefMut for Statuses {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.settle();
        self.tallies = None;
        &mut self.list
    }
}

impl From<Vec<u8>> for Statuses {
    fn from(list: Vec<u8>) -> Statuses {
        Statuses { list, all: None, others: Vec::new(), tallies: None }
    }
}

impl Clone for Statuses {
    fn clone(&self) -> Statuses {
        let Statuses { list, all, others, tallies } = self;
        Statuses { list: list.clone(), all: *all, others: others.clone(), tallies: tallies.clone() }
    }
}

impl Drop for Statuses {
    fn drop(&mut self) {
        LISTS.keep(&mut self.list);
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;
    use crate::outcome::FAULTED;
    #[cfg(test)]
    use crate::outcome::kept::{KEPT, SPARE};

    hunted! {
        what_is_counted_on_the_way_is_what_is_there
    }

    /// Returns statuses whose list was in use.
    fn used(transactions: usize) -> Statuses {
        Statuses { list: vec![COMMITTED; transactions], all: Some(PENDING), others: Vec::new(), tallies: None }
    }

    #[test]
    fn what_an_earlier_run_left_is_not_seen() {
        let mut settled = used(5000);
        settled.settle();
        assert!(settled.iter().all(|status| *status == PENDING));
        let mut written = used(5000);
        written[7] = COMMITTED;
        assert_eq!(written.iter().filter(|status| **status == COMMITTED).count(), 1);
        let mut all = used(3 * TOGETHER);
        let fetched = all.fetch(|list, count| {
            list[5] = FAULTED;
            count(0, list);
            Ok::<(), ()>(())
        });
        assert_eq!((fetched, all.at(5)), (Ok(()), Some(FAULTED)));
        all.commit_but(Vec::new());
        assert_eq!(
            (all.at(5), all.at(3 * TOGETHER), all.tallies()[0].committed),
            (Some(COMMITTED), None, 3 * TOGETHER as u64)
        );
        let (last, listed) = (3 * TOGETHER - 1, [(3, FAULTED), (4, PENDING), (3 * TOGETHER - 1, PENDING)]);
        all.commit_but(listed.to_vec());
        assert_eq!([3, 5, last].map(|at| all.at(at)), [FAULTED, COMMITTED, PENDING].map(Some));
        let short = (all.tallies(), all.unlike(1..last, |status| status == COMMITTED).collect::<Vec<_>>());
        let sums = |tallies: &[Tally]| {
            let of = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
            [of(|block| block.statuses), of(|block| block.faulted), of(Tally::unresolved)]
        };
        assert_eq!((sums(&short.0), &short.1[..]), ([3 * TOGETHER as u64, 1, 2], &listed[..2]));
        all.settle();
        assert_eq!((all[5], all[4], all[last], all.tallies().len()), (COMMITTED, PENDING, PENDING, 3));
        assert_eq!(
            (sums(&all.tallies()), all.unlike(1..last, |status| status == COMMITTED).collect()),
            (sums(&short.0), short.1)
        );
        let failed = used(9).fetch(|_, _| Err("in the middle"));
        assert_eq!(failed, Err("in the middle"));
        assert!(std::panic::catch_unwind(|| used(5).len()).is_err(), "before that, nothing is read");
    }

    #[test]
    fn memory_is_used_again_by_runs_of_about_the_same_size() {
        // Other tests keep lists, too, so only what is true of any list is asserted.
        drop(Statuses::from(vec![COMMITTED; 5000]));
        for transactions in [4000, 5000, 6000, 100] {
            let mut statuses = Statuses::pending(transactions).unwrap();
            assert!(statuses.list.capacity() <= SPARE * transactions.max(KEPT.start));
            statuses.settle();
            assert!(statuses.len() == transactions && statuses.iter().all(|status| *status == PENDING));
        }
    }

    #[cfg_attr(test, test)]
    fn what_is_counted_on_the_way_is_what_is_there() {
        let mut statuses = used(3 * TOGETHER + 1);
        let fetched = statuses.fetch(|list, count| {
            list.fill(COMMITTED);
            list[TOGETHER] = 0;
            let (one, other) = list.split_at(2 * TOGETHER);
            count(2 * TOGETHER, other);
            count(0, one);
            Ok::<(), ()>(())
        });
        assert_eq!((fetched, statuses.tallies()), (Ok(()), counted(&statuses)));
        let edited = statuses.edit(&[1, 2, 3 * TOGETHER], |list| {
            (list[1], list[2], list[3 * TOGETHER]) = (0, FAULTED, 0);
            Ok::<(), ()>(())
        });
        assert_eq!((edited, statuses.tallies()), (Ok(()), counted(&statuses)));
        statuses[0] = 0;
        assert_eq!(statuses.tallies()[0].unresolved(), 2, "counted again after a change");
    }
}
