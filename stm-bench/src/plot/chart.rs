//! The contents of a plot.

use crate::cell::{Cell, Metric, Status};
use crate::phases;
use crate::stats::Spread;
use crate::sweep::value_of;

/// A plot: lines with markers over one axis, with bars from the least to the most.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below the title, smaller: what is the same for all points.
    pub subtitle: String,
    /// From left to right.
    pub x: Scale,
    /// From below.
    pub y: Scale,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

/// An axis of a plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scale {
    /// What it shows, with its unit.
    pub label: String,
    /// The scale is logarithmic.
    pub log: bool,
    /// The labels of the positions 0, 1, 2 .., if its values are not numbers.
    pub words: Vec<String>,
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, Spread)>,
    /// Where it was measured and has no result.
    pub missing: Vec<f64>,
}

impl Chart {
    /// Returns a chart of a quantity of some cells along an axis, with a line for each engine. Cells without a result leave a
    /// gap, and a mark on the axis.
    #[must_use]
    pub fn of(cells: &[Cell], axis: &str, metric: Metric) -> Chart {
        Chart::with(cells, axis, metric.label(), |cell| cell.spread(metric))
    }

    /// Returns a chart of the ratio of throughput to that of one engine, where both ran in turn.
    #[must_use]
    pub fn ratio(cells: &[Cell], axis: &str, to: &str) -> Chart {
        let same = |cell: &Cell, other: &Cell| {
            cell.key.parameters == other.key.parameters && cell.key.options == other.key.options
        };
        let base = |cell: &Cell| cells.iter().find(|other| other.key.engine == to && same(cell, other));
        Chart::with(cells, axis, &format!("throughput / that of {to}"), |cell| cell.ratio(base(cell)?))
    }

    /// Returns a chart of where the commits of one engine spend their time. Every phase has a line, reported or not, so that it has
    /// the same colour for all engines.
    #[must_use]
    pub(crate) fn phases(cells: &[Cell], axis: &str, engine: &str) -> Chart {
        let own: Vec<Cell> = cells.iter().filter(|cell| cell.key.engine == engine).cloned().collect();
        let lines = ["commit"].into_iter().chain(phases::OF_COMMIT.iter().copied());
        let of = |name: &str| Chart::with(&own, axis, "thread time, µs a commit", |cell| cell.phase(name));
        let mut chart = of("commit");
        let named = lines.flat_map(|name| of(name).series.into_iter().map(move |line| (name, line)));
        chart.series = named.map(|(name, line)| Series { name: name.to_owned(), ..line }).collect();
        // The cell is missing, not each of its phases.
        chart.series.iter_mut().skip(1).for_each(|line| line.missing.clear());
        chart
    }

    fn with(cells: &[Cell], axis: &str, label: &str, number: impl Fn(&Cell) -> Option<Spread>) -> Chart {
        let texts = distinct(cells.iter().filter_map(|cell| value_of(cell, axis)));
        let numbers: Option<Vec<f64>> = texts.iter().map(|text| text.parse().ok()).collect();
        let is_number = numbers.is_some();
        let places = numbers.unwrap_or_else(|| (0..texts.len()).map(|at| at as f64).collect());
        let place = |cell: &Cell| {
            let text = value_of(cell, axis)?;
            Some(places[texts.iter().position(|known| *known == text)?])
        };
        let of_engine = |engine: String| {
            let own = cells.iter().filter(|cell| cell.key.engine == engine);
            let mut points: Vec<_> = own.filter_map(|cell| Some((place(cell)?, number(cell)?))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let own = cells.iter().filter(|cell| cell.key.engine == engine && cell.status != Status::Ok);
            let mut missing: Vec<f64> = own.filter_map(place).collect();
            missing.sort_by(f64::total_cmp);
            Series { name: engine, points, missing }
        };
        let engines = distinct(cells.iter().map(|cell| cell.key.engine.clone()));
        let series = engines.into_iter().map(of_engine).collect();
        Chart {
            x: Scale {
                label: axis.to_owned(),
                log: is_number && wide(&places),
                words: if is_number { Vec::new() } else { texts },
            },
            y: Scale { label: label.to_owned(), ..Scale::default() },
            series,
            ..Chart::default()
        }
    }
}

/// Returns the distinct texts, in the order of their first occurrence.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = Vec::new();
    for text in texts {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known
}

/// Returns whether the values differ so much that equal distances would crowd most of them.
fn wide(values: &[f64]) -> bool {
    let (min, max) = values.iter().fold((f64::MAX, f64::MIN), |(min, max), value| (min.min(*value), max.max(*value)));
    values.len() > 2 && min > 0.0 && max / min >= 16.0
}
