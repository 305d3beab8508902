//! Contention control: finds the number of threads that commits the most transactions per second.
//!
//! The conflicts between threads depend on the elements that a batch's transactions access, which are not known
//! beforehand. So a long run measures: short launches with four times and a quarter of the threads, then with twice and half of
//! them, and each change stays that raises the rate.

use std::time::Duration;

use super::geometry::{Geometry, LaunchRequest};

/// The first factor between two numbers of threads. The last one is 2.
const FACTOR: u64 = 4;
/// Conflicts of each finished transaction from which fewer threads are tried before more.
const MANY_CONFLICTS: u64 = 4;
/// Finished transactions for each conflict from which fewer threads are not tried: they cannot bring much.
const QUIET: u64 = 4;
/// The factor by which the rate has to rise: the last transactions are slower anyway, and the clock is not exact.
const BETTER: f64 = 1.03;
/// The duration of the first launch where the arrays have room for every thread.
const FIRST: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_millis(20) };
/// The duration of the first launch otherwise, and the shortest of those that measure.
const LOOK: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_millis(1) };
/// The part of the remaining time that one measuring launch may take.
const SHARE: u32 = 16;

/// Chooses the shape of the next launch from the results of the last ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContentionControl {
    request: LaunchRequest,
    best: Geometry,
    /// Transactions finished per second with it; 0 before it was measured.
    rate: f64,
    tried: Option<Geometry>,
    search: Search,
    /// The duration of the next launch that measures.
    look: Duration,
    /// Its minimum. It grows where a launch finishes nothing in that time.
    shortest: Duration,
}

/// What is tried next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    /// Nothing is known yet.
    Begin,
    /// More or fewer threads, by a factor. `turned`: the other direction is known to be worse.
    Towards { more: bool, factor: u64, turned: bool },
    /// The best number is found, or the user set it.
    Settled,
}

impl Search {
    /// Returns what follows if the last step brought nothing.
    fn after_failure(self) -> Search {
        match self {
            Search::Towards { more, factor, turned: false } => Search::Towards { more: !more, factor, turned: true },
            Search::Towards { more, factor: FACTOR, turned: true } => {
                Search::Towards { more: !more, factor: 2, turned: false }
            }
            Search::Begin | Search::Towards { .. } | Search::Settled => Search::Settled,
        }
    }

    /// Returns what follows if the last step raised the rate.
    fn after_success(self) -> Search {
        match self {
            Search::Towards { more, factor, .. } => Search::Towards { more, factor, turned: true },
            other => other,
        }
    }
}

impl ContentionControl {
    /// Returns the control. It tries nothing where the user sets the number of threads.
    pub(crate) fn new(request: LaunchRequest, geometry: Geometry, is_fixed: bool) -> ContentionControl {
        let is_settled = mutant!("contention: threads that the user wants are changed", is_fixed, false);
        let search = if is_settled { Search::Settled } else { Search::Begin };
        let look = if request.is_crowded() { LOOK } else { FIRST };
        ContentionControl { request, best: geometry, rate: 0.0, tried: None, search, look, shortest: LOOK }
    }

    /// Returns the shape to launch.
    pub(crate) fn geometry(&self) -> Geometry {
        self.tried.unwrap_or(self.best)
    }

    /// Returns the shape with the highest rate.
    pub(crate) fn best(&self) -> Geometry {
        self.best
    }

    /// Returns the transactions finished a second with that shape; 0 if it was not measured.
    pub(crate) fn best_rate(&self) -> f64 {
        self.rate
    }

    /// Returns the maximum duration of the next launch.
    pub(crate) fn slice(&self, usual: Duration) -> Duration {
        if self.tried.is_some() || self.search == Search::Begin { usual.min(self.look) } else { usual }
    }

    /// Halves the threads after a launch that finished nothing because of conflicts.
    pub(crate) fn halve(&mut self) {
        let fewer = mutant!(
            "contention: a launch without progress keeps its threads",
            self.geometry().halved(),
            self.geometry()
        );
        (self.best, self.tried, self.rate) = (fewer, None, 0.0);
    }

    /// Lengthens the next launch after one that was too short to measure.
    pub(crate) fn look_longer(&mut self) {
        self.look = self.look.saturating_mul(mutant!("contention: short launches stay short", 2, 1));
        self.shortest = self.look;
    }

