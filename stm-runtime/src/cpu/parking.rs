//! Transactions of one thread whose guards were false, until they are queued together: they often wait for the same element.

use crate::cpu::room::Room;
use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};
use crate::sync::yield_now;
use crate::tx::attempt::Attempt;
use crate::tx::sets::Read;

/// How many transactions are queued at once.
const TOGETHER: usize = 64;
/// How often a lock that others hold is looked at before it counts as a change.
const YIELD_LIMIT: u32 = if cfg!(loom) { 1 } else { 1000 };

/// The transactions, with what they read.
#[derive(Debug, Default)]
pub(crate) struct Parking<'a> {
    /// Each transaction with the end of its reads.
    waiters: Vec<(Waiter, usize)>,
    reads: Vec<Read<'a>>,
}

impl<'a> Parking<'a> {
    /// Adds the transaction of an attempt that ended at a guard.
    pub(crate) fn add(&mut self, waiter: Waiter, attempt: &Attempt<'a>) -> Result<(), NoMemory> {
        memory::grow_by(WHAT, &mut self.reads, attempt.reads().len())?;
        self.reads.extend_from_slice(attempt.reads());
        memory::push(WHAT, &mut self.waiters, (waiter, self.reads.len()))
    }

    /// Returns true if there are no transactions.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// Returns true if the transactions should be queued now.
    pub(crate) fn is_full(&self) -> bool {
        self.waiters.len() >= TOGETHER
    }

    /// Queues all transactions. `changed` receives each element that they read and that has changed since, with a transaction that
    /// read it: the commit may have searched the queue before the transaction entered it, so the caller wakes the queue instead.
    pub(crate) fn settle(
        &mut self,
        room: &Room,
        attempt: &Attempt<'a>,
        changed: &mut Vec<(u64, usize)>,
    ) -> Result<(), NoMemory> {
        let elements = self.each().flat_map(|(waiter, reads)| reads.iter().map(move |read| (read.element(), waiter)));
        room.park(self.each().map(|(waiter, _)| waiter), elements)?;
        for (waiter, reads) in self.each() {
            for read in reads {
                let is_stale = mutant!("cpu: who waits does not look again", is_stale(read, attempt), false);
                if is_stale && changed.iter().all(|(element, _)| *element != read.element()) {
                    memory::push(WHAT, changed, (read.element(), waiter.transaction))?;
                }
            }
        }
        self.waiters.clear();
        self.reads.clear();
        Ok(())
    }

    fn each(&self) -> impl Iterator<Item = (Waiter, &[Read<'a>])> {
        let mut begin = 0;
        self.waiters.iter().map(move |(waiter, end)| {
            let reads = &self.reads[begin..*end];
            begin = *end;
            (*waiter, reads)
        })
    }
}

/// Returns whether an element has changed since a transaction read it. A lock that others hold decides nothing: most of them read for
/// an update and find their guards false too. If each took the other's lock for a change, both would be attempted for ever.
fn is_stale(read: &Read<'_>, attempt: &Attempt<'_>) -> bool {
    for _ in 0..YIELD_LIMIT {
        attempt.step();
        match read.is_still_current() {
            Some(is_current) => return !is_current,
            // Others may wait for the locks of this attempt, which is about to commit.
            None if attempt.has_locks() => return true,
            None => yield_now(),
        }
    }
    true
}
