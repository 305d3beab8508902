//! The plan of a batch for which the user chose no engine: places that may run it, and which of them is next.
//!
//! The place with the highest predicted rate runs first. It is left when it turns out to be slower than what is predicted for another,
//! and what it measured takes the place of its prediction. So each place is left at most once.

use std::time::Duration;

use kernels_gen::device::Planned;

use super::choice::{self, Turns};
use super::place::Place;
use super::prediction::{DOUBT, Demand, HOST_DOUBT, MEASURED_DOUBT, OnHost};
use super::remembered;
use crate::backend::Job;
use crate::engine::Engine;
use crate::gpu::backend::{HostUse, Limits};
use crate::outcome::PlanReason;

/// The time that the rest of a batch has to take at least for a change of place.
const WORTH_LEAVING: Duration = Duration::from_millis(1);
/// A bit less than what is predicted for the device.
const A_BIT_LESS: f64 = 0.99;
/// The fewest transactions that are worth turns of their own: they are another kernel.
const WORTH_TURNS: u64 = if cfg!(test) { 1 << 6 } else { 1 << 12 };
/// The predicted time of a batch on the host from which stages on the device run before.
const WORTH_VISITS: Duration = Duration::from_millis(5);

/// The places of a batch, with the rate of each in transactions a second.
#[derive(Debug)]
pub(crate) struct Steps {
    places: Vec<(Place, f64)>,
    /// The engine whose stages suit the batch, and why.
    engine: Option<(Engine, PlanReason)>,
    tried: Vec<Place>,
    transactions: usize,
    is_checked: bool,
    worth: Duration,
    /// Whether no method of the plan runs what is left on the device.
    ends_on_host: bool,
    /// What gives turns to those that the stages before the execution leave.
    pub(crate) rest: Option<Turns>,
}

/// A place to run at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    pub(crate) place: Place,
    pub(crate) reason: PlanReason,
    /// The rate that is predicted or was measured; 0 if neither is known.
    pub(crate) rate: f64,
    /// The rate below which the place is left; 0 for never.
    pub(crate) floor: f64,
    /// The time that the rest has to take at least for that.
    pub(crate) worth: Duration,
    /// Whether only the stages before the execution run there, unless they leave fewer transactions than that.
    pub(crate) only_visits: Option<u64>,
    /// Whether each of what they leave is executed once before.
    pub(crate) tries_rest: bool,
}

impl Steps {
    /// Returns the places for a job. A checked run has the history of one engine, so it has one place.
    pub(crate) fn of(job: &Job<'_>, limits: Limits, demand: Demand) -> Steps {
        let (engine, on_host) = (choice::engine_for(job, limits, demand), OnHost::of(job));
        let (ends_on_host, mut worth) = (on_host == OnHost::Always, WORTH_LEAVING);
        let on_device = engine.map(|(engine, _)| (Place::Device(engine), choice::predicted(engine, job, demand)));
        let mut places: Vec<(Place, f64)> = on_device.filter(|_| !ends_on_host).into_iter().collect();
        let on_device = places.first().map_or(f64::INFINITY, |(_, rate)| *rate);
        match on_host {
            OnHost::Predicted | OnHost::Afterwards(_) if limits.host == HostUse::Never => {}
            OnHost::Never => {}
            OnHost::Predicted | OnHost::Always => places.push((Place::Host, demand.on_host())),
            // What is known of a transaction is the most that it does, so the host may be as fast until one of them is measured.
            OnHost::Afterwards(moving) => {
                worth += moving;
                places.push((Place::Host, demand.on_host_at_best().min(A_BIT_LESS * on_device)));
            }
        }
        if let (HostUse::Drawn(seed), [_, _]) = (limits.host, &*places) {
            draw(&mut places, seed.wrapping_add(job.transactions as u64));
        }
        let (transactions, is_checked) = (job.transactions, job.options.check);
        let leaves =
            |(engine, _): (Engine, _)| matches!(engine.spec().planned, Planned::WhereCrowded | Planned::WhereKept);
        let rest = if engine.is_some_and(leaves) && !is_checked { choice::turns_of_rest(job, demand) } else { None };
        let mut steps =
            Steps { places, engine, tried: Vec::new(), transactions, is_checked, worth, ends_on_host, rest };
        remembered::slow(job).into_iter().for_each(|(place, rate)| steps.learn(place, rate));
        if job.options.check {
            steps.places = steps.best().into_iter().collect();
        }
        steps
    }

