//! The counters of a launch, for both sides.

use std::fmt::Write as _;

/// Declares the counters once, for both sides.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident = $cuda:literal;)*) => {
        /// A counter of a launch. The host zeroes the counters before each launch.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Counter { $($(#[$doc])* $name,)* }

        impl Counter {
            /// Every counter, in the order of the buffer.
            pub const ALL: &'static [Counter] = &[$(Counter::$name,)*];
            /// Their number.
            pub const COUNT: usize = Counter::ALL.len();

            /// Returns the name on the device.
            #[must_use]
            pub const fn cuda(self) -> &'static str {
                match self { $(Counter::$name => $cuda,)* }
            }
        }
    };
}

counters! {
    /// Transactions that committed.
    Committed = "STM_COMMITTED";
    /// Transactions that rejected for good.
    Rejected = "STM_REJECTS";
    /// Transactions that faulted.
    Faulted = "STM_FAULTS";
    /// Transactions whose guard was false in the last pass of this launch.
    LeftPostponed = "STM_LEFT_POSTPONED";
    /// Transactions that ran out of attempts in the last pass of this launch.
    LeftConflict = "STM_LEFT_CONFLICT";
    /// Transactions that were not visited (or not again) because the time budget was used up.
    LeftUnvisited = "STM_LEFT_UNVISITED";
    /// How often a guard was false on valid reads.
    Postponements = "STM_POSTPONEMENTS";
    /// The most passes that one thread made.
    Passes = "STM_PASSES";
    /// Turns that transactions of a checked run took in a stage without locks.
    Turns = "STM_TURNS";
    /// Conflicts: the element was locked by another transaction.
    ConflictLocked = "STM_LOCKED";
    /// Conflicts: a transaction with higher priority took the lock of the element.
    ConflictStolen = "STM_STOLEN";
    /// Conflicts: a commit changed a value that had been read.
    ConflictChanged = "STM_CHANGED";
    /// Conflicts: the version that the snapshot needs has been overwritten.
    ConflictOverwritten = "STM_OVERWRITTEN";
    /// Conflicts of any other cause.
    ConflictOther = "STM_OTHER";
}

/// Prints the counters' indices.
pub(super) fn put(out: &mut String) {
    out.push_str("enum stm_counter : u32 { ");
    for counter in Counter::ALL {
        let _ = write!(out, "{}, ", counter.cuda());
    }
    let _ = writeln!(out, "STM_COUNTERS }};");
}
