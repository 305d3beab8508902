//! Statuses counted in blocks, so that who looks for a few among many can skip the others.

use std::sync::{Mutex, PoisonError};

use super::{COMMITTED, FAULTED, REJECTED};
use crate::threads::{processors, share};

/// Statuses that are counted together.
pub(crate) const TOGETHER: usize = if cfg!(test) { 1 << 3 } else { 1 << 14 };
/// Blocks of statuses from which several threads are worth it.
const MANY: usize = if cfg!(test) { 1 << 2 } else { 1 << 8 };

/// How many statuses of a block there are of each sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The number of the block.
    pub(crate) nth: usize,
    pub(crate) statuses: u64,
    pub(crate) committed: u64,
    pub(crate) rejected: u64,
    pub(crate) faulted: u64,
}

impl Tally {
    /// Counts the statuses of a block.
    pub(super) fn of(nth: usize, statuses: &[u8]) -> Tally {
        let (all, committed) = (statuses.len() as u64, count(statuses, COMMITTED));
        // Most blocks have committed as a whole.
        let others = |of| if committed == all { 0 } else { count(statuses, of) };
        Tally { nth, statuses: all, committed, rejected: others(REJECTED), faulted: others(FAULTED) }
    }

    /// Returns the blocks that have some of these statuses, and one for all other transactions of a batch, which have committed.
    pub(super) fn committed_but(transactions: usize, others: &[(usize, u8)]) -> Vec<Tally> {
        let of_block = |others: &[(usize, u8)]| {
            let (nth, count) = (others[0].0 / TOGETHER, others.len() as u64);
            let of = |of: u8| others.iter().filter(|(_, status)| *status == of).count() as u64;
            let statuses = TOGETHER.min(transactions - nth * TOGETHER) as u64;
            let committed = statuses - count + of(COMMITTED);
            Tally { nth, statuses, committed, rejected: of(REJECTED), faulted: of(FAULTED) }
        };
        let mut blocks: Vec<Tally> =
            others.chunk_by(|(one, _), (other, _)| one / TOGETHER == other / TOGETHER).map(of_block).collect();
        let rest = transactions as u64 - blocks.iter().map(|block| block.statuses).sum::<u64>();
        blocks.push(Tally { nth: 0, statuses: rest, committed: rest, rejected: 0, faulted: 0 });
        blocks
    }

    /// Returns the number of transactions without a final outcome.
    pub(crate) fn unresolved(&self) -> u64 {
        self.statuses - self.committed - self.rejected - self.faulted
    }
}

/// Counts a status. The inner sums fit into a byte, so that the compiler adds many of them at once.
fn count(statuses: &[u8], of: u8) -> u64 {
    let few = |few: &[u8]| few.iter().fold(0_u8, |sum, status| sum + u8::from(*status == of));
    statuses.chunks(255).map(|part| u64::from(few(part))).sum()
}

/// Statuses that are skipped together where all are alike.
const SKIPPED: usize = 64;

/// Returns the statuses that are not like others, with their indices: quickly, where they are few.
pub(crate) fn unlike(statuses: &[u8], others: impl Fn(u8) -> bool + Copy) -> impl Iterator<Item = (usize, u8)> {
    let is_skipped = move |few: &[u8]| few.iter().fold(true, |all, status| all & others(*status));
    let parts = statuses.chunks(SKIPPED).enumerate().filter(move |(_, few)| !is_skipped(few));
    let each = parts.flat_map(|(nth, few)| (nth * SKIPPED..).zip(few.iter().copied()));
    each.filter(move |(_, status)| !others(*status))
}

/// Blocks while threads count them.
#[derive(Debug, Default)]
pub(crate) struct Tallies(Mutex<Vec<Tally>>);

impl Tallies {
    /// Counts statuses from an index on, which is a multiple of the size of a block.
    pub(crate) fn add(&self, first: usize, statuses: &[u8]) {
        let nth = first / TOGETHER;
        let blocks: Vec<Tally> =
            (nth..).zip(statuses.chunks(TOGETHER)).map(|(nth, block)| Tally::of(nth, block)).collect();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(blocks);
    }

    /// Returns the blocks in order.
    pub(crate) fn in_order(self) -> Vec<Tally> {
        let mut all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_unstable_by_key(|block| block.nth);
        all
    }
}

/// Counts all statuses, on several threads if there are many.
pub(crate) fn counted(status: &[u8]) -> Vec<Tally> {
    let (all, blocks) = (Tallies::default(), status.chunks(TOGETHER));
    let threads = if blocks.len() < MANY { 1 } else { processors() };
    let together = blocks.len().div_ceil(4 * threads).max(1);
    share(threads, status.chunks(together * TOGETHER).enumerate(), |(nth, part)| {
        all.add(nth * together * TOGETHER, part);
    });
    all.in_order()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_in_order() {
        let mut status = vec![COMMITTED; 10 * TOGETHER + 3];
        (status[TOGETHER], status[TOGETHER + 1], status[10 * TOGETHER + 2]) = (FAULTED, 0, REJECTED);
        let all = counted(&status);
        assert!(all.iter().enumerate().all(|(at, block)| block.nth == at) && all.len() == 11);
        let sums = |of: fn(&Tally) -> u64| all.iter().map(of).sum::<u64>();
        assert_eq!(sums(|block| block.committed), status.len() as u64 - 3);
        assert_eq!((sums(|block| block.rejected), sums(|block| block.faulted), sums(Tally::unresolved)), (1, 1, 1));
        assert_eq!((all[1].committed, all[1].faulted, all[1].unresolved()), (TOGETHER as u64 - 2, 1, 1));
        assert_eq!((all[10].statuses, all[10].committed), (3, 2));
        assert!(counted(&[]).is_empty());
    }

    #[test]
    fn those_unlike_others_are_found_where_they_are() {
        let mut status = vec![COMMITTED; 3 * SKIPPED + 5];
        (status[0], status[SKIPPED], status[3 * SKIPPED + 4]) = (0, FAULTED, REJECTED);
        let found = |others: fn(u8) -> bool| unlike(&status, others).collect::<Vec<_>>();
        let last = 3 * SKIPPED + 4;
        assert_eq!(found(|status| status == COMMITTED), [(0, 0), (SKIPPED, FAULTED), (last, REJECTED)]);
        assert_eq!(found(|status| status != 0), [(0, 0)]);
    }

    #[test]
    fn long_blocks_are_counted_without_an_overflow() {
        assert_eq!(count(&[COMMITTED; 1000], COMMITTED), 1000);
        assert_eq!(count(&[FAULTED; 1000], COMMITTED), 0);
    }
}
