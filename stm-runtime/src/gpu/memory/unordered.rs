//! Histories of stages without locks: their commits install versions in any order, one order for each lock word. The transactions
//! commute, so they can be taken in the order of their numbers, under every lock word.

use crate::error::GpuError;
use crate::memory;
use crate::outcome::history::WHAT;
use crate::outcome::{Entry, History};

/// The commits of such a stage.
#[derive(Debug, Default)]
pub(super) struct Unordered {
    /// Ascending by transaction.
    transactions: Vec<usize>,
    accesses: Vec<Access>,
}

/// One access.
#[derive(Debug, Clone, Copy)]
struct Access {
    entry: Entry,
    transaction: usize,
}

impl Unordered {
    /// Adds a commit. Transactions come in ascending order.
    pub(super) fn push(
        &mut self,
        transaction: usize,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Result<(), GpuError> {
        memory::push(WHAT, &mut self.transactions, transaction)?;
        for entry in entries {
            memory::push(WHAT, &mut self.accesses, Access { entry, transaction })?;
        }
        Ok(())
    }

    /// Adds the commits to a history, with the versions of that order.
    pub(super) fn put_in_order(mut self, history: &mut History) -> Result<(), GpuError> {
        self.accesses
            .sort_unstable_by_key(|access| (access.entry.location(), access.transaction, access.entry.is_write()));
        for same_place in self.accesses.chunk_by_mut(|a, b| a.entry.location() == b.entry.location()) {
            number(same_place);
        }
        self.accesses.sort_by_key(|access| access.transaction);
        let mut rest = self.accesses.as_slice();
        for transaction in self.transactions {
            let own = rest.partition_point(|access| access.transaction <= transaction);
            history.push(transaction, rest[..own].iter().map(|access| access.entry))?;
            rest = &rest[own..];
        }
        Ok(())
    }
}

/// Numbers the versions of one lock word anew: the accesses are in the order of their transactions, reads before writes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_follow_the_order_of_transactions() {
        let mut unordered = Unordered::default();
        let both = |lock, version| [Entry::read(0, lock, version), Entry::write(0, lock, version + 1)];
        unordered.push(3, both(1, 6)).unwrap();
        unordered.push(5, [Entry::read(0, 1, 7), Entry::read(0, 2, 4)]).unwrap();
        unordered.push(8, both(1, 5)).unwrap();
        let mut history = History::new(true);
        unordered.put_in_order(&mut history).unwrap();
        assert_eq!((history.len(), history.transaction(1)), (3, 5));
        assert_eq!(history.entries(0), both(1, 5));
        assert_eq!(history.entries(1), [Entry::read(0, 1, 6), Entry::read(0, 2, 4)]);
        assert_eq!(history.entries(2), both(1, 6));
    }
}
