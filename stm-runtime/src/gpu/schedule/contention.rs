//! Contention control: finds the number of threads that commits the most transactions per second.
//!
//! The conflicts between threads depend on the elements that a batch's transactions access, which are not known
//! beforehand. So a run measures. Launches are short until a good number of threads is known:
//!
//! - The number is multiplied, or divided, so that there should be about one conflict for each finished transaction: the best numbers
//!   of threads are those (one H200, docs/results).
//! - Then twice or half as many are tried while enough is left to do. Each change stays that raises the rate.
//!
//! The transactions that remain are those that conflict, so a batch becomes slower while it runs. Therefore the best shape is measured
//! again after one that was slower, and no launch takes much longer than the rest of the batch should.

use std::time::Duration;

use kernels_gen::abi::counters::Counter;

use super::geometry::{Geometry, LaunchRequest};
use super::run_state::Counts;

/// Conflicts of each finished transaction from which there are too many threads, whatever the rate was: where transactions are long,
/// and where they are short.
const MANY_CONFLICTS: [f64; 2] = [2.0, 6.0];
/// The same where the arrays are small and transactions are short: the first number of threads is a good one there.
const MANY_IN_CROWD: f64 = 16.0;
/// Conflicts of each finished transaction below which there are too few threads.
const FEW_CONFLICTS: f64 = 0.25;
/// Waiting transactions of each thread up to which passes over them are short.
const WAITING_EACH: u64 = 64;
/// Conflicts of each finished transaction below which more threads are tried again and again: the transactions have become others.
const LEAST_CONFLICTS: f64 = 0.02;
/// The most by which the number of threads is divided or multiplied at a time.
const LEAP: f64 = 64.0;
/// The factor by which the rate has to rise: the last transactions are slower anyway, and the clock is not exact.
const BETTER: f64 = 1.03;
/// The maximum duration of the first launch where the arrays have room for every thread, or transactions are long.
const FIRST: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_millis(1) };
/// The maximum duration of the first launch otherwise, and the shortest of those that measure.
const LOOK: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_micros(250) };
/// The maximum duration of a launch that measures.
const LONGEST_LOOK: Duration = if cfg!(test) { Duration::from_micros(100) } else { Duration::from_millis(20) };
/// The part of the remaining time that one measuring launch may take.
const SHARE: u32 = 16;

/// Chooses the shape of the next launch from the results of the last ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContentionControl {
    request: LaunchRequest,
    /// The shape for a batch without conflicts.
    full: Geometry,
    best: Geometry,
    /// Transactions finished per second with it; 0 before it was measured.
    rate: f64,
    tried: Option<Geometry>,
    /// Transactions finished per second by the last launch, if most of what it left waits for a guard.
    waiting_rate: Option<f64>,
    /// Whether the best shape is measured again, because the last one that was tried was worse.
    again: bool,
    search: Search,
    /// Conflicts of each finished transaction up to which there are not too many threads: more than the best shape has had.
    tolerated: f64,
    /// Those below which there are too few: fewer than where more threads were slower.
    few: f64,
    /// What a launch that does not measure may take of the time that the rest of the batch should take; `None` for all of it.
    rest: Option<Duration>,
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
    /// Twice or half as many threads. `turned`: the other direction is known to be worse.
    Towards { more: bool, turned: bool },
    /// The best number is found.
    Settled,
    /// The user set the number.
    Fixed,
}

impl Search {
    /// Returns what follows if the last step brought nothing.
    fn after_failure(self) -> Search {
        match self {
            Search::Towards { more, turned: false } => Search::Towards { more: !more, turned: true },
            Search::Towards { turned: true, .. } => Search::Settled,
            Search::Begin | Search::Settled | Search::Fixed => self,
        }
    }

    /// Returns what follows if the last step raised the rate.
    fn after_success(self) -> Search {
        match self {
            Search::Towards { more, .. } => Search::Towards { more, turned: true },
            other => other,
        }
    }
}

/// The results of a launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learned {
    pub(crate) finished: u64,
    pub(crate) conflicts: u64,
    pub(crate) took: Duration,
    /// Transactions that are not finished.
    pub(crate) left: u64,
    /// Those of them whose guards were false at last.
    pub(crate) waiting: u64,
}

