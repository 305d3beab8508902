//! Chooses between one thread that works in place and several under locks, by measurement.
//!
//! One thread without locks is faster than several with locks where transactions are short, or meet at the same elements. Where they
//! are long, or there are many threads, it is not. No fact about a batch tells by how much. So a run begins in place. If much is left
//! after a moment, a short trial under locks follows, and the faster way goes on. Where that is the second one, the first one, which
//! began with nothing in the cache, has a trial too. All of that is the work of the batch. The next trial comes when the rate has fallen
//! to a half.

use std::time::Duration;

use crate::engine::Engine;
use crate::outcome::PlanReason;
use crate::tuning::{self, Methods};

/// How the transactions of a stage are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// By one thread, in place.
    InPlace,
    /// By all threads, under locks.
    Locked,
}

/// A stage to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) way: Way,
    /// The most transactions that it runs.
    pub(super) most: usize,
    /// When it ends in any case.
    pub(super) time: Option<Duration>,
}

/// How long a run begins in place before it looks further.
const FIRST: Duration = Duration::from_millis(1);
/// The least time of a trial: the start of the threads is a small part of it.
const SHORTEST_TRIAL: Duration = Duration::from_micros(500);
/// The most time of a trial.
const LONGEST_TRIAL: Duration = Duration::from_millis(8);
/// A trial takes this part of the time that is left, and the next look comes after that many trials' time.
const PART: u32 = 32;
/// Where less time is left, no trial pays.
const WORTH_A_TRIAL: Duration = Duration::from_millis(16);
/// The most transactions of a slice that is drawn.
const MOST_DRAWN: u64 = 16;

/// What a run knows about its speed.
#[derive(Debug)]
pub(super) struct Pace {
    threads: usize,
    /// The only way, where the methods of the plan leave one.
    only: Option<Way>,
    /// The state of the random numbers by which slices are drawn, for tests; `None` where time decides.
    drawn: Option<u64>,
    way: Way,
    /// Seconds of a transaction of that way, as measured last; `None` before the first slice.
    cost: Option<f64>,
    /// The same when the way was chosen.
    chosen_at: f64,
    /// Whether the other way is to be tried.
    is_trial_due: bool,
    /// Whether both ways have run.
    has_tried: bool,
    /// The method that was faster in an earlier run.
    before: Option<Engine>,
}

