//! The lock word of the threaded engine.
//!
//! A word is `version << 1` while free and `owner << 1 | 1` while an attempt holds it. A version counts the commits that wrote under
//! the lock word; 63 bits never wrap.
//!
//! | access | order | why |
//! |---|---|---|
//! | first load of the lock word by a reader | acquire | the values belong to this version or a later one |
//! | load of the value | acquire | a reader of a new value also sees its lock held, and the second load stays after this one |
//! | second load of the lock word | relaxed | ordered by the value's acquire load before it |
//! | acquiring the lock | acquire | the stores of the last owner are visible |
//! | store of the value | release | publishes that the lock was acquired before |
//! | releasing the lock | release | publishes the values |

use super::table::Cell;
use crate::sync::{AtomicU64, Ordering, spin_loop};

/// The spin limit: loads of a locked word before the attempt conflicts. Most attempts hold their locks for well under a
/// microsecond, unless its thread lost its core; then waiting is useless.
const SPIN_LIMIT: u32 = if cfg!(loom) { 1 } else { 64 };

/// What a read finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen<R> {
    /// Values and their version, all of one moment.
    Free { values: R, version: u64 },
    /// The values of a record that the reader has locked.
    Own { values: R },
    /// Another attempt kept the lock for too long.
    Locked,
}

/// Reads values under a lock word for the owner with the number `me`. `load` loads them with acquire order; it may be called several
/// times.
#[inline]
pub(crate) fn read<R>(lock: &AtomicU64, me: u64, mut load: impl FnMut() -> R) -> Seen<R> {
    for _ in 0..=SPIN_LIMIT {
        let before = lock.load(Ordering::Acquire);
        if before == held_by(me) {
            return Seen::Own { values: load() };
        }
        if mutant!("cpu: locked elements are read", before & 1 == 0, true) {
            let values = load();
            if lock.load(Ordering::Relaxed) == before {
                return Seen::Free { values, version: before >> 1 };
            }
        }
        spin_loop();
    }
    Seen::Locked
}

/// Reads the value of a scalar whose lock word was seen free, and has not changed since.
#[inline(always)]
pub(crate) fn read_at_once(cell: &Cell, before: u64) -> Option<u64> {
    let word = cell[1].load(Ordering::Acquire);
    (cell[0].load(Ordering::Relaxed) == before).then_some(word)
}

/// The result of acquiring a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The lock is ours now; it was free at this version.
    Now(u64),
    /// The lock was ours already.
    Before,
    /// Another commit kept it for too long.
    No,
}

/// Acquires a lock for the owner with the number `me`.
#[inline]
pub(crate) fn take(lock: &AtomicU64, me: u64) -> Taken {
    for _ in 0..=SPIN_LIMIT {
        let word = lock.load(Ordering::Relaxed);
        if word == held_by(me) {
            return Taken::Before;
        }
        let is_free = mutant!("cpu: the lock of another is taken", word & 1 == 0, true);
        let taken = is_free && lock.compare_exchange(word, held_by(me), Ordering::Acquire, Ordering::Relaxed).is_ok();
        if taken {
            return Taken::Now(word >> 1);
        }
        spin_loop();
    }
    Taken::No
}

/// Acquires a lock whose word was seen free, and has not changed since.
#[inline(always)]
pub(crate) fn take_at_once(lock: &AtomicU64, before: u64, me: u64) -> bool {
    lock.compare_exchange(before, held_by(me), Ordering::Acquire, Ordering::Relaxed).is_ok()
}

/// Releases a lock that the caller holds.
#[inline]
pub(crate) fn free(lock: &AtomicU64, version: u64) {
    lock.store(version << 1, Ordering::Release);
}

/// Returns the word of a lock that the owner holds.
#[inline]
pub(crate) fn held_by(me: u64) -> u64 {
    me << 1 | 1
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tx::CpuArray;

    #[test]
    fn a_lock_has_one_owner() {
        let lock = AtomicU64::new(6);
        assert_eq!(take(&lock, 1), Taken::Now(3));
        assert_eq!(take(&lock, 1), Taken::Before);
        assert_eq!(take(&lock, 2), Taken::No);
        free(&lock, 9);
        assert_eq!(take(&lock, 2), Taken::Now(9));
    }

    #[test]
    fn a_locked_element_cannot_be_read() {
        let array = CpuArray::of_scalars([5, 6], 0);
        let row = array.table().row(1).unwrap();
        let seen = |me| read(row.lock, me, || row.values[0].load(Ordering::Acquire));
        assert_eq!(seen(2), Seen::Free { values: 6, version: 0 });
        take(row.lock, 1);
        assert_eq!((seen(2), seen(1)), (Seen::Locked, Seen::Own { values: 6 }));
    }
}
