//! The number of threads of a stage whose transactions wait for earlier ones, by the rates of its launches.
//!
//! A thread that waits looks again and again, and slows down the one that it waits for. So the best number depends on how many
//! transactions can run at a time, which is not known beforehand: from 1,000 to all that the device holds (one H200, docs/results).

/// The factor between the numbers that are tried, first and then.
const STEP: u64 = 4;
const SMALL_STEP: u64 = 2;
/// The fewest threads.
const FEWEST: u64 = 256;
/// The usual threads of the first launch.
pub(super) const FIRST: u64 = 4096;
/// The factor by which the rate has to rise: the clock is not exact.
const BETTER: f64 = 1.05;

/// A search, up or down from the first number, then in the other direction if that brought nothing, and again in small steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Climb {
    most: u64,
    best: u64,
    /// The rate with that number; 0 before it was measured.
    rate: f64,
    tried: u64,
    goes_up: bool,
    /// Whether the other direction is known to be worse.
    is_turned: bool,
    step: u64,
    is_settled: bool,
}

impl Climb {
    /// Begins a search with these threads, among at most that many.
    pub(super) fn new(first: u64, most: u64) -> Climb {
        let first = first.max(FEWEST).min(most);
        let (best, tried, goes_up) = (first, first, false);
        Climb { most, best, rate: 0.0, tried, goes_up, is_turned: false, step: STEP, is_settled: false }
    }

    /// Returns the threads of the next launch.
    pub(super) fn threads(&self) -> u64 {
        self.tried
    }

    /// Returns whether the next launch measures a number that was not tried before.
    pub(super) fn measures(&self) -> bool {
        !self.is_settled
    }

    /// Takes the transactions a second of the last launch.
    pub(super) fn learn(&mut self, rate: f64) {
        if self.is_settled {
            return;
        }
        let is_better = mutant!("climb: worse numbers are kept", rate > BETTER * self.rate, true);
        if is_better {
            self.is_turned |= self.tried != self.best;
            (self.best, self.rate) = (self.tried, rate);
        } else {
            self.turn();
        }
        while self.next() == self.best && !self.is_settled {
            self.turn();
        }
        self.tried = if self.is_settled { self.best } else { self.next() };
    }

    /// Goes in the other direction. Where that is known to be worse, it goes on in small steps, and then ends.
    fn turn(&mut self) {
        let are_both = self.is_turned;
        self.is_settled = are_both && self.step == SMALL_STEP;
        self.step = if are_both { SMALL_STEP } else { self.step };
        (self.goes_up, self.is_turned) = (!self.goes_up, !are_both);
    }

    fn next(&self) -> u64 {
        let step = self.step;
        if self.goes_up { (self.best * step).min(self.most) } else { (self.best / step).max(FEWEST.min(self.best)) }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        the_best_number_is_found_and_kept
    }

    /// Returns the number at which a search ends, and how many launches it took.
    fn settle(mut climb: Climb, rate: impl Fn(u64) -> f64) -> (u64, u32) {
        let mut launches = 0;
        while climb.measures() && launches < 100 {
            climb.learn(rate(climb.threads()));
            launches += 1;
        }
        climb.learn(f64::INFINITY);
        (climb.threads(), launches)
    }

    #[cfg_attr(test, test)]
    fn the_best_number_is_found_and_kept() {
        let fewer = |threads: u64| 1e9 / threads as f64;
        assert_eq!(settle(Climb::new(FIRST, 1 << 18), fewer).0, FEWEST);
        assert_eq!(settle(Climb::new(FIRST, 1 << 18), |threads| threads as f64), (1 << 18, 6));
        let around = |best: f64| move |threads: u64| -(threads as f64 / best).ln().abs() + 100.0;
        for best in [300, 1_000, 2_000, 4_000, 8_000, 16_000, 200_000] {
            let (found, launches) = settle(Climb::new(FIRST, 1 << 18), |threads| around(best as f64)(threads).exp());
            assert!(
                2 * found <= 3 * best && 2 * best <= 3 * found && launches < 10,
                "{found} for {best} in {launches}"
            );
        }
        assert_eq!(settle(Climb::new(FIRST, 100), fewer).0, 100, "a small device");
        assert_eq!(Climb::new(1_000, 1 << 18).threads(), 1_000);
    }
}
