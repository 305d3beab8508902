//! Which transactions a launch executes: what the last one did not reach comes before what it left.

use kernels_gen::abi::counters::Counter;

use super::run_state::Counts;

/// The transactions that a launch executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: u64,
    pub(super) end: u64,
}

impl Window {
    /// Returns the window of a first launch.
    pub(super) fn all(transactions: u64) -> Window {
        Window { first: 0, end: transactions }
    }

    /// Returns the next window after a launch on this one. Transactions that it did not reach come first, because most of the others that
    /// are left conflict. In the end, all come again, and so they do where some wait for others.
    pub(super) fn after(self, counts: &Counts) -> Window {
        let (unvisited, waiting) = (counts.left_unvisited(), counts.get(Counter::LeftPostponed));
        let is_all = unvisited == 0 || mutant!("windows: what waits does not come again", waiting > 0, false);
        Window { first: if is_all { 0 } else { self.end.saturating_sub(unvisited).max(self.first) }, ..self }
    }

    /// Returns whether it has all transactions. Otherwise one pass is enough: what conflicts comes again with all others.
    pub(super) fn is_all(self) -> bool {
        self.first == 0
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        what_a_launch_did_not_reach_comes_first
    }

    #[cfg_attr(test, test)]
    fn what_a_launch_did_not_reach_comes_first() {
        let counts = |unvisited, waiting| {
            let mut counts = Counts(vec![0; Counter::COUNT]);
            counts.0[Counter::LeftUnvisited as usize] = unvisited;
            counts.0[Counter::LeftPostponed as usize] = waiting;
            counts
        };
        let all = Window::all(100);
        let rest = all.after(&counts(30, 0));
        assert_eq!((rest, rest.is_all()), (Window { first: 70, end: 100 }, false));
        assert_eq!(rest.after(&counts(10, 0)), Window { first: 90, end: 100 });
        assert_eq!((rest.after(&counts(0, 0)), all.is_all()), (all, true));
        assert_eq!(rest.after(&counts(10, 1)), all, "what waits may wait for any other");
        assert_eq!(all.after(&counts(1000, 0)), all, "unvisited transactions are counted from above");
    }
}
