//! Cells as comma-separated values, one line a cell.

use std::collections::BTreeSet;

use csv::Writer;

use crate::cell::{Cell, Metric, measured_phases};
use crate::options::AXES;
use crate::sweep::option;

const BEFORE: [&str; 2] = ["benchmark", "engine"];
const AFTER: [&str; 21] = [
    "device",
    "status",
    "runs",
    "rate_median",
    "rate_min",
    "rate_max",
    "rate_mad",
    "aborted_percent",
    "kernel_s",
    "total_s",
    "setup_s",
    "fill_s",
    "committed",
    "rejected",
    "faulted",
    "unresolved",
    "postponed",
    "conflicts",
    "metadata_bytes",
    "checked",
    "message",
];

/// Returns the cells, with a column for each parameter and for each phase that one of them has. Numbers of single runs are those of
/// the median run.
pub(crate) fn csv(cells: &[Cell]) -> String {
    let parameters: BTreeSet<&str> =
        cells.iter().flat_map(|cell| cell.key.parameters.keys().map(String::as_str)).collect();
    let phases = measured_phases(cells);
    let mut writer = Writer::from_writer(Vec::new());
    let named: Vec<String> = phases.iter().map(|name| format!("{}_us", name.replace('-', "_"))).collect();
    let header = BEFORE.into_iter().chain(parameters.iter().copied()).chain(AXES).chain(AFTER);
    let header = header.chain(named.iter().map(String::as_str));
    // Writes to a vector cannot fail.
    let _ = writer.write_record(header);
    for cell in cells {
        let key = &cell.key;
        let mut row = vec![key.benchmark.clone(), key.engine.clone()];
        row.extend(parameters.iter().map(|name| key.parameters.get(*name).cloned().unwrap_or_default()));
        row.extend(AXES.iter().map(|name| option(&key.options, name).unwrap_or_default()));
        row.extend(numbers(cell));
        let median = |name: &&str| cell.phase(name).map(|spread| spread.median.to_string()).unwrap_or_default();
        row.extend(phases.iter().map(median));
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn numbers(cell: &Cell) -> Vec<String> {
    let run = cell.median_run();
    let number = |of: &dyn Fn(&crate::cell::Run) -> String| run.map(of).unwrap_or_default();
    let rate = |of: &dyn Fn(&crate::stats::Spread) -> f64| cell.rate.as_ref().map(|rate| of(rate).to_string());
    vec![
        cell.key.device.clone(),
        cell.status.name().to_owned(),
        cell.runs.len().to_string(),
        rate(&|rate| rate.median).unwrap_or_default(),
        rate(&|rate| rate.min).unwrap_or_default(),
        rate(&|rate| rate.max).unwrap_or_default(),
        rate(&|rate| rate.mad).unwrap_or_default(),
        cell.spread(Metric::AbortRate).map(|spread| spread.median.to_string()).unwrap_or_default(),
        number(&|run| run.kernel.to_string()),
        number(&|run| run.total.to_string()),
        number(&|run| run.setup.to_string()),
        number(&|run| run.fill.to_string()),
        number(&|run| run.committed.to_string()),
        number(&|run| run.rejected.to_string()),
        number(&|run| run.faulted.to_string()),
        number(&|run| run.unresolved.to_string()),
        number(&|run| run.postponed.to_string()),
        number(&|run| run.conflicts().to_string()),
        number(&|run| run.metadata.to_string()),
        cell.key.options.check.to_string(),
        cell.message.clone().unwrap_or_default(),
    ]
}
