//! Contention control: fewer threads at a time while most attempts end in conflicts.
//!
//! The conflicts between threads depend on the elements that a batch's transactions access, which are not known
//! beforehand. So a long run measures: while most attempts end in conflicts, the next launch has a quarter of the threads,
//! for as long as that raises the rate.

use std::time::Duration;

use super::geometry::{Geometry, LaunchRequest};

/// Conflicts of each finished transaction from which fewer threads are tried.
const CROWDED: u64 = 8;
/// The factor by which the rate has to rise: the last transactions are slower anyway, and the clock is not exact.
const BETTER: f64 = 1.1;
/// The duration of launches while the control measures.
const LOOK: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_millis(20) };

/// Chooses the shape of the next launch from the results of the last ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContentionControl {
    request: LaunchRequest,
    best: Geometry,
    /// Transactions finished per second with it; 0 before it was measured.
    rate: f64,
    tried: Option<Geometry>,
    settled: bool,
    /// Whether the first, short launch has been measured.
    looked: bool,
    /// The duration of a short launch.
    look: Duration,
}

impl ContentionControl {
    /// Returns the control. It tries nothing where the user sets the number of threads.
    pub(crate) fn new(request: LaunchRequest, geometry: Geometry, is_fixed: bool) -> ContentionControl {
        let settled = mutant!("contention: threads that the user wants are changed", is_fixed, false);
        ContentionControl { request, best: geometry, rate: 0.0, tried: None, settled, looked: is_fixed, look: LOOK }
    }

    /// Returns the shape to launch.
    pub(crate) fn geometry(&self) -> Geometry {
        self.tried.unwrap_or(self.best)
    }

    /// Returns the shape with the highest rate.
    pub(crate) fn best(&self) -> Geometry {
        self.best
    }

    /// Returns the maximum duration of the next launch.
    pub(crate) fn slice(&self, usual: Duration) -> Duration {
        if self.tried.is_some() || !self.looked { usual.min(self.look) } else { usual }
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
    }

    /// Takes the results of the last launch.
    pub(crate) fn learn(&mut self, finished: u64, conflicts: u64, took: Duration) {
        let rate = finished as f64 / took.as_secs_f64().max(1e-9);
        self.looked = true;
        match self.tried.take() {
            Some(tried)
                if mutant!("contention: fewer threads are kept for nothing", rate > BETTER * self.rate, true) =>
            {
                (self.best, self.rate) = (tried, rate)
            }
            Some(_) => self.settled = true,
            None => self.rate = rate,
        }
        let most = CROWDED.saturating_mul(finished);
        let crowded = mutant!("contention: threads are taken away without conflicts", conflicts > most, true);
        let fewer = Geometry::choose(&LaunchRequest { threads: Some(self.best.threads() / 4), ..self.request });
        if !self.settled && crowded && fewer.threads() < self.best.threads() {
            self.tried = Some(fewer);
        }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;
    use crate::gpu::schedule::geometry::tests::request;

    hunted! {
        fewer_threads_are_kept_as_long_as_they_bring_more
        nothing_is_tried_without_a_crowd_or_against_the_user
        looks_grow_where_they_are_too_short
        a_launch_without_progress_halves
    }

    fn contention(is_fixed: bool) -> ContentionControl {
        ContentionControl::new(request(), Geometry::choose(&request()), is_fixed)
    }

    /// Simulates launches of a batch whose rate depends on the threads by `rate`.
    fn settle(mut contention: ContentionControl, rate: impl Fn(u64) -> f64, conflicts: u64) -> u64 {
        for _ in 0..20 {
            let took = contention.slice(Duration::from_millis(100));
            let finished = (rate(contention.geometry().threads()) * took.as_secs_f64()) as u64;
            contention.learn(finished, conflicts * finished, took);
        }
        contention.geometry().threads()
    }

    #[cfg_attr(test, test)]
    fn fewer_threads_are_kept_as_long_as_they_bring_more() {
        let all = contention(false).geometry().threads();
        let peak = |threads: u64| 1e6 / (1.0 + (threads as f64 / all as f64 * 16.0).log2().abs());
        let best = settle(contention(false), peak, 50);
        assert!(best <= all / 8 && best >= all / 32, "{best} of {all}");
        assert_eq!(settle(contention(false), |threads| threads as f64 * 10.0, 50), all);
        assert_eq!(settle(contention(false), |_| 1e6, 50), all, "no gain, no change");
    }

    #[cfg_attr(test, test)]
    fn nothing_is_tried_without_a_crowd_or_against_the_user() {
        let all = contention(false).geometry().threads();
        let fewer_is_better = |threads: u64| 1e9 / threads as f64;
        assert_eq!(settle(contention(false), fewer_is_better, CROWDED), all);
        assert_eq!(settle(contention(true), fewer_is_better, 1000), all);
        assert_eq!(settle(contention(false), fewer_is_better, 1000), 1);
    }

    #[cfg_attr(test, test)]
    fn looks_grow_where_they_are_too_short() {
        let (mut contention, usual) = (contention(false), Duration::from_millis(100));
        let first = contention.slice(usual);
        contention.look_longer();
        assert_eq!((first, contention.slice(usual)), (LOOK, 2 * LOOK));
        (0..100).for_each(|_| contention.look_longer());
        assert_eq!(contention.slice(usual), usual);
    }

    #[cfg_attr(test, test)]
    fn a_launch_without_progress_halves() {
        let mut contention = contention(true);
        let all = contention.geometry().threads();
        contention.halve();
        assert!(contention.geometry().threads() <= all.div_ceil(2));
    }
}
