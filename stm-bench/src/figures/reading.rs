//! Checks the paper's claims against the numbers.

use super::table::Claim;
use crate::cell::{Cell, Metric};
use crate::show::short;
use crate::stats::Spread;
use crate::sweep::value_of;

/// The least ratio that counts as a change and not as noise.
const CHANGE: f64 = 1.15;

/// Returns a sentence for each claim of the paper, from cells along the axis. A claim on engines without cells is omitted: the
/// algorithm that runs in their place does not test it.
pub(super) fn reading(claims: &[Claim], axis: &str, cells: &[Cell]) -> Vec<String> {
    let ran = |engine: &String| cells.iter().any(|cell| cell.key.engine == *engine);
    let sentence = |claim: &Claim| match claim {
        Claim::Faster(one, other) => (ran(one) && ran(other)).then(|| faster(axis, cells, one, other)),
        Claim::Rises(engine) => ran(engine).then(|| moves(axis, cells, engine, "rises", &|by| by >= CHANGE)),
        Claim::Falls(engine) => ran(engine).then(|| moves(axis, cells, engine, "falls", &|by| by <= 1.0 / CHANGE)),
        Claim::Steady(engine) => {
            let steady = |by| (1.0 / CHANGE..=CHANGE).contains(&by);
            ran(engine).then(|| moves(axis, cells, engine, "is steady", &steady))
        }
    };
    claims.iter().filter_map(sentence).collect()
}

fn faster(axis: &str, cells: &[Cell], one: &str, other: &str) -> String {
    let (ones, others) = (along(axis, cells, one), along(axis, cells, other));
    let at = |x: f64| others.iter().find(|(at, _)| *at == x);
    let ratios: Vec<f64> = ones.iter().filter_map(|(x, a)| Some(a / at(*x)?.1)).collect();
    let Some(ratio) = Spread::of(&ratios) else { return format!("{one} against {other}: no result.") };
    let (above, all) = (ratios.iter().filter(|ratio| **ratio > 1.0).count(), ratios.len());
    let verdict = match above {
        _ if above == all => "as the paper says",
        0 => "the other way round than the paper says",
        _ => "only in part as the paper says",
    };
    let (min, max) = (factor(ratio.min), factor(ratio.max));
    format!("{one} is {min} to {max} times as fast as {other}, faster at {above} of {all} places: {verdict}.")
}

fn moves(axis: &str, cells: &[Cell], engine: &str, verb: &str, fits: &dyn Fn(f64) -> bool) -> String {
    let points = along(axis, cells, engine);
    let (Some((from, first)), Some((to, last))) = (points.first(), points.last()) else {
        return format!("{engine}: no result.");
    };
    let change = last / first;
    let verdict = if fits(change) { "as here" } else { "unlike here" };
    let (from, to, change) = (short(*from), short(*to), factor(change));
    format!("{engine}: throughput times {change} from {axis} {from} to {to}; in the paper it {verb}, {verdict}.")
}

/// Returns the throughput of an engine along the axis.
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
    match value {
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 0.1 || value <= 0.0 => format!("{value:.2}"),
        // Two significant digits.
        _ => format!("{value:.*}", (1.0 - value.log10().floor()) as usize),
    }
}
