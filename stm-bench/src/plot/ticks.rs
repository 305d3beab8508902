//! The ends of an axis, and its labelled positions.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::chart::Scale;
use crate::show::short;

/// The approximate number of labels on an axis.
const NAMED: f64 = 6.0;
/// The most powers of two that are all labelled.
const POWERS: usize = 11;

/// An axis: `low` and `high` are logarithms if it is logarithmic; values never are.
#[derive(Debug, Clone)]
pub(super) struct Ruler {
    pub(super) log: bool,
    low: f64,
    high: f64,
    /// Labelled values.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Ruler {
    /// Returns a horizontal axis: from the first value to the last, with a little room.
    pub(super) fn across(scale: &Scale, values: &[f64]) -> Ruler {
        let log = scale.log && values.iter().all(|value| *value > 0.0);
        let (min, max) = ends(values.iter().map(|value| if log { value.log10() } else { *value }));
        let room = if max > min { 0.05 * (max - min) } else { 0.5 };
        let ticks = match () {
            () if !scale.words.is_empty() => {
                scale.words.iter().enumerate().map(|(at, word)| (at as f64, word.clone())).collect()
            }
            () if log && (1..=POWERS).contains(&powers(values).len()) => named(powers(values)),
            () if log => named(decades(min, max)),
            () => named(even(min, max)),
        };
        Ruler { log, low: min - room, high: max + room, ticks }
    }

    /// Returns a vertical axis: from zero, or on a logarithmic axis from below the smallest value.
    pub(super) fn upwards(scale: &Scale, values: &[f64]) -> Ruler {
        if !scale.log {
            let (_, max) = ends(values.iter().copied());
            let max = if max > 0.0 { max } else { 1.0 };
            return Ruler { log: false, low: 0.0, high: 1.06 * max, ticks: named(even(0.0, 1.06 * max)) };
        }
        let (min, max) = ends(values.iter().filter(|value| **value > 0.0).map(|value| value.log10()));
        // A scale that shows less than a factor of four makes noise look large.
        let room = (0.05 * (max - min)).max((0.6 - (max - min)) / 2.0).max(0.05);
        let (low, high) = (min - room, max + room);
        Ruler { log: true, low, high, ticks: named(decades(low, high)) }
    }

    /// Returns the position of a value, clamped to the axis.
    fn place(&self, value: f64) -> f64 {
        let place = match self.log {
            true if value <= 0.0 => self.low,
            true => value.log10(),
            false => value,
        };
        place.clamp(self.low, self.high)
    }

    /// Returns the least value that it shows.
    pub(super) fn bottom(&self) -> f64 {
        if self.log { 10.0_f64.powf(self.low) } else { self.low }
    }

    /// Returns whether the value can be shown at all.
    pub(super) fn has(&self, value: f64) -> bool {
        !self.log || value > 0.0
    }
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (min, max) = values.fold((f64::MAX, f64::MIN), |(min, max), value| (min.min(value), max.max(value)));
    if min <= max { (min, max) } else { (0.0, 1.0) }
}

/// The interface that plotters requires.
impl Ranged for Ruler {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let part = (self.place(*value) - self.low) / (self.high - self.low);
        from + (part * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light points would be lines between the labelled ones.
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.iter().map(|(value, _)| *value).collect()
        }
    }

    fn range(&self) -> Range<f64> {
        if self.log { 10_f64.powf(self.low)..10_f64.powf(self.high) } else { self.low..self.high }
    }
}

impl ValueFormatter<f64> for Ruler {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == value);
        tick.map(|(_, name)| name.clone()).unwrap_or_default()
    }
}

/// Returns values with their labels.
fn named(values: Vec<f64>) -> Vec<(f64, String)> {
    values.into_iter().map(|value| (value, short(value))).collect()
}

/// Returns the values themselves, if all are powers of two.
fn powers(values: &[f64]) -> Vec<f64> {
    let mut all = values.to_vec();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let is_power = |value: &f64| value.log2().fract() == 0.0;
    if all.iter().all(is_power) { all } else { Vec::new() }
}

/// Returns round numbers at equal distances.
fn even(min: f64, max: f64) -> Vec<f64> {
    let step = round_step((max - min) / NAMED);
    let first = (min / step).ceil() as i64;
    (first..).map(|at| at as f64 * step).take_while(|value| *value <= max + 1e-9 * step).collect()
}

/// Returns 1, 2 or 5 times a power of ten, not below a step.
fn round_step(step: f64) -> f64 {
    let step = if step > 0.0 { step } else { 1.0 };
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|of| of * power).find(|round| *round >= step * 0.999).unwrap_or(10.0 * power)
}

/// Returns powers of ten between two logarithms, and intermediate values if they are few.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let within = |value: &f64| (low - 1e-9..=high + 1e-9).contains(&value.log10());
    for between in [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]] {
        let powers = (low.floor() as i32..=high.ceil() as i32).map(|power| 10_f64.powi(power));
        let all: Vec<f64> = powers.flat_map(|power| between.iter().map(move |of| of * power)).filter(within).collect();
        if all.len() >= 4 {
            return all;
        }
    }
    even(10_f64.powf(low), 10_f64.powf(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(range: &Ruler) -> Vec<&str> {
        range.ticks.iter().map(|(_, name)| &**name).collect()
    }

    fn scale(log: bool) -> Scale {
        Scale { log, ..Scale::default() }
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(names(&Ruler::across(&scale(true), &[2.0, 4.0, 8.0, 256.0])), ["2", "4", "8", "256"]);
        assert_eq!(names(&Ruler::across(&scale(false), &[256.0, 2560.0])), ["500", "1000", "1500", "2000", "2500"]);
        assert_eq!(names(&Ruler::across(&scale(true), &[1.0, 10.0, 1e4])), ["1", "10", "100", "1000", "10k"]);
        assert_eq!(names(&Ruler::upwards(&scale(false), &[3.0, 9.1])), ["0", "2", "4", "6", "8"]);
        assert_eq!(names(&Ruler::upwards(&scale(true), &[0.02, 300.0])), ["0.1", "1", "10", "100"]);
        let close = Ruler::upwards(&scale(true), &[10.0, 11.0]);
        assert!(close.ticks.len() >= 3 && close.high - close.low > 0.59, "{:?}", close.ticks);
    }

    #[test]
    fn what_cannot_be_shown_is_at_the_end_of_the_axis() {
        let log = Ruler::upwards(&scale(true), &[0.0, 1.0, 100.0]);
        assert!(log.has(1.0) && !log.has(0.0));
        assert_eq!((log.map(&0.0, (0, 100)), log.map(&1e9, (0, 100)), log.map(&10.0, (0, 100))), (0, 100, 50));
        assert!(Ruler::across(&scale(true), &[0.0, 1.0]).has(0.0), "an axis with a zero is not logarithmic");
        assert!(Ruler::upwards(&scale(false), &[]).high > 0.0, "nothing to show is no trouble");
    }
}
