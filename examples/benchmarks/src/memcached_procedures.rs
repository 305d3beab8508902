//! The transactions of the cache. A set is scanned way by way, so the number of ways is known at compile time.

use stm_bench::{Rng, RngExt, SeedableRng};
use stm_runtime::prelude::*;

/// 16 bytes; the first half is never 0 where there is a key.
pub(super) type Key = (u64, u64);
/// 32 bytes.
pub(super) type Value = [u64; 4];

/// The cache, slot by slot, set by set.
#[derive(Debug)]
pub struct Slots {
    /// The keys.
    pub keys: Shared<Key>,
    /// The values.
    pub values: Shared<Value>,
    /// When each slot was last used; 0 for a free one.
    pub used: Shared<u32>,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    /// The item: 1 is the most popular.
    pub(super) item: u32,
    /// It is a PUT and not a GET.
    pub(super) put: bool,
    /// Its time, which increases with each transaction.
    pub(super) now: u32,
}

impl Transaction {
    /// Returns the key of an item: its first half is random, but not 0.
    pub(super) fn key(item: u32) -> Key {
        (random_of(item) | 1, u64::from(item))
    }

    /// Returns the value that a PUT at that time stores. It identifies the item, and cannot be combined from others.
    pub(super) fn value(self) -> Value {
        let (item, now) = (u64::from(self.item), u64::from(self.now));
        [item, now, random_of(self.item) ^ now, random_of(self.now) ^ item]
    }
}

fn random_of(number: u32) -> u64 {
    Rng::seed_from_u64(u64::from(number)).random()
}

/// Returns the first slot of a key's set. The lowest bit of a key is always set, so it is ignored.
#[gpu_fn]
pub(super) fn set_of(key: Key, slots: usize, ways: usize) -> usize {
    (key.0 >> 32) as usize % (slots / ways) * ways
}

macro_rules! of_so_many_ways {
    ($($ways:literal => $name:ident,)*) => {
        $(
        mod $name {
            use stm_runtime::prelude::*;

            use super::{Key, Value};

            const WAYS: usize = $ways;

            /// Returns the slot that has the key, or the one after the set.
            #[gpu_fn]
            fn find(tx: &mut Tx, keys: &Shared<Key>, key: Key) -> TxResult<usize> {
                let first = super::set_of(key, keys.len(), WAYS);
                for way in 0..WAYS {
                    let at = first + way;
                    if tx.read(&keys.0, at)? == key.0 && tx.read(&keys.1, at)? == key.1 {
                        return Ok(at);
                    }
                }
                Ok(keys.len())
            }

            /// Returns the value of a key, if the cache has it.
            #[gpu_transaction]
            pub(super) fn get(tx: &mut Tx, keys: &Shared<Key>, values: &Shared<Value>, key: Key) -> TxResult<Option<Value>> {
                let at = find(tx, keys, key)?;
                if at == keys.len() {
                    return Ok(None);
                }
                Ok(Some(tx.read(values, at)?))
            }

            /// Returns the value of a key, and records the use of its slot.
            #[gpu_transaction]
            pub(super) fn touch(
                tx: &mut Tx,
                keys: &Shared<Key>,
                values: &Shared<Value>,
                used: &Shared<u32>,
                key: Key,
                now: u32,
            ) -> TxResult<Option<Value>> {
                let at = find(tx, keys, key)?;
                if at == keys.len() {
                    return Ok(None);
                }
                tx.write(used, at, now)?;
                Ok(Some(tx.read(values, at)?))
            }

            /// Stores a value for a key: in its slot, else in a free one of its set, else in the least recently used one.
            #[gpu_transaction]
            pub(super) fn put(
                tx: &mut Tx,
                keys: &Shared<Key>,
                values: &Shared<Value>,
                used: &Shared<u32>,
                key: Key,
                value: Value,
                now: u32,
            ) -> TxResult {
                let first = super::set_of(key, keys.len(), WAYS);
                let mut slot = first;
                let mut oldest = u32::MAX;
                for way in 0..WAYS {
                    let at = first + way;
                    if tx.read(&keys.0, at)? == key.0 && tx.read(&keys.1, at)? == key.1 {
                        slot = at;
                        break;
                    }
                    let last = tx.read(used, at)?; // 0 for a free slot
                    if last < oldest {
                        (slot, oldest) = (at, last);
                    }
                }
                tx.write(keys, slot, key)?;
                tx.write(values, slot, value)?;
                tx.write(used, slot, now)
            }
        }
        )*

        /// Adds a transaction to the batch.
        pub(super) fn push(batch: &mut Batch, cache: &Slots, ways: u32, transaction: Transaction, touches: bool) {
            let Slots { keys, values, used } = cache;
            let key = Transaction::key(transaction.item);
            match ways {
                $(
                $ways if transaction.put => _ = batch.push($name::put::call(keys, values, used, key, transaction.value(), transaction.now)),
                $ways if touches => _ = batch.push($name::touch::call(keys, values, used, key, transaction.now)),
                $ways => _ = batch.push($name::get::call(keys, values, key)),
                )*
                // `Size` has no other values.
                _ => {}
            }
        }
    };
}

of_so_many_ways! {
    4 => four,
    8 => eight,
    16 => sixteen,
    32 => thirty_two,
    64 => sixty_four,
    128 => hundred_twenty_eight,
    256 => two_hundred_fifty_six,
}
