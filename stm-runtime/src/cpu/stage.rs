//! What the threads of a stage under locks have to do.

use std::sync::{Mutex, PoisonError};

use crate::cpu::state::Left;
use crate::cpu::supply::Supply;

/// How many transactions a thread takes at once from those that earlier stages have left.
const AT_ONCE: usize = 256;

/// A stage: transactions to be run for the first time, and at the end of a run all that wait.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) supply: Supply,
    /// Whether its threads go on until nothing can change any more.
    pub(crate) is_last: bool,
    /// What earlier stages have left.
    left: Mutex<Left>,
}

impl Stage {
    /// Returns a stage that leaves what waits to others.
    pub(crate) fn of(supply: Supply) -> Stage {
        Stage { supply, is_last: false, left: Mutex::default() }
    }

    /// Returns the last stage of a run.
    pub(crate) fn last(supply: Supply, mut left: Left) -> Stage {
        left.sort();
        Stage { supply, is_last: true, left: Mutex::new(left) }
    }

    /// Takes some transactions that earlier stages have left.
    pub(crate) fn take_left(&self) -> Option<Left> {
        let taken = self.left.lock().unwrap_or_else(PoisonError::into_inner).take(AT_ONCE);
        (!taken.is_empty()).then_some(taken)
    }
}