impl Learned {
    /// Returns those of a launch by its counters and its time, and the number of transactions that are left after it.
    pub(super) fn of(counts: &Counts, took: Duration, left: u64) -> Learned {
        let (finished, conflicts) = (counts.finished(), counts.conflicts().total());
        Learned { finished, conflicts, took, left, waiting: counts.get(Counter::LeftPostponed) }
    }

    fn rate(&self) -> f64 {
        self.finished as f64 / self.took.as_secs_f64().max(1e-9)
    }

    /// Returns the conflicts of each finished transaction.
    fn conflicts_of_each(&self) -> f64 {
        self.conflicts as f64 / (self.finished.max(1)) as f64
    }

    fn is_quiet(&self) -> bool {
        self.conflicts_of_each() < FEW_CONFLICTS
    }
}

impl ContentionControl {
    /// Returns the control. It tries nothing where the user sets the number of threads.
    pub(crate) fn new(request: LaunchRequest, geometry: Geometry, is_fixed: bool) -> ContentionControl {
        let is_fixed = mutant!("contention: threads that the user wants are changed", is_fixed, false);
        let search = if is_fixed { Search::Fixed } else { Search::Begin };
        let look = if request.is_crowded() && !request.is_long { LOOK } else { FIRST };
        let tolerated = match (request.is_long, request.is_crowded()) {
            (true, _) => MANY_CONFLICTS[0],
            (false, false) => MANY_CONFLICTS[1],
            (false, true) => MANY_IN_CROWD,
        };
        ContentionControl {
            request,
            full: geometry,
            best: geometry,
            rate: 0.0,
            tried: None,
            waiting_rate: None,
            again: false,
            search,
            tolerated,
            few: FEW_CONFLICTS,
            rest: None,
            look,
            shortest: LOOK,
        }
    }

    /// Lets the first launch do all of the work, where an earlier run on these threads took that long for it: to launch again takes time,
    /// too. Where the elements have become others, the time is bounded.
    pub(crate) fn expecting(self, took: Duration) -> ContentionControl {
        let look = mutant!("contention: a run that took longer is cut again", took.saturating_mul(2), took / 2);
        ContentionControl { look: self.look.max(look), ..self }
    }

    /// Returns the shape to launch.
    pub(crate) fn geometry(&self) -> Geometry {
        self.tried.unwrap_or(self.best)
    }

    /// Returns the shape with the highest rate.
    pub(crate) fn best(&self) -> Geometry {
        self.best
    }

    /// Returns the transactions finished a second by the device, if they are known: not those of a number of threads with far too many
    /// conflicts, which was divided. Where most transactions wait, no number of threads is better.
    pub(crate) fn rate(&self) -> Option<f64> {
        let is_known = mutant!("contention: the first rate is that of the device", self.search != Search::Begin, true);
        self.waiting_rate.or(is_known.then_some(self.rate))
    }

    /// Returns the maximum duration of the next launch.
    pub(crate) fn slice(&self, usual: Duration) -> Duration {
        match self.rest {
            _ if self.search == Search::Fixed => usual,
            _ if self.waiting_rate.is_some() => usual,
            _ if self.measures() => usual.min(self.look),
            Some(rest) => usual.min(self.look.max(rest)),
            None => usual,
        }
    }

    fn measures(&self) -> bool {
        self.tried.is_some() || self.again || self.search == Search::Begin
    }

    /// Halves the threads after a launch that finished nothing because of conflicts.
    pub(crate) fn halve(&mut self) {
        let fewer = mutant!(
            "contention: a launch without progress keeps its threads",
            self.geometry().halved(),
            self.geometry()
        );
        (self.best, self.tried, self.again, self.rate) = (fewer, None, false, 0.0);
    }

    /// Lengthens the next launch after one that was too short to measure.
    pub(crate) fn look_longer(&mut self) {
        self.look = self.look.saturating_mul(mutant!("contention: short launches stay short", 2, 1));
        self.shortest = self.look;
        self.rest = self.rest.map(|rest| rest.saturating_mul(2));
    }

