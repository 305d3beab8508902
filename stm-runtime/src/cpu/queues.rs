//! A queue of waiting transactions for each element that a transaction waits for.
//!
//! A transaction whose guard was false need not be attempted again before an element that it read has changed. So it is in the
//! queues of all elements that it read. When it is woken through one queue, its entries in the others stay and no longer count.
//!
//! A commit wakes one of the transactions that wait for an element that it wrote. Most often that one can go on, and its own commit
//! wakes the next. The others become *due*. Idle threads take due transactions: one, then two, then four at a time, and one again
//! after the next commit.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::cpu::queue::{NO_GUESS, Queue};
use crate::cpu::waiter::{WHAT, Waiter};
use crate::memory::{self, NoMemory};

/// The transactions that wait for one element. Most often it is a single one.
#[derive(Debug)]
enum Waiting {
    One {
        waiter: Waiter,
        /// The backlog knows that the transaction is due.
        is_due: bool,
    },
    /// One queue. It is in a list because the allocation of a list can fail without a panic, and that of a box cannot.
    Many(Vec<Queue>),
}

/// The result of a commit's search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Found {
    /// To be attempted now.
    pub(crate) woken: Option<Waiter>,
    /// Other transactions are due, and the backlog does not know yet.
    pub(crate) notes: bool,
    /// No transaction waits for the element any more.
    pub(crate) ends: bool,
}

/// Queues by element.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    by_element: HashMap<u64, Waiting, BuildHasherDefault<Mix>>,
}

impl Queues {
    /// Adds a transaction. Returns true if it is the only one. `waits` says whether the transaction of an entry still waits.
    pub(crate) fn add(
        &mut self,
        element: u64,
        waiter: Waiter,
        waits: impl Fn(Waiter) -> bool,
    ) -> Result<bool, NoMemory> {
        let map = &mut self.by_element;
        map.try_reserve(1).map_err(|_| NoMemory::for_elements::<(u64, Waiting)>(WHAT, map.len() + 1))?;
        let waiting = match map.entry(element) {
            Entry::Vacant(free) => {
                free.insert(Waiting::One { waiter, is_due: false });
                return Ok(true);
            }
            Entry::Occupied(waiting) => waiting.into_mut(),
        };
        match waiting {
            Waiting::One { waiter: other, .. } if *other == waiter => {}
            Waiting::One { waiter: other, .. } if !waits(*other) => *waiting = Waiting::One { waiter, is_due: false },
            Waiting::One { waiter: other, is_due } => {
                let (mut list, mut queue) = (memory::with_room(WHAT, 1)?, Queue::default());
                queue.add(*other, |_| true)?;
                if mutant!("cpu: who is due waits on when another comes", *is_due, false) {
                    queue.change(other.transaction)?;
                    queue.is_noted = true;
                }
                queue.add(waiter, |_| true)?;
                list.push(queue);
                *waiting = Waiting::Many(list);
            }
            Waiting::Many(list) => list.iter_mut().try_for_each(|queue| queue.add(waiter, &waits))?,
        }
        Ok(false)
    }

    /// Makes all transactions of an element due after a commit of that transaction, and takes one of them if `wants_one`. `claim`
    /// ends the wait of a transaction; it returns false if another thread has done so.
    pub(crate) fn wake(
        &mut self,
        element: u64,
        transaction: usize,
        wants_one: bool,
        mut claim: impl FnMut(Waiter) -> bool,
    ) -> Result<Found, NoMemory> {
        let mut found = Found::default();
        match self.by_element.get_mut(&element) {
            None => return Ok(found),
            Some(Waiting::One { is_due, .. }) if !wants_one => found.notes = !std::mem::replace(is_due, true),
            Some(Waiting::One { waiter, .. }) => {
                (found.woken, found.ends) = (Some(*waiter).filter(|one| claim(*one)), true);
            }
            Some(Waiting::Many(list)) => {
                for queue in list {
                    queue.change(transaction)?;
                    while let (true, None) = (wants_one && queue.has_due(), found.woken) {
                        found.woken = queue.pop_near().filter(|waiter| claim(*waiter));
                    }
                    found.ends = queue.is_empty();
                    found.notes = queue.has_due() && !queue.is_noted;
                    queue.is_noted = queue.has_due();
                }
            }
        }
        if found.ends {
            self.by_element.remove(&element);
        }
        Ok(found)
    }

    /// Takes some due transactions. The caller has to claim them.
    pub(crate) fn take(&mut self, element: u64, taken: &mut Vec<Waiter>) -> Result<Found, NoMemory> {
        let mut found = Found::default();
        match self.by_element.get_mut(&element) {
            None => return Ok(found),
            Some(Waiting::One { waiter, .. }) => {
                memory::push(WHAT, taken, *waiter)?;
                found.ends = true;
            }
            Some(Waiting::Many(list)) => {
                for queue in list {
                    let most = queue.at_once();
                    memory::grow_by(WHAT, taken, most)?;
                    taken.extend((0..most).map_while(|k| match k % 2 {
                        _ if most >= NO_GUESS => queue.pop_first(),
                        0 => queue.pop_near(),
                        _ => queue.pop_far(),
                    }));
                    queue.is_noted = queue.has_due();
                    (found.notes, found.ends) = (queue.is_noted, queue.is_empty());
                }
            }
        }
        if found.ends {
            self.by_element.remove(&element);
        }
        Ok(found)
    }
}

/// The hash of an element. It need not withstand chosen collisions, and the standard hash would take most of the time.
#[derive(Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The map uses the lowest bits for the slot and the highest bits to compare.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        who_is_due_stays_due_when_another_comes
    }

    #[cfg_attr(test, test)]
    fn who_is_due_stays_due_when_another_comes() {
        let waiter = |transaction| Waiter { transaction, visits: 1 };
        let (mut queues, mut taken) = (Queues::default(), Vec::new());
        assert!(queues.add(7, waiter(0), |_| true).unwrap());
        let found = queues.wake(7, 5, false, |_| true).unwrap();
        assert_eq!((found.woken, found.notes), (None, true));
        assert!(!queues.wake(7, 6, false, |_| true).unwrap().notes, "the backlog knows already");
        assert!(!queues.add(7, waiter(1), |_| true).unwrap());
        queues.take(7, &mut taken).unwrap();
        assert_eq!(taken, [waiter(0)], "the second one waits for the next commit");
        queues.wake(7, 8, false, |_| true).unwrap();
        queues.take(7, &mut taken).unwrap();
        assert_eq!(taken, [waiter(0), waiter(1)]);
    }
}