    /// Returns the next step. A place that was left is not left again.
    pub(crate) fn next(&self) -> Option<Step> {
        let (place, rate) = self.best()?;
        let doubt = |other: &Place| if self.tried.contains(other) { MEASURED_DOUBT } else { DOUBT };
        let others = self.places.iter().filter(|(other, _)| *other != place).map(|(other, rate)| rate / doubt(other));
        let floor = if self.tried.contains(&place) { 0.0 } else { others.fold(0.0, f64::max) };
        let (reason, worth) = (self.reason(place), self.worth);
        Some(Step { place, reason, rate, floor, worth, only_visits: None, tries_rest: false })
    }

    /// Returns why a place is the next one.
    fn reason(&self, place: Place) -> PlanReason {
        let is_left = |(other, _): &(Place, f64)| *other != place && self.tried.contains(other);
        match (place, self.engine) {
            _ if self.places.iter().any(is_left) => PlanReason::OtherSlower,
            (Place::Device(_), Some((_, reason))) => reason,
            (Place::Host, _) if !self.ends_on_host => PlanReason::PredictedFaster,
            (Place::Host | Place::Device(_), _) => PlanReason::NothingElse,
        }
    }

    /// Returns the stages before the execution as a step before all others, where the rest has turns or runs on the host: if the batch is large
    /// enough for that, or the host runs what is left in any case, and if it has transactions for these stages. They are left where they
    /// are slower than the host.
    pub(crate) fn visits_first(&self) -> Option<Step> {
        let (place, rate) = self.best()?;
        let (engine, reason) = self.engine.filter(|(engine, _)| engine.spec().finishes_in_visits())?;
        let is_long = self.ends_on_host || self.transactions as f64 > rate * WORTH_VISITS.as_secs_f64();
        let (on_device, worth) = (Place::Device(engine), self.worth);
        let (only_visits, tries_rest) = (Some(WORTH_TURNS), true);
        let step = Step { place: on_device, reason, rate, floor: 0.0, worth, only_visits, tries_rest };
        match place {
            Place::Host if is_long && !self.is_checked => {
                Some(Step { rate: 0.0, floor: rate / HOST_DOUBT, only_visits: Some(1), tries_rest: false, ..step })
            }
            Place::Device(_) if self.rest.is_some() => Some(step),
            Place::Host | Place::Device(_) => None,
        }
    }

    /// Takes the rate of a place that was left.
    pub(crate) fn learn(&mut self, left: Place, measured: f64) {
        self.tried.push(left);
        self.places.iter_mut().filter(|(place, _)| *place == left).for_each(|(_, rate)| *rate = measured);
    }

    fn best(&self) -> Option<(Place, f64)> {
        self.places.iter().copied().max_by(|(_, a), (_, b)| a.total_cmp(b))
    }
}

/// Draws the rates of places: mostly far from what they are, so that each place is left now and then.
fn draw(places: &mut [(Place, f64)], seed: u64) {
    let mut state = seed;
    for (_, rate) in places {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *rate = 10_f64.powi(2 + (state >> 33) as i32 % 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(rates: [f64; 2]) -> Steps {
        let places = vec![(Place::Device(Engine::default()), rates[0]), (Place::Host, rates[1])];
        let engine = Some((Engine::default(), PlanReason::NothingElse));
        let (transactions, is_checked, worth) = (1000, false, WORTH_LEAVING);
        Steps { places, engine, tried: Vec::new(), transactions, is_checked, worth, ends_on_host: false, rest: None }
    }

    #[test]
    fn the_fastest_by_prediction_runs_first_and_is_left_for_the_next() {
        let mut steps = steps([16.0, 100.0]);
        let first = steps.next().unwrap();
        assert_eq!((first.place, first.floor, first.reason), (Place::Host, 2.0, PlanReason::PredictedFaster));
        steps.learn(Place::Host, 1.0);
        let second = steps.next().unwrap();
        assert_eq!((second.place, second.floor), (Place::Device(Engine::default()), 0.5));
        assert_eq!(second.reason, PlanReason::OtherSlower);
    }

    #[test]
    fn a_place_that_was_left_and_is_still_the_best_is_kept() {
        let mut steps = steps([10.0, 100.0]);
        steps.learn(Place::Host, 4.0);
        steps.learn(Place::Device(Engine::default()), 1.0);
        assert_eq!(
            steps.next(),
            Some(Step {
                place: Place::Host,
                reason: PlanReason::OtherSlower,
                rate: 4.0,
                floor: 0.0,
                worth: WORTH_LEAVING,
                only_visits: None,
                tries_rest: false
            })
        );
    }
}
