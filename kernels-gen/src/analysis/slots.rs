//! Sets of slots, or of arrays. A variable often depends on the same slots as another one, so equal sets are shared.

use std::rc::Rc;

/// A set of slots that is never changed: bit `k % 64` of word `k / 64` says whether slot `k` is in it. The last word is not 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Slots(Rc<Vec<u64>>);

impl Slots {
    /// Returns the set of one slot.
    pub(super) fn one(slot: u32) -> Slots {
        let mut words = vec![0; slot as usize / 64 + 1];
        words[slot as usize / 64] = 1 << (slot % 64);
        Slots(Rc::new(words))
    }

    /// Returns the union of two sets, and shares one of them where it contains the other.
    pub(super) fn or(&self, other: &Slots) -> Slots {
        if Rc::ptr_eq(&self.0, &other.0) || self.holds(other) {
            return self.clone();
        }
        if other.holds(self) {
            return other.clone();
        }
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut words = Vec::clone(&long.0);
        for (word, more) in words.iter_mut().zip(short.0.iter()) {
            *word |= more;
        }
        Slots(Rc::new(words))
    }

    /// Adds the other set, and returns whether that made this one larger.
    pub(super) fn grow(&mut self, other: &Slots) -> bool {
        let grows = !self.holds(other);
        if grows {
            *self = self.or(other);
        }
        grows
    }

    /// Returns whether a slot is in the set.
    pub(super) fn has(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    fn holds(&self, other: &Slots) -> bool {
        other.0.len() <= self.0.len() && self.0.iter().zip(other.0.iter()).all(|(own, other)| other & !own == 0)
    }

    /// Returns the slots in ascending order.
    pub(super) fn list(&self) -> Vec<u32> {
        let of_word = |(at, word): (usize, &u64)| {
            let (first, word) = (at as u32 * 64, *word);
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit)
        };
        self.0.iter().enumerate().flat_map(of_word).collect()
    }
}

#[cfg(test)]
mod tests;
