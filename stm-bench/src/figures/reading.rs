//! What the numbers say to what the paper says.

use super::table::Claim;
use crate::cell::{Cell, Metric};
use crate::show::short;
use crate::sweep::value_of;

/// A change that is more than noise.
const CHANGE: f64 = 1.15;

/// A sentence for each claim of the paper, by cells along the axis. `ran` gives what an engine becomes on the device.
pub(super) fn reading(claims: &[Claim], axis: &str, cells: &[Cell], ran: &dyn Fn(&str) -> String) -> Vec<String> {
    let sentence = |claim: &Claim| match claim {
        Claim::Faster(one, other) => faster(axis, cells, &ran(one), &ran(other), (one, other)),
        Claim::Rises(engine) => moves(axis, cells, &ran(engine), ("rises", &|change| change >= CHANGE)),
        Claim::Falls(engine) => moves(axis, cells, &ran(engine), ("falls", &|change| change <= 1.0 / CHANGE)),
        Claim::Steady(engine) => {
            moves(axis, cells, &ran(engine), ("is steady", &|change| (1.0 / CHANGE..=CHANGE).contains(&change)))
        }
    };
    let mut sentences: Vec<String> = claims.iter().map(sentence).collect();
    sentences.dedup();
    sentences
}

fn faster(axis: &str, cells: &[Cell], one: &str, other: &str, asked: (&str, &str)) -> String {
    if one == other {
        return format!(
            "{} against {}: both run {one} on this device, so there is nothing to compare.",
            asked.0, asked.1
        );
    }
    let (ones, others) = (along(axis, cells, one), along(axis, cells, other));
    let ratios: Vec<f64> = ones
        .iter()
        .filter_map(|(x, a)| others.iter().find(|(at, _)| at == x).map(|(_, b)| a / b))
        .filter(|ratio| ratio.is_finite())
        .collect();
    let above = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    let (min, max) = ratios.iter().fold((f64::MAX, f64::MIN), |(min, max), ratio| (min.min(*ratio), max.max(*ratio)));
    let verdict = match above {
        _ if ratios.is_empty() => return format!("Here: {one} against {other} has no result."),
        all if all == ratios.len() => "as the paper says",
        0 => "the other way round than the paper says",
        _ => "only in part as the paper says",
    };
    let (min, max, all) = (factor(min), factor(max), ratios.len());
    format!("Here: {one} is {min} to {max} times as fast as {other}, faster at {above} of {all} places: {verdict}.")
}

fn moves(axis: &str, cells: &[Cell], engine: &str, (verb, fits): (&str, &dyn Fn(f64) -> bool)) -> String {
    let points = along(axis, cells, engine);
    let (Some((from, first)), Some((to, last))) = (points.first(), points.last()) else {
        return format!("Here: {engine} has no result.");
    };
    let change = last / first;
    let verdict = if fits(change) { "as the paper says" } else { "unlike what the paper says" };
    let (from, to, change) = (short(*from), short(*to), factor(change));
    format!(
        "Here: from {axis} {from} to {to} the throughput of {engine} changes by a factor of {change}; the paper's {verb}: {verdict}."
    )
}

/// The throughput of an engine along the axis.
fn along(axis: &str, cells: &[Cell], engine: &str) -> Vec<(f64, f64)> {
    let own = cells.iter().filter(|cell| cell.key.engine == engine);
    let point = |cell: &Cell| {
        let x: f64 = value_of(cell, axis)?.parse().ok()?;
        Some((x, cell.spread(Metric::Throughput)?.median))
    };
    let mut points: Vec<(f64, f64)> = own.filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn factor(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