impl Pace {
    /// Returns the pace of a run on that many threads, with these methods. It begins with the method that was faster before, if that is
    /// known. With a seed, ways and slices are drawn.
    pub(super) fn new(threads: usize, methods: Methods, before: Option<Engine>, seed: Option<u64>) -> Pace {
        let only = match (methods.has_host(), methods.has_locks()) {
            (false, true) => Some(Way::Locked),
            (true, false) => Some(Way::InPlace),
            _ => None,
        };
        // Never 0, which is a fixed point of the generator.
        let drawn = seed.map(|seed| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let first = before.map(|method| if method == tuning::on_host() { Way::InPlace } else { Way::Locked });
        let way = only.or(first).unwrap_or(Way::InPlace);
        Pace { threads, only, drawn, way, cost: None, chosen_at: 0.0, is_trial_due: true, has_tried: false, before }
    }

    /// Returns the faster method, if both were tried, in this run or an earlier one.
    pub(super) fn faster(&self) -> Option<Engine> {
        let method = match self.way {
            Way::InPlace => tuning::on_host(),
            Way::Locked => Engine::default(),
        };
        if self.has_tried { Some(method) } else { self.before }
    }

    /// Returns why a way has run.
    pub(super) fn reason(&self, way: Way) -> PlanReason {
        match way {
            _ if self.only.is_some() => PlanReason::NothingElse,
            way if way != self.way => PlanReason::Trial,
            _ if self.has_tried => PlanReason::MeasuredFaster,
            _ => PlanReason::First,
        }
    }

    /// Returns the most threads.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the way of the last stage, which runs what waits.
    pub(super) fn way(&self) -> Way {
        self.way
    }

    /// Returns the next stage of a run with that many transactions left.
    pub(super) fn next(&mut self, left: usize) -> Slice {
        if let Some(random) = &mut self.drawn {
            let (way, most) = drawn(random);
            self.way = self.only.unwrap_or(way);
            return Slice { way: self.way, most: left.min(most), time: None };
        }
        let whole = Slice { way: self.way, most: left, time: None };
        let is_settled = self.threads == 1 || self.only.is_some();
        let Some(cost) = self.cost else {
            return if is_settled { whole } else { Slice { time: Some(FIRST), ..whole } };
        };
        let time = Duration::try_from_secs_f64(cost * left as f64).unwrap_or(Duration::MAX);
        if is_settled || time < WORTH_A_TRIAL {
            return whole;
        }
        let trial = (time / PART).clamp(SHORTEST_TRIAL, LONGEST_TRIAL);
        if !self.is_trial_due {
            return Slice { time: Some(trial * PART), ..whole };
        }
        // Threads may be faster by their number, and not by more.
        let most = (trial.as_secs_f64() / cost) as usize * self.threads;
        Slice { way: self.other(), most: most.clamp(self.threads, left.max(self.threads)).min(left), time: Some(trial) }
    }

    /// Notes that a stage has run that many transactions in that time.
    pub(super) fn note(&mut self, slice: Slice, done: usize, time: Duration) {
        if self.drawn.is_some() {
            return;
        }
        let cost = if done == 0 { f64::INFINITY } else { time.as_secs_f64() / done as f64 };
        let Some(known) = self.cost else {
            (self.cost, self.chosen_at) = (Some(cost), cost);
            return;
        };
        if slice.way != self.way {
            let is_better = mutant!("cpu: the slower way goes on", cost < known, cost >= known);
            if is_better {
                (self.way, self.cost) = (slice.way, Some(cost));
            }
            // The way that ran first has found nothing in the cache.
            (self.is_trial_due, self.has_tried) = (is_better && !self.has_tried, true);
            self.chosen_at = cost.min(known);
            return;
        }
        self.cost = Some(cost);
        if cost > 2.0 * self.chosen_at {
            (self.is_trial_due, self.chosen_at) = (true, cost);
        }
    }

    fn other(&self) -> Way {
        match self.way {
            Way::InPlace => Way::Locked,
            Way::Locked => Way::InPlace,
        }
    }
}

/// Draws a way and a number of transactions.
fn drawn(random: &mut u64) -> (Way, usize) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    let way = if *random >> 40 & 1 == 0 { Way::InPlace } else { Way::Locked };
    (way, 1 + (*random >> 44) as usize % MOST_DRAWN as usize)
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        the_faster_way_goes_on
    }

    const TRANSACTIONS: usize = 100_000_000;

    /// Runs a batch in thought: gives the seconds of a transaction by way and number of transactions left. Returns the stages.
    fn stages(threads: usize, transactions: usize, cost: impl Fn(Way, usize) -> f64) -> Vec<(Way, usize)> {
        let (mut pace, mut left, mut stages) = (Pace::new(threads, Methods::ALL, None, None), transactions, Vec::new());
        while left > 0 {
            let slice = pace.next(left);
            let cost = cost(slice.way, left);
            let in_time = slice.time.map_or(usize::MAX, |time| (time.as_secs_f64() / cost) as usize);
            let done = slice.most.min(in_time.max(1));
            pace.note(slice, done, Duration::from_secs_f64(cost * done as f64));
            stages.push((slice.way, done));
            left -= done;
        }
        stages
    }

    fn share(stages: &[(Way, usize)], way: Way) -> f64 {
        let done = |way| stages.iter().filter(|stage| stage.0 == way).map(|stage| stage.1).sum::<usize>() as f64;
        done(way) / (done(Way::InPlace) + done(Way::Locked))
    }

    #[cfg_attr(test, test)]
    fn the_faster_way_goes_on() {
        let in_place = |in_place: f64, locked: f64| {
            stages(8, TRANSACTIONS, move |way, _| if way == Way::InPlace { in_place } else { locked })
        };
        assert!(share(&in_place(1e-8, 5e-8), Way::InPlace) > 0.98);
        assert!(share(&in_place(5e-8, 1e-8), Way::Locked) > 0.98);
    }

    #[cfg(test)]
    #[test]
    fn one_thread_and_few_transactions_need_no_trial() {
        assert_eq!(stages(1, TRANSACTIONS, |_, _| 1e-8), [(Way::InPlace, TRANSACTIONS)]);
        let short = stages(8, 1_000_000, |_, _| 1e-8);
        assert_eq!((short.len(), share(&short, Way::InPlace)), (2, 1.0));
        assert_eq!(share(&stages(8, 3, |_, _| 1e-5), Way::InPlace), 1.0);
    }

    #[cfg(test)]
    #[test]
    fn a_way_that_was_slow_at_the_beginning_only_is_tried_again() {
        let is_cold = |left: usize| left > TRANSACTIONS - 10_000;
        let stages = stages(2, TRANSACTIONS, |way, left| match way {
            Way::InPlace if is_cold(left) => 1e-7,
            Way::InPlace => 1e-8,
            Way::Locked => 3e-8,
        });
        assert!(share(&stages, Way::InPlace) > 0.98, "{stages:?}");
    }

    #[cfg(test)]
    #[test]
    fn a_rate_that_falls_is_looked_into() {
        let half = TRANSACTIONS / 2;
        let stages = stages(8, TRANSACTIONS, |way, left| match way {
            Way::InPlace if left < half => 8e-8,
            Way::InPlace => 1e-8,
            Way::Locked => 2e-8,
        });
        let locked = share(&stages, Way::Locked);
        assert!((0.2..0.5).contains(&locked), "{locked}: {stages:?}");
    }

    #[cfg(test)]
    #[test]
    fn a_seed_draws_short_slices_of_both_ways() {
        let mut pace = Pace::new(2, Methods::ALL, None, Some(7));
        let slices: Vec<Slice> = (0..40).map(|_| pace.next(1000)).collect();
        assert!(slices.iter().all(|slice| (1..=16).contains(&slice.most) && slice.time.is_none()));
        assert!([Way::InPlace, Way::Locked].iter().all(|way| slices.iter().any(|slice| slice.way == *way)));
        assert_eq!(pace.next(0).most, 0);
    }

    #[cfg(test)]
    #[test]
    fn where_one_way_is_left_it_runs_all() {
        let serial = Engine::ALL.iter().copied().find(|engine| engine.spec().is_sequential()).unwrap();
        for (method, way) in [(serial, Way::InPlace), (Engine::default(), Way::Locked)] {
            let methods = Methods::of([method]).unwrap();
            let whole = Slice { way, most: TRANSACTIONS, time: None };
            assert_eq!(Pace::new(8, methods, None, None).next(TRANSACTIONS), whole);
            let mut drawn = Pace::new(8, methods, None, Some(3));
            assert!((0..20).all(|_| drawn.next(TRANSACTIONS).way == way) && drawn.way() == way);
        }
    }

    #[cfg(test)]
    #[test]
    fn a_run_begins_with_the_way_that_was_faster_before() {
        let mut pace = Pace::new(8, Methods::ALL, Some(Engine::default()), None);
        let first = pace.next(TRANSACTIONS);
        assert_eq!((first.way, first.time, pace.faster()), (Way::Locked, Some(FIRST), Some(Engine::default())));
        pace.note(first, 1000, Duration::from_millis(1));
        let trial = pace.next(TRANSACTIONS);
        assert_eq!(trial.way, Way::InPlace);
        pace.note(trial, TRANSACTIONS / 2, Duration::from_millis(1));
        assert_eq!((pace.way(), pace.faster()), (Way::InPlace, Some(tuning::on_host())));
        assert_eq!(Pace::new(8, Methods::ALL, None, None).faster(), None);
    }
}