    /// Takes the results of the last launch; `left` transactions are not finished.
    pub(crate) fn learn(&mut self, finished: u64, conflicts: u64, took: Duration, left: u64) {
        let rate = finished as f64 / took.as_secs_f64().max(1e-9);
        match self.tried.take() {
            Some(tried) if mutant!("contention: worse shapes are kept", rate > BETTER * self.rate, true) => {
                (self.best, self.rate) = (tried, rate);
                self.search = self.search.after_success();
            }
            Some(_) => self.search = self.search.after_failure(),
            None => self.rate = rate,
        }
        if self.search == Search::Begin {
            // Many conflicts say that there are too many threads.
            self.search = Search::Towards {
                more: conflicts < MANY_CONFLICTS.saturating_mul(finished),
                factor: FACTOR,
                turned: false,
            };
        }
        let rest = Duration::try_from_secs_f64(left as f64 / self.rate.max(1e-9)).unwrap_or(Duration::MAX);
        self.look = (rest / SHARE / 4).clamp(self.shortest, FIRST.max(self.shortest));
        if rest > self.look * SHARE {
            self.try_next(conflicts.saturating_mul(QUIET) < finished);
        }
    }

    /// Chooses the next shape to try. Without conflicts, fewer threads are not better.
    fn try_next(&mut self, is_quiet: bool) {
        let is_quiet = mutant!("contention: threads are taken away without conflicts", is_quiet, false);
        while let Search::Towards { more, factor, .. } = self.search {
            let threads = self.best.threads();
            let wanted = if more { threads.saturating_mul(factor) } else { threads / factor };
            let next = Geometry::choose(&LaunchRequest { threads: Some(wanted), ..self.request });
            let is_new = if more { next.threads() > threads } else { next.threads() < threads && !is_quiet };
            if is_new {
                self.tried = Some(next);
                return;
            }
            self.search = self.search.after_failure();
        }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;
    use crate::gpu::schedule::geometry::tests::request;

    hunted! {
        the_best_number_of_threads_is_found
        nothing_is_tried_without_conflicts_or_against_the_user
        short_runs_are_not_measured
        looks_grow_where_they_are_too_short
        a_launch_without_progress_halves
    }

    const MANY: u64 = 1 << 40;

    fn contention(threads: Option<u64>, is_fixed: bool) -> ContentionControl {
        let request = LaunchRequest { contention: threads, ..request() };
        ContentionControl::new(request, Geometry::choose(&request), is_fixed)
    }

    /// Simulates launches of a batch whose rate depends on the threads by `rate`.
    fn settle(mut contention: ContentionControl, rate: impl Fn(u64) -> f64, conflicts: u64, left: u64) -> u64 {
        for _ in 0..40 {
            let took = contention.slice(Duration::from_millis(100));
            let finished = (rate(contention.geometry().threads()) * took.as_secs_f64()) as u64;
            contention.learn(finished, conflicts * finished, took, left);
        }
        contention.geometry().threads()
    }

    /// A rate that falls by half for each factor of 4 between the threads and the best number of them.
    fn peak(best: u64) -> impl Fn(u64) -> f64 {
        move |threads| 1e8 * 0.5_f64.powf((threads as f64 / best as f64).log2().abs() / 2.0)
    }

    #[cfg_attr(test, test)]
    fn the_best_number_of_threads_is_found() {
        let all = contention(None, false).geometry().threads();
        for start in [None, Some(64), Some(2048)] {
            for best in [64, 1000, 1 << 13, all] {
                let found = settle(contention(start, false), peak(best), 50, MANY);
                assert!(peak(best)(found) > 0.8e8, "{found} for {best} from {start:?}");
            }
        }
        assert_eq!(settle(contention(None, false), |_| 1e8, 50, MANY), all, "no gain, no change");
        assert_eq!(settle(contention(None, false), |threads| 1e12 / threads as f64, 50, MANY), 1);
    }

    #[cfg_attr(test, test)]
    fn nothing_is_tried_without_conflicts_or_against_the_user() {
        let all = contention(None, false).geometry().threads();
        let fewer_is_better = |threads: u64| 1e12 / threads as f64;
        assert_eq!(settle(contention(None, false), fewer_is_better, 0, MANY), all);
        assert_eq!(settle(contention(None, true), fewer_is_better, 1000, MANY), all);
    }

    #[cfg_attr(test, test)]
    fn short_runs_are_not_measured() {
        let all = contention(None, false).geometry().threads();
        assert_eq!(settle(contention(None, false), |threads| 1e12 / threads as f64, 50, 1000), all);
    }

    #[cfg_attr(test, test)]
    fn looks_grow_where_they_are_too_short() {
        let (mut contention, usual) = (contention(None, false), Duration::from_millis(100));
        let first = contention.slice(usual);
        contention.look_longer();
        assert_eq!((first, contention.slice(usual)), (FIRST, 2 * FIRST));
        (0..100).for_each(|_| contention.look_longer());
        assert_eq!(contention.slice(usual), usual);
    }

    #[cfg_attr(test, test)]
    fn a_launch_without_progress_halves() {
        let mut contention = contention(None, true);
        let all = contention.geometry().threads();
        contention.halve();
        assert!(contention.geometry().threads() <= all.div_ceil(2));
    }
}
