//! Work for idle threads: elements whose queues have due transactions, and transactions that read too much to be queued.
//!
//! A transaction that read many elements would be in as many queues, and a thousand such transactions would take more memory than
//! the batch. So it is attempted again after any change at all, but after all other work.

use std::collections::VecDeque;

use crate::cpu::room::Room;
use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};

/// The most elements that a transaction may have read to enter their queues.
pub(crate) const MOST_WATCHED: usize = 32;
/// The most transactions that are taken at once from those that wait for any change.
const AT_ONCE: usize = 16;

/// The two lists.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    /// Elements whose queues may have due transactions.
    due: VecDeque<u64>,
    /// Transactions that wait for any change, each with the number of changes that it has seen. Those with the greatest number
    /// are last, so the first one can be attempted if any can.
    any: VecDeque<(Waiter, u64)>,
}

impl Backlog {
    /// Notes that the queue of an element has due transactions.
    pub(crate) fn note(&mut self, element: u64) -> Result<(), NoMemory> {
        memory::push_back(WHAT, &mut self.due, element)
    }

    /// Adds a transaction that waits for any change after that many.
    pub(crate) fn wait_for_any(&mut self, waiter: Waiter, changes: u64) -> Result<(), NoMemory> {
        memory::push_back(WHAT, &mut self.any, (waiter, changes))?;
        // The thread may have counted the changes before another thread that came here first.
        if self.any.iter().rev().nth(1).is_some_and(|(_, before)| *before > changes) {
            self.any.rotate_right(1);
        }
        Ok(())
    }

    /// Takes some transactions to be attempted now, after that many changes; none if nothing can be done. Returns true if there
    /// are more for other threads.
    pub(crate) fn take(&mut self, room: &Room, changes: u64, taken: &mut Vec<Waiter>) -> Result<bool, NoMemory> {
        while let Some(element) = mutant!("cpu: what is due is left", self.due.pop_front(), None) {
            if room.take(element, taken)? {
                self.note(element)?;
            }
            if !taken.is_empty() {
                return Ok(!self.due.is_empty());
            }
        }
        memory::grow_by(WHAT, taken, AT_ONCE)?;
        while let Some((waiter, _)) = self.any.front().filter(|(_, seen)| *seen != changes) {
            taken.push(*waiter);
            self.any.pop_front();
            if taken.len() == AT_ONCE {
                break;
            }
        }
        Ok(self.any.front().is_some_and(|(_, seen)| *seen != changes))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn waiter(transaction: usize) -> Waiter {
        Waiter { transaction, visits: 1 }
    }

    #[test]
    fn a_transaction_that_has_seen_fewer_changes_is_taken_first() {
        let (room, mut backlog, mut taken) = (Room::new(4), Backlog::default(), Vec::new());
        for (transaction, changes) in [(0, 6), (1, 5), (2, 6), (3, 4)] {
            backlog.wait_for_any(waiter(transaction), changes).unwrap();
        }
        // There were six changes, and two of the four transactions have not seen all of them.
        assert!(!backlog.take(&room, 6, &mut taken).unwrap());
        taken.sort_unstable_by_key(|waiter| waiter.transaction);
        assert_eq!(taken, [waiter(1), waiter(3)]);
        taken.clear();
        assert!(!backlog.take(&room, 6, &mut taken).unwrap() && taken.is_empty());
        assert!(!backlog.take(&room, 7, &mut taken).unwrap());
        assert_eq!(taken, [waiter(0), waiter(2)]);
    }
}