    /// Takes the results of the last launch.
    pub(crate) fn learn(&mut self, learned: Learned) {
        let waits =
            mutant!("contention: waiting transactions are a measure", learned.waiting > learned.finished, false);
        self.waiting_rate = waits.then(|| learned.rate());
        if waits {
            // The rate says how fast guards come true, and not how many threads are good. Conflicts still say that there are too many.
            self.tried = None;
            self.divides(&learned, learned.left / WAITING_EACH);
            return;
        }
        let rate = learned.rate();
        match self.tried.take() {
            Some(tried) if mutant!("contention: worse shapes are kept", rate > BETTER * self.rate, true) => {
                (self.best, self.rate) = (tried, rate);
                self.search = self.search.after_success();
                self.tolerated = self.tolerated.max(2.0 * learned.conflicts_of_each());
                self.plan_next(&learned);
            }
            Some(tried) => {
                if tried.threads() > self.best.threads() {
                    self.few = (self.few / 4.0).max(LEAST_CONFLICTS);
                }
                self.search = self.search.after_failure();
                self.again = true;
            }
            None => {
                (self.rate, self.again) = (rate, false);
                self.plan_next(&learned);
            }
        }
    }

    /// Plans the next launch after one with the best shape.
    fn plan_next(&mut self, learned: &Learned) {
        let rest = Duration::try_from_secs_f64(learned.left as f64 / self.rate.max(1e-9)).unwrap_or(Duration::MAX);
        self.rest = match learned.is_quiet() {
            true if self.best.threads() >= self.full.threads() => None,
            // More threads may soon be better.
            true => Some(rest / 4),
            false => Some(rest),
        };
        self.look = (rest / SHARE / 4).clamp(self.shortest, LONGEST_LOOK.max(self.shortest));
        if self.search == Search::Fixed || (rest > 2 * self.look && self.leaps(learned)) {
            return;
        }
        if rest > self.look.max(learned.took) * SHARE {
            self.try_next(learned.is_quiet());
        }
    }

    /// Goes to as many threads as should have about one conflict for each finished transaction. Returns whether these are others.
    fn leaps(&mut self, learned: &Learned) -> bool {
        let (threads, each) = (self.best.threads(), learned.conflicts_of_each());
        if mutant!("contention: many conflicts are no reason for fewer threads", each > self.tolerated, false) {
            return self.divides(learned, 1);
        }
        if self.search == Search::Begin {
            self.search = Search::Towards { more: each < 1.0, turned: false };
        }
        if each >= self.few || threads >= self.full.threads() {
            return false;
        }
        let factor = (0.5 / each.max(1e-9)).clamp(2.0, LEAP);
        let next = self.with_threads(((threads as f64 * factor) as u64).min(self.full.threads()));
        self.tried = (next.threads() > threads).then_some(next);
        self.tried.is_some()
    }

    /// Goes to fewer threads, but not below `fewest`, where there are too many conflicts. Returns whether it does.
    fn divides(&mut self, learned: &Learned, fewest: u64) -> bool {
        let (threads, each) = (self.best.threads(), learned.conflicts_of_each());
        if self.search == Search::Fixed || each <= self.tolerated {
            return false;
        }
        let fewer = self.with_threads(((threads as f64 / each.clamp(2.0, LEAP)) as u64).max(fewest));
        let is_new = fewer.threads() < threads;
        if is_new {
            (self.best, self.search) = (fewer, Search::Begin);
        }
        is_new
    }

    fn with_threads(&self, threads: u64) -> Geometry {
        Geometry::choose(&LaunchRequest { threads: Some(threads), ..self.request })
    }

