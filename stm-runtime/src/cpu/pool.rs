//! The shared state of a run's threads: the transactions to be attempted again, and the detection of the moment when waiting for
//! guards is useless.
//!
//! That moment has come when every working thread has called [`WorkerPool::next`] and found nothing. Only a commit can make a guard
//! true, and a thread that commits wakes or notes the transactions that wait for what it wrote before it calls
//! [`WorkerPool::next`].

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cpu::backlog::Backlog;
use crate::cpu::room::Room;
use crate::cpu::waiter::Waiter;
use crate::memory::NoMemory;
use crate::tx::turns::Turn;
use crate::tx::{Alarm, Counts};

/// The interval at which an idle thread checks the alarm.
const LOOK: Duration = Duration::from_millis(1);

/// The shared state of one run.
#[derive(Debug)]
pub(crate) struct WorkerPool<'a> {
    counts: Vec<Counts>,
    idle: Mutex<Idle>,
    wake: Condvar,
    pub(crate) room: Room,
    pub(crate) alarm: &'a Alarm,
}

#[derive(Debug, Default)]
struct Idle {
    /// Threads that work. A thread that joins late changes nothing: an idle thread has found no transaction to claim, so each
    /// transaction is with a working thread, or is finished, or waits.
    working: usize,
    /// The working threads that have nothing to do.
    idle: usize,
    backlog: Backlog,
    /// Whether nothing can change any more.
    is_over: bool,
}

/// The next step of a thread without a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Attempt the transactions that it received.
    Work,
    /// End: nothing can change any more.
    End,
    /// End: the alarm has rung.
    Halt,
}

impl<'a> WorkerPool<'a> {
    /// Returns the state for at most that many threads.
    pub(crate) fn new(transactions: usize, threads: usize, alarm: &'a Alarm) -> WorkerPool<'a> {
        WorkerPool {
            counts: (0..threads).map(|_| Counts::default()).collect(),
            idle: Mutex::default(),
            wake: Condvar::new(),
            room: Room::new(transactions),
            alarm,
        }
    }

    /// Returns the counters of a thread.
    pub(crate) fn counts_of(&self, thread: usize) -> &Counts {
        &self.counts[thread]
    }

    /// Returns the number of commits so far that wrote something, by all threads.
    pub(crate) fn changes(&self) -> u64 {
        self.counts.iter().map(Counts::changes).sum()
    }

    /// Returns the number of transactions with a final outcome so far.
    pub(crate) fn finished(&self) -> u64 {
        self.counts.iter().map(Counts::finished).sum()
    }

    /// Notes that the queue of an element has due transactions.
    pub(crate) fn note(&self, element: u64) -> Result<(), NoMemory> {
        let mut idle = self.lock();
        idle.backlog.note(element)?;
        self.call_one(&idle);
        Ok(())
    }

    /// Lets a transaction wait for any change, if what it read `is_current`. Otherwise it does not wait, and the result is false.
    pub(crate) fn wait_for_any(&self, waiter: Waiter, is_current: impl FnOnce() -> bool) -> Result<bool, NoMemory> {
        // A change that is not counted here is visible to `is_current`, or increases the number later.
        let changes = self.changes();
        let waits = is_current();
        if waits {
            self.lock().backlog.wait_for_any(waiter, changes)?;
        }
        Ok(waits)
    }

    /// Lets transactions, each of which was executed once, wait for the first change of the run. If there has been a change, they
    /// do not wait, and the result is false.
    pub(crate) fn wait_for_first_change(&self, transactions: &[usize]) -> Result<bool, NoMemory> {
        let mut idle = self.lock();
        // A commit that is not counted yet increases the number later.
        let waits = self.changes() == 0;
        if waits {
            transactions.iter().try_for_each(|transaction| {
                idle.backlog.wait_for_any(Waiter { transaction: *transaction, visits: 1 }, 0)
            })?;
        }
        Ok(waits)
    }

    /// Looks for work for a thread without a transaction, and waits until there is some. The thread must have published all that it
    /// did. If threads run one at a time, the others take their turns meanwhile.
    pub(crate) fn next(&self, turn: Option<&Turn<'_>>, taken: &mut Vec<Waiter>) -> Result<Next, NoMemory> {
        let mut idle = self.lock();
        loop {
            if self.alarm.is_over() {
                return Ok(Next::Halt);
            }
            let has_more = idle.backlog.take(&self.room, self.changes(), taken)?;
            if !taken.is_empty() {
                if has_more {
                    self.call_one(&idle);
                }
                return Ok(Next::Work);
            }
            idle.idle += 1;
            if idle.is_over || idle.idle == idle.working {
                idle.is_over = true;
                self.wake.notify_all();
                return Ok(Next::End);
            }
            idle = match turn {
                None => self.wake.wait_timeout(idle, LOOK).unwrap_or_else(PoisonError::into_inner).0,
                Some(turn) => {
                    drop(idle);
                    turn.step();
                    self.lock()
                }
            };
            idle.idle -= 1;
        }
    }

    fn call_one(&self, idle: &Idle) {
        if idle.idle > 0 {
            self.wake.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's membership. It ends on panics too, so that no other thread waits for ever.
#[derive(Debug)]
pub(crate) struct Membership<'a> {
    pub(crate) pool: &'a WorkerPool<'a>,
    /// The counters of this thread.
    pub(crate) counts: &'a Counts,
}

impl<'a> Membership<'a> {
    /// Adds the thread of that number.
    pub(crate) fn take(pool: &'a WorkerPool<'a>, thread: usize) -> Membership<'a> {
        pool.lock().working += 1;
        Membership { pool, counts: pool.counts_of(thread) }
    }
}

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.pool.alarm.give_up();
        }
        let mut idle = self.pool.lock();
        idle.working -= 1;
        // The last working thread may have left.
        idle.is_over |= idle.idle > 0 && idle.idle == idle.working;
        self.pool.wake.notify_all();
    }
}
