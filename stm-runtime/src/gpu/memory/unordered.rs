//! Histories of stages without locks: their commits install versions in any order, one order for each lock word. The transactions
//! commute, so they can be taken in the order of their numbers, under every lock word. Those that had to reserve what they change come
//! after them, in the order of their turns.

use crate::error::GpuError;
use crate::memory;
use crate::outcome::history::WHAT;
use crate::outcome::{Entry, History};

/// The place of a commit among the others: its turn, 0 for none, and the transaction.
type Place = (u64, usize);

/// The commits of such a stage.
#[derive(Debug, Default)]
pub(crate) struct Unordered {
    places: Vec<Place>,
    accesses: Vec<Access>,
}

/// One access.
#[derive(Debug, Clone, Copy)]
struct Access {
    entry: Entry,
    place: Place,
}

impl Unordered {
    /// Adds a commit.
    pub(super) fn push(
        &mut self,
        turn: u64,
        transaction: usize,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Result<(), GpuError> {
        let place = mutant!("histories: turns do not count", (turn, transaction), (0, transaction));
        memory::push(WHAT, &mut self.places, place)?;
        for entry in entries {
            memory::push(WHAT, &mut self.accesses, Access { entry, place })?;
        }
        Ok(())
    }

    /// Adds the commits to a history, with the versions of that order.
    pub(super) fn put_in_order(mut self, history: &mut History) -> Result<(), GpuError> {
        self.accesses.sort_unstable_by_key(|access| (access.entry.location(), access.place, access.entry.is_write()));
        for same_place in self.accesses.chunk_by_mut(|a, b| a.entry.location() == b.entry.location()) {
            number(same_place);
        }
        self.accesses.sort_by_key(|access| access.place);
        self.places.sort_unstable();
        let mut rest = self.accesses.as_slice();
        for place in self.places {
            let own = rest.partition_point(|access| access.place <= place);
            history.push(place.1, rest[..own].iter().map(|access| access.entry))?;
            rest = &rest[own..];
        }
        Ok(())
    }
}

/// Numbers the versions of one lock word anew: the accesses are in the order of their commits, reads before writes.
fn number(accesses: &mut [Access]) {
    let written = accesses.iter().filter(|access| access.entry.is_write()).map(|access| access.entry.version()).min();
    // Where nothing is written, what was read is the version from before.
    let Some(first) = written else { return };
    let mut version = first - 1;
    for access in accesses {
        version += u64::from(access.entry.is_write());
        access.entry = access.entry.at_version(version);
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        versions_follow_the_order_of_turns_and_transactions
    }

    #[cfg_attr(test, test)]
    fn versions_follow_the_order_of_turns_and_transactions() {
        let mut unordered = Unordered::default();
        let both = |lock, version| [Entry::read(0, lock, version), Entry::write(0, lock, version + 1)];
        unordered.push(2, 1, both(1, 7)).unwrap();
        unordered.push(0, 3, both(1, 6)).unwrap();
        unordered.push(0, 5, [Entry::read(0, 1, 7), Entry::read(0, 2, 4)]).unwrap();
        unordered.push(1, 4, both(1, 8)).unwrap();
        unordered.push(0, 8, both(1, 5)).unwrap();
        let mut history = History::new(true);
        unordered.put_in_order(&mut history).unwrap();
        let transactions: Vec<usize> = (0..history.len()).map(|at| history.transaction(at)).collect();
        assert_eq!(transactions, [3, 5, 8, 4, 1]);
        assert_eq!(history.entries(0), both(1, 5));
        assert_eq!(history.entries(1), [Entry::read(0, 1, 6), Entry::read(0, 2, 4)]);
        assert_eq!([2, 3, 4].map(|at| history.entries(at).to_vec()), [6, 7, 8].map(|version| both(1, version)));
    }
}