    /// Chooses the next shape to try. Without conflicts, fewer threads are not better.
    fn try_next(&mut self, is_quiet: bool) {
        let is_quiet = mutant!("contention: threads are taken away without conflicts", is_quiet, false);
        while let Search::Towards { more, .. } = self.search {
            let threads = self.best.threads();
            let next = self.with_threads(if more { threads.saturating_mul(2) } else { threads / 2 });
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
    use std::cell::Cell;

    use super::*;
    use crate::gpu::schedule::geometry::tests::request;

    hunted! {
        the_best_number_of_threads_is_found
        many_conflicts_divide_the_threads
        nothing_is_tried_without_conflicts_or_against_the_user
        waiting_transactions_say_nothing_about_threads
        short_runs_are_not_measured
        looks_grow_where_they_are_too_short
        a_launch_without_progress_halves
    }

    const MANY: u64 = 1 << 40;
    const SECOND: Duration = Duration::from_secs(1);

    fn contention(threads: Option<u64>, is_fixed: bool) -> ContentionControl {
        let request = LaunchRequest { contention: threads, ..request() };
        ContentionControl::new(request, Geometry::choose(&request), is_fixed)
    }

    /// Simulates launches of a batch whose rate depends on the threads by `rate`, with one conflict for each finished transaction on
    /// `calm` threads. Returns the threads in the end.
    fn settle(mut contention: ContentionControl, rate: impl Fn(u64) -> f64, calm: u64, left: u64) -> u64 {
        for _ in 0..40 {
            let (took, threads) = (contention.slice(Duration::from_millis(100)), contention.geometry().threads());
            let finished = (rate(threads) * took.as_secs_f64()) as u64;
            let conflicts = (finished as f64 * threads as f64 / calm as f64) as u64;
            contention.learn(Learned { finished, conflicts, took, left, waiting: 0 });
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
                for calm in [best / 4, best, 4 * best] {
                    let found = settle(contention(start, false), peak(best), calm, MANY);
                    assert!(peak(best)(found) > 0.8e8, "{found} for {best} from {start:?}, calm on {calm}");
                }
            }
        }
        assert_eq!(settle(contention(None, false), |_| 1e8, all / 2, MANY), all, "no gain, no change");
        assert_eq!(settle(contention(None, false), |threads| 1e12 / threads as f64, 1, MANY), 1);
    }

    #[cfg_attr(test, test)]
    fn many_conflicts_divide_the_threads() {
        let mut control = contention(None, false);
        let all = control.geometry().threads();
        let learned = Learned { finished: 1000, conflicts: 50_000, took: FIRST, left: 1 << 30, waiting: 0 };
        control.learn(learned);
        let fewer = control.geometry().threads();
        assert!((all / 60..=all / 45).contains(&fewer), "{fewer} of {all}");
        assert_eq!(control.rate(), None, "it was the rate of too many threads");
        control.learn(Learned { conflicts: 1000, ..learned });
        assert!(control.rate().is_some(), "one of the device");
        assert_eq!(control.best().threads(), fewer, "one conflict for each is as it should be");
    }

    #[cfg_attr(test, test)]
    fn nothing_is_tried_without_conflicts_or_against_the_user() {
        let all = contention(None, false).geometry().threads();
        for (is_fixed, calm) in [(false, u64::MAX), (true, 1)] {
            let fewest = Cell::new(all);
            let fewer_is_better = |threads: u64| {
                fewest.set(fewest.get().min(threads));
                1e12 / threads as f64
            };
            let last = settle(contention(None, is_fixed), fewer_is_better, calm, MANY);
            assert_eq!((fewest.get(), last), (all, all), "is fixed: {is_fixed}");
        }
    }

    #[cfg_attr(test, test)]
    fn waiting_transactions_say_nothing_about_threads() {
        let mut control = contention(None, false);
        let all = control.geometry().threads();
        let took = Duration::from_millis(1);
        control.learn(Learned { finished: 10, conflicts: 1000, took, left: 1 << 26, waiting: 1 << 20 });
        assert_eq!((control.geometry().threads(), control.slice(SECOND)), (all, SECOND));
        assert_eq!(control.rate(), Some(10_000.0), "a place that was not measured is not left");
    }

    #[cfg_attr(test, test)]
    fn short_runs_are_not_measured() {
        let all = contention(None, false).geometry().threads();
        assert_eq!(settle(contention(None, false), |threads| 1e12 / threads as f64, 1, 500), all);
    }

    #[cfg_attr(test, test)]
    fn looks_grow_where_they_are_too_short() {
        let (mut contention, usual) = (contention(None, false), Duration::from_millis(100));
        let first = contention.slice(usual);
        let expecting = |took| contention.expecting(took).slice(usual);
        assert_eq!([0, 30, 300].map(|ms| expecting(Duration::from_millis(ms))), [first, usual * 3 / 5, usual]);
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
