//! The waiting room of a run: transactions whose guard was false, until an element that they read changes.
//!
//! No wake-up is lost. A waiting transaction first enters the queues, and then checks each lock word that it read, by a
//! read-modify-write operation. A commit first takes its locks, by such operations too, and later looks for transactions that wait
//! for what it wrote. Of two such operations on one lock word one is first, and everything before it is visible after the other. So
//! either the commit sees the queue, or the waiting thread sees that the lock is taken, or that the version is another one, and wakes
//! the queue in the commit's place.
//!
//! A commit for which no transaction waits costs one load for each element that it wrote, from a filter that fits the first-level
//! cache; and a single load as long as no transaction of the run has ever waited.

use std::sync::{OnceLock, PoisonError};

use crate::cpu::queues::Queues;
use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};
use crate::sync::{AtomicBool, AtomicU32, Mutex, Ordering};

/// Parts of the room, each with a lock of its own.
const SHARDS: usize = if cfg!(loom) { 1 } else { 64 };
/// Counters of the filter.
const FILTER: usize = if cfg!(loom) { 1 } else { 1024 };

/// The waiting room.
#[derive(Debug)]
pub(crate) struct Room {
    transactions: usize,
    /// A transaction has waited.
    is_used: AtomicBool,
    /// The number of queues, by the hash of their elements.
    filter: Vec<AtomicU32>,
    shards: Vec<Mutex<Queues>>,
    /// For each transaction, whether it waits, and how often it was visited before. It is made when the first transaction waits.
    waits: OnceLock<Vec<AtomicU32>>,
}

/// What a commit has to do for the transactions that waited for an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Woken {
    /// The transaction to be attempted now.
    pub(crate) first: Option<Waiter>,
    /// Other transactions of that element are due: see [`Room::take`].
    pub(crate) notes: bool,
}

impl Room {
    /// Returns an empty room for a run of that many transactions.
    pub(crate) fn new(transactions: usize) -> Room {
        Room {
            transactions,
            is_used: AtomicBool::new(false),
            filter: (0..FILTER).map(|_| AtomicU32::new(0)).collect(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            waits: OnceLock::new(),
        }
    }

    /// Returns true if a transaction has waited, so that commits have to search.
    #[inline]
    pub(crate) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    /// Returns where the same can be seen.
    pub(crate) fn is_used_flag(&self) -> &AtomicBool {
        &self.is_used
    }

    /// Queues transactions for the elements that they read. The caller then checks these elements, and [wakes](Room::wake) the
    /// queues of those that are no longer current.
    pub(crate) fn park(
        &self,
        waiters: impl Iterator<Item = Waiter>,
        elements: impl Iterator<Item = (u64, Waiter)>,
    ) -> Result<(), NoMemory> {
        let waits = self.waits()?;
        self.is_used.store(true, Ordering::Relaxed);
        // Before other threads can find them: a transaction may be woken through one queue before it is in the next.
        waiters.for_each(|waiter| waits[waiter.transaction].store(parked(waiter), Ordering::Relaxed));
        let mut held = None;
        for (element, waiter) in elements {
            let shard = hash(element) % SHARDS;
            // Neighbours often wait for the same element, so the shard stays locked.
            let (_, queues) = match held.take() {
                Some((other, queues)) if other == shard => held.insert((shard, queues)),
                other => {
                    drop(other);
                    held.insert((shard, self.shard(shard)))
                }
            };
            if queues.add(element, waiter, |entry| is_parked(waits, entry))? {
                self.slot(element).fetch_add(1, Ordering::Relaxed);
            }
            if cfg!(loom) {
                // In models, other threads must be able to run in between.
                held = None;
            }
        }
        Ok(())
    }

    /// Makes the transactions due that wait for an element which a commit of that transaction wrote, and takes one of them if
    /// `wants_one`.
    #[inline]
    pub(crate) fn wake(&self, element: u64, transaction: usize, wants_one: bool) -> Result<Woken, NoMemory> {
        if self.slot(element).load(Ordering::Relaxed) == 0 {
            return Ok(Woken::default());
        }
        self.call(element, transaction, wants_one)
    }

    #[cold]
    fn call(&self, element: u64, transaction: usize, wants_one: bool) -> Result<Woken, NoMemory> {
        let Some(waits) = self.waits.get() else { return Ok(Woken::default()) };
        let mut queues = self.shard(hash(element) % SHARDS);
        let found = queues.wake(element, transaction, wants_one, |waiter| claim(waits, waiter))?;
        if found.ends {
            self.slot(element).fetch_sub(1, Ordering::Relaxed);
        }
        Ok(Woken { first: found.woken, notes: found.notes })
    }

    /// Takes some due transactions of an element, if there are any. Returns true if more are due. `taken` must be empty.
    pub(crate) fn take(&self, element: u64, taken: &mut Vec<Waiter>) -> Result<bool, NoMemory> {
        let Some(waits) = self.waits.get() else { return Ok(false) };
        let found = self.shard(hash(element) % SHARDS).take(element, taken)?;
        if found.ends {
            self.slot(element).fetch_sub(1, Ordering::Relaxed);
        }
        taken.retain(|waiter| claim(waits, *waiter));
        // The caller takes from the end, where the best guess has to be.
        taken.reverse();
        Ok(found.notes)
    }

    fn waits(&self) -> Result<&[AtomicU32], NoMemory> {
        if let Some(waits) = self.waits.get() {
            return Ok(waits);
        }
        let fresh = new_waits(self.transactions)?;
        Ok(self.waits.get_or_init(|| fresh))
    }

    fn shard(&self, shard: usize) -> impl std::ops::DerefMut<Target = Queues> + '_ {
        // Each change leaves the queues complete, so a panic elsewhere does no harm.
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, element: u64) -> &AtomicU32 {
        &self.filter[hash(element) % FILTER]
    }
}

#[cfg(not(loom))]
fn new_waits(transactions: usize) -> Result<Vec<AtomicU32>, NoMemory> {
    memory::zeroed(WHAT, transactions)
}

#[cfg(loom)]
fn new_waits(transactions: usize) -> Result<Vec<AtomicU32>, NoMemory> {
    memory::collected(WHAT, (0..transactions).map(|_| AtomicU32::new(0)))
}

/// Fibonacci hashing, which spreads neighbouring elements.
fn hash(element: u64) -> usize {
    (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// The word of a transaction that waits since that visit. Two waits of one transaction have different words.
fn parked(waiter: Waiter) -> u32 {
    waiter.visits << 1 | 1
}

fn is_parked(waits: &[AtomicU32], waiter: Waiter) -> bool {
    waits[waiter.transaction].load(Ordering::Relaxed) == parked(waiter)
}

/// Ends the wait of a transaction. Only one thread can, and gets true.
fn claim(waits: &[AtomicU32], waiter: Waiter) -> bool {
    let free = parked(waiter) & !1;
    waits[waiter.transaction].compare_exchange(parked(waiter), free, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}
