//! A small map from element keys to positions that is emptied in one step, so that attempts can reuse it.

use crate::memory::{self, NoMemory};

/// The fewest slots once there are any.
const MIN_SLOTS: usize = 64;

/// Maps keys to positions; open addressing, at most half full.
#[derive(Debug, Default)]
pub(crate) struct KeyMap {
    slots: Vec<Slot>,
    /// A slot counts only if it was filled in this generation.
    generation: u64,
    len: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: u64,
    generation: u64,
    position: u32,
}

impl KeyMap {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.generation += 1;
        self.len = 0;
    }

    /// Returns the position stored for a key.
    pub(crate) fn get(&self, key: u64) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let slot = &self.slots[self.find(key)];
        (slot.generation == self.generation).then_some(slot.position as usize)
    }

    /// Makes room for one more key.
    #[inline]
    pub(crate) fn make_room(&mut self) -> Result<(), NoMemory> {
        if self.slots.len() < 2 * (self.len + 1) { self.grow() } else { Ok(()) }
    }

    /// Stores a position; returns whether the key is new. There must be room for it.
    pub(crate) fn insert(&mut self, key: u64, position: usize) -> bool {
        let at = self.find(key);
        let new = self.slots[at].generation != self.generation;
        self.len += usize::from(new);
        self.slots[at] = Slot { key, generation: self.generation, position: position as u32 };
        new
    }

    /// Returns the slot of the key, or the free slot for it.
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Fibonacci hashing: neighbouring indices spread over the table.
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) -> Result<(), NoMemory> {
        let slots = memory::filled("a map of elements", (2 * self.slots.len()).max(MIN_SLOTS), Slot::default())?;
        let old = std::mem::replace(&mut self.slots, slots);
        let kept = self.generation;
        // Fresh slots have generation 0, which no longer counts as filled.
        self.generation = kept.max(1);
        for slot in old.into_iter().filter(|slot| slot.generation == kept && kept != 0) {
            let at = self.find(slot.key);
            self.slots[at] = slot;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_inserted_until_cleared() {
        let mut map = KeyMap::default();
        for round in 0..3_u64 {
            for i in 0..500_u64 {
                map.make_room().unwrap();
                assert!(map.insert(i * 64 + round, i as usize));
            }
            assert!(!map.insert(64 + round, 7));
            assert_eq!(map.get(64 + round), Some(7));
            assert_eq!(map.get(499 * 64 + round), Some(499));
            assert_eq!(map.get(1 << 40), None);
            map.clear();
            assert_eq!(map.get(64 + round), None);
        }
    }
}
