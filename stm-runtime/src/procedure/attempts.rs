//! The steps of the loop over the transactions of a claim. The macro prints the loop, so that it is compiled together with the
//! procedure's function.

use std::sync::atomic::{AtomicU8, Ordering};

use super::finish::finish;
use crate::data::GpuData;
use crate::outcome::{COMMITTED, POSTPONED};
use crate::tx::{Abort, Claim, CommitLog, Ended, Kind, Memory, Tx};

/// The attempts at the transactions of a claim, for generated code. It is a variable of the loop, so that its fields are in
/// registers.
#[derive(Debug)]
pub struct Attempts<'x, 'a, 'r, K: Kind> {
    tx: &'x mut Tx<'a, K>,
    claim: &'x mut Claim<'r>,
    /// The place of the current attempt in the claim.
    next: usize,
    /// Its transaction.
    transaction: usize,
    /// Before the attempt at this place, it is decided whether to go on.
    pause: usize,
    /// The first commit that is not counted yet.
    uncounted: usize,
    /// Those of these commits that wrote something.
    changes: u64,
    /// The transactions since then whose guards were false.
    postponed: u64,
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
        let next = claim.next;
        Attempts {
            tx,
            next,
            transaction: next,
            pause: next,
            uncounted: next,
            changes: 0,
            postponed: 0,
            log: claim.log,
            status,
            claim,
        }
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
        if self.next >= self.pause {
            // Many claims are of one transaction, among several procedures.
            if self.next >= self.claim.end {
                return Err(Ended::All);
            }
            self.count();
            self.pause = pause(self.claim, self.next)?;
        }
        if self.log.is_some() {
            self.tx.begin();
        }
        self.transaction = self.claim.transaction(self.next);
        Ok(self.transaction)
    }

    /// Counts the commits since it was called last.
    #[inline(always)]
    fn count(&mut self) {
        if self.next == self.uncounted {
            return;
        }
        if let Some(log) = self.log {
            log.counts.add((self.next - self.uncounted) as u64 - self.postponed, self.changes);
        }
        (self.uncounted, self.changes, self.postponed) = (self.next, 0, 0);
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
        let value = match returned {
            Ok(value) => value,
            Err(abort) => return self.postpone(abort),
        };
        // Results count once the transaction is committed, so they can be stored before.
        let mut component = 0;
        value.stm_put(&mut |word| {
            log.outcomes.put(self.transaction, component, R::COMPONENTS, word);
            component += 1;
        });
        if !K::Memory::IS_ALONE && log.holds {
            return Err(Ended::Ready);
        }
        let has_written = self.tx.commit().map_err(Ended::Early)?;
        self.status[self.transaction].store(COMMITTED, Ordering::Relaxed);
        self.changes += u64::from(mutant!("cpu: reads count as changes", has_written, true));
        self.next += 1;
        if !K::Memory::IS_ALONE && log.is_watched() { Err(Ended::Committed) } else { Ok(()) }
    }

    /// Notes an attempt whose guard is false, if it has written nothing and the executor wants that.
    #[inline(always)]
    fn postpone(&mut self, abort: Abort) -> Result<(), Ended> {
        let is_simple = K::Memory::IS_ALONE && abort == Abort::POSTPONED && !self.tx.has_written();
        match &mut self.claim.postponed {
            Some(list) if is_simple && list.len() < list.capacity() => list.push(self.transaction),
            _ => return Err(Ended::Early(abort)),
        }
        self.status[self.transaction].store(POSTPONED, Ordering::Relaxed);
        self.postponed += 1;
        self.next += 1;
        Ok(())
    }

    /// Tells the executor where to go on.
    #[inline(always)]
    #[must_use]
    pub fn leave(mut self, ended: Ended) -> Ended {
        self.count();
        self.claim.next = self.next;
        ended
    }
}

/// Returns the transaction before which is the next pause, if the run goes on.
#[inline(always)]
fn pause(claim: &Claim<'_>, next: usize) -> Result<usize, Ended> {
    let Some(log) = claim.log else { return Ok(claim.end) };
    if log.alarm.is_over() { Err(Ended::Halted) } else { Ok(claim.end.min(next + claim.stretch)) }
}
