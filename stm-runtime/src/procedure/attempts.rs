//! The steps of the loop over the transactions of a claim. The macro prints the loop, so that it is compiled together with the
//! procedure's function.

use std::sync::atomic::{AtomicU8, Ordering};

use super::finish::finish;
use crate::data::GpuData;
use crate::outcome::COMMITTED;
use crate::tx::{Abort, Claim, CommitLog, Ended, Kind, Tx};

/// The attempts at the transactions of a claim, for generated code. It is a variable of the loop, so that its fields are in
/// registers.
#[derive(Debug)]
pub struct Attempts<'x, 'a, 'r, K: Kind> {
    tx: &'x mut Tx<'a, K>,
    claim: &'x mut Claim<'r>,
    /// The transaction of the current attempt.
    next: usize,
    end: usize,
    log: Option<&'r CommitLog<'r>>,
    /// The statuses of all transactions; none without a log.
    status: &'r [AtomicU8],
}

impl<'x, 'a, 'r, K: Kind> Attempts<'x, 'a, 'r, K> {
    /// Begins with the first transaction of a claim.
    #[inline(always)]
    #[must_use]
    pub fn new(tx: &'x mut Tx<'a, K>, claim: &'x mut Claim<'r>) -> Attempts<'x, 'a, 'r, K> {
        let status = claim.log.map_or(&[][..], |log| log.outcomes.status());
        Attempts { tx, next: claim.next, end: claim.end, log: claim.log, status, claim }
    }

    /// Attempts one transaction after the other: `function` is called with the handle and the number of each. Ends at the first
    /// one that does not commit.
    pub fn each<R: GpuData>(mut self, function: impl Fn(&mut Tx<'a, K>, usize) -> Result<R, Abort>) -> Ended {
        loop {
            let step = self.begin().and_then(|transaction| {
                let value = function(self.tx(), transaction);
                self.end(value)
            });
            if let Err(ended) = step {
                return self.leave(ended);
            }
        }
    }

    /// Starts the next attempt, and returns the number of its transaction.
    ///
    /// # Errors
    /// There is no further attempt: [`Ended`] says why.
    #[inline(always)]
    pub fn begin(&mut self) -> Result<usize, Ended> {
        if self.next >= self.end {
            return Err(Ended::All);
        }
        if let Some(log) = self.log {
            if log.alarm.is_over() {
                return Err(Ended::Halted);
            }
            self.tx.begin();
        }
        Ok(self.next)
    }

    /// Returns the handle.
    #[inline(always)]
    pub fn tx(&mut self) -> &mut Tx<'a, K> {
        self.tx
    }

    /// Commits the attempt, and notes what its function returned.
    ///
    /// # Errors
    /// The attempt cannot be committed, or the executor has to do something first.
    #[inline(always)]
    pub fn end<R: GpuData>(&mut self, returned: Result<R, Abort>) -> Result<(), Ended> {
        let Some(log) = self.log else {
            return Err(finish(returned, self.claim.result).map_or_else(Ended::Early, |()| Ended::All));
        };
        let value = returned.map_err(Ended::Early)?;
        // Results count once the transaction is committed, so they can be stored before.
        let mut component = 0;
        value.stm_put(&mut |word| {
            log.outcomes.put(self.next, component, R::COMPONENTS, word);
            component += 1;
        });
        if log.holds {
            return Err(Ended::Ready);
        }
        let has_written = self.tx.commit().map_err(Ended::Early)?;
        self.status[self.next].store(COMMITTED, Ordering::Relaxed);
        log.counts.finish(mutant!("cpu: reads count as changes", has_written, true));
        self.next += 1;
        if log.is_watched() { Err(Ended::Committed) } else { Ok(()) }
    }

    /// Tells the executor where to go on.
    #[inline(always)]
    #[must_use]
    pub fn leave(self, ended: Ended) -> Ended {
        self.claim.next = self.next;
        ended
    }
}
