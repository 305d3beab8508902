//! The history of transactions that run in place, one at a time or at rest.

use crate::memory::{self, NoMemory};
use crate::outcome::{Entry, History};
use crate::tx::{TracedAccess, View};

/// The purpose of the memory, for errors.
const WHAT: &str = "outcomes";

/// Records accesses with the versions of the lock words, as threads under locks do. A run can therefore have stages of both kinds.
pub(crate) struct Recorder<'a> {
    history: History,
    views: &'a [View<'a>],
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(views: &'a [View<'a>]) -> Recorder<'a> {
        Recorder { history: History::new(true), views }
    }

    pub(crate) fn into_history(self) -> History {
        self.history
    }

    /// Records a finished transaction, and moves the versions of what its commit wrote.
    pub(crate) fn record(
        &mut self,
        transaction: usize,
        trace: &[TracedAccess],
        committed: bool,
    ) -> Result<(), NoMemory> {
        let mut entries: Vec<Entry> = memory::with_room(WHAT, trace.len())?;
        for (array, index, write) in trace {
            let (lock, version) = (index >> self.views[*array].coverage_log2(), self.views[*array].version(*index));
            let entry = match write {
                true if committed => {
                    Entry::write(*array, lock, version + mutant!("serial: a write keeps the version", 1, 0))
                }
                true => continue,
                false => Entry::read(*array, lock, version),
            };
            entries.push(entry);
        }
        // Each access once, no longer in order: a long transaction has many.
        entries.sort_unstable_by_key(|entry| (entry.is_write(), entry.location()));
        entries.dedup();
        for entry in entries.iter().filter(|entry| entry.is_write()) {
            let view = &self.views[entry.array()];
            view.set_version(entry.lock() << view.coverage_log2(), entry.version());
        }
        self.history.push(transaction, entries)
    }
}
