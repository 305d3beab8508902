//! The record of how a unit is obtained: notes for users, and where the time goes.

use std::time::{Duration, Instant};

use crate::outcome::{CompileTimes, Origin};

/// The record of one unit, from its text to the loaded program. Every moment belongs to one step, so the steps add up to the whole.
pub(crate) struct Making {
    /// Notes for users: compiler warnings, trouble with the cache.
    pub(crate) notes: Vec<String>,
    /// Where the unit comes from.
    pub(crate) origin: Origin,
    times: CompileTimes,
    /// The end of the last step.
    last: Instant,
}

impl Making {
    /// Begins now.
    pub(crate) fn begin() -> Making {
        Making { notes: Vec::new(), origin: Origin::Memory, times: CompileTimes::default(), last: Instant::now() }
    }

    /// Ends a step: adds the time since the last one to it.
    pub(crate) fn end(&mut self, step: fn(&mut CompileTimes) -> &mut Duration) {
        let now = Instant::now();
        *step(&mut self.times) += now.saturating_duration_since(self.last);
        self.last = now;
    }

    /// Returns the times until the end of the last step.
    pub(crate) fn times(&self) -> CompileTimes {
        self.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moment_is_lost_or_counted_twice() {
        let before = Instant::now();
        let mut making = Making::begin();
        let begin = making.last;
        for _ in 0..100 {
            making.end(|times| &mut times.text);
            making.end(|times| &mut times.compiler);
            making.end(|times| &mut times.text);
        }
        assert_eq!(making.times().total(), making.last - begin);
        assert!(making.times().total() <= before.elapsed());
        assert_eq!(making.times().disk, Duration::ZERO);
    }
}
