//! Cells as a table for people.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use super::numbers::{bytes, digits, grouped, rate};
use crate::cell::{Cell, Metric, Run, Status, measured_phases};
use crate::profile::{Counted, Function, Profile};
use crate::stats::Spread;
use crate::steps::Step;
use crate::sweep::value_of;

/// The elements and lines of a profile that are shown.
const SHOWN: usize = 5;

/// Returns the cells, with a column for each axis. Ratios are to the first engine at the same point.
pub(crate) fn table(cells: &[Cell], axes: &[String]) -> String {
    let compared = cells.iter().any(|cell| cell.key.engine != cells[0].key.engine);
    let mut header: Vec<String> = axes.to_vec();
    header.extend(["engine", "M commits/s", "slowest - fastest"].map(str::to_owned));
    if compared {
        header.push(format!("x {}", cells[0].key.engine));
    }
    header.extend(["aborted", "postponed/commit", "metadata", "result"].map(str::to_owned));
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(&header);
    for cell in cells {
        let mut row: Vec<String> = axes.iter().map(|axis| value_of(cell, axis).unwrap_or_default()).collect();
        row.push(cell.key.engine.clone());
        row.extend(numbers(cell, compared.then(|| first_at(cells, cell))));
        table.add_row(row);
    }
    for column in table.column_iter_mut().enumerate().filter(|(at, _)| *at != axes.len()).map(|(_, column)| column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// Returns microseconds of GPU threads for each commit, by phase; `None` if no cell has them. A field is empty if the engine does
/// not report the phase.
pub(crate) fn times(cells: &[Cell], axes: &[String]) -> Option<String> {
    let phases = measured_phases(cells);
    if phases.is_empty() {
        return None;
    }
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    let head = axes.iter().map(String::as_str).chain(["engine"]);
    table.set_header(head.chain(phases.iter().copied()));
    for cell in cells {
        let place = axes.iter().map(|axis| value_of(cell, axis).unwrap_or_default());
        let median = |name: &&str| cell.phase(name).map(|spread| digits(spread.median)).unwrap_or_default();
        let numbers = phases.iter().map(median);
        table.add_row(place.chain([cell.key.engine.clone()]).chain(numbers).collect::<Vec<_>>());
    }
    for column in table.column_iter_mut().enumerate().filter(|(at, _)| *at != axes.len()).map(|(_, column)| column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Some(format!("microseconds of GPU threads for each commit\n{table}\n"))
}

/// Returns the cell of the first engine at the same point.
fn first_at<'a>(cells: &'a [Cell], cell: &'a Cell) -> &'a Cell {
    let same = |other: &&Cell| other.key.parameters == cell.key.parameters && other.key.options == cell.key.options;
    cells.iter().find(same).unwrap_or(cell)
}

fn numbers(cell: &Cell, first: Option<&Cell>) -> Vec<String> {
    let spread = cell.spread(Metric::Throughput).is_some().then_some(cell.rate).flatten();
    let mut row = vec![
        spread.map(|spread| rate(spread.median)).unwrap_or_default(),
        spread.map(|spread| format!("{} - {}", rate(spread.min), rate(spread.max))).unwrap_or_default(),
    ];
    if let Some(first) = first {
        row.push(cell.ratio(first).map(ratio).unwrap_or_default());
    }
    let run = cell.median_run().filter(|_| cell.status == Status::Ok);
    let per_commit = |count: u64, commits: u64| digits(count as f64 / commits.max(1) as f64);
    row.push(run.map(|run| format!("{} %", digits(run.abort_rate()))).unwrap_or_default());
    row.push(run.map(|run| per_commit(run.postponed, run.committed)).unwrap_or_default());
    row.push(run.map(|run| bytes(run.metadata)).unwrap_or_default());
    row.push(cell.status.name().to_owned());
    row
}

/// Returns `2.31 (2.28 - 2.35)`.
fn ratio(ratio: Spread) -> String {
    format!("{:.2} ({:.2} - {:.2})", ratio.median, ratio.min, ratio.max)
}

/// Returns the times and the conflicts of one cell, of the median run.
pub(crate) fn details(cell: &Cell) -> String {
    let Some(run) = cell.median_run() else { return String::new() };
    let times = [
        ("transactions", cell.generate),
        ("state", run.setup),
        ("batch", run.fill),
        ("compile", run.compile),
        ("upload", run.upload),
        ("run", run.kernel),
        ("download", run.download),
    ];
    let times = times.iter().filter(|(_, seconds)| *seconds > 0.0);
    let times: Vec<String> = times.map(|(name, seconds)| format!("{name} {} ms", digits(1e3 * seconds))).collect();
    let compile = compile(run);
    let causes: Vec<String> =
        run.conflicts.iter().map(|(cause, count)| format!(", {cause} {}", grouped(*count))).collect();
    format!(
        "time: {}\n{compile}{}committed {}, rejected {}, faulted {}, unresolved {}{}\nshape: {}\n{}",
        times.join(", "),
        planned(&run.plan),
        grouped(run.committed),
        grouped(run.rejected),
        grouped(run.faulted),
        grouped(run.unresolved),
        causes.concat(),
        cell.shape,
        run.profile.as_ref().map(profiled).unwrap_or_default(),
    )
}

/// Returns the steps of a plan as lines.
fn planned(steps: &[Step]) -> String {
    let milliseconds = |seconds: f64| digits(1e3 * seconds);
    let line = |step: &Step| {
        let Step { method, algorithm, reason, given, finished, time, predicted, left } = step;
        let ran = if method == algorithm { method.clone() } else { format!("{method} ({algorithm})") };
        let predicted = predicted.map(|time| format!(" (predicted {} ms)", milliseconds(time))).unwrap_or_default();
        let left = if *left { "; left for another place" } else { "" };
        let (finished, given, time) = (grouped(*finished), grouped(*given), milliseconds(*time));
        format!("plan: {ran}: {finished} of {given} in {time} ms{predicted}; {reason}{left}\n")
    };
    steps.iter().map(line).collect()
}

/// Returns a profile as lines: functions with who was in their way, and the first elements and source lines.
fn profiled(profile: &Profile) -> String {
    let counted = |counted: &Counted| format!("{} {}", counted.name, grouped(counted.conflicts));
    let function = |of: &Function| {
        let holders: Vec<String> = of.holders.iter().map(counted).collect();
        let with = if holders.is_empty() { String::new() } else { format!(" (with {})", holders.join(", ")) };
        let [committed, conflicts, waits] = [of.committed, of.conflicts, of.waits].map(grouped);
        format!("{}: committed {committed}, conflicts {conflicts}{with}, waits {waits}\n", of.name)
    };
    let list = |name: &str, list: &[Counted]| {
        let first: Vec<String> = list.iter().take(SHOWN).map(counted).collect();
        if first.is_empty() { String::new() } else { format!("{name}: {}\n", first.join(", ")) }
    };
    let functions: String = profile.functions.iter().map(function).collect();
    format!(
        "{functions}{}{}",
        list("elements with the most conflicts", &profile.elements),
        list("lines", &profile.lines)
    )
}

/// Returns where the units of a run come from and what compiling was spent on, as a line; nothing on CPU threads.
fn compile(run: &Run) -> String {
    let units: Vec<String> = run.units.iter().map(|(origin, count)| format!("{origin} {}", grouped(*count))).collect();
    let steps = run.compile_steps.iter().filter(|(_, seconds)| **seconds > 0.0);
    let steps: Vec<String> = steps.map(|(name, seconds)| format!("{name} {} ms", digits(1e3 * seconds))).collect();
    match units.as_slice() {
        [] => String::new(),
        _ => format!("compile: units {}; {}\n", units.join(", "), steps.join(", ")),
    }
}

/// Returns a line for each cell without a result, with the reason.
pub(crate) fn notes(cells: &[Cell], axes: &[String]) -> Vec<String> {
    let wrong = cells.iter().filter_map(|cell| Some((cell, cell.message.as_ref()?)));
    let place = |cell: &Cell| {
        let values = axes.iter().filter_map(|axis| Some(format!(" {axis}={}", value_of(cell, axis)?)));
        format!("{}{} under {}", cell.key.benchmark, values.collect::<String>(), cell.key.engine)
    };
    wrong.map(|(cell, message)| format!("{} {}: {message}", place(cell), cell.status.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_plan_is_a_line() {
        let [method, algorithm, reason] = ["serial", "cpu-serial", "too small"].map(str::to_owned);
        let step = Step { method, algorithm, reason, given: 2000, finished: 50, time: 0.25, ..Step::default() };
        assert_eq!(
            planned(std::slice::from_ref(&step)),
            "plan: serial (cpu-serial): 50 of 2,000 in 250 ms; too small\n"
        );
        let left = Step { predicted: Some(0.5), left: true, algorithm: "serial".to_owned(), ..step };
        let text = "plan: serial: 50 of 2,000 in 250 ms (predicted 500 ms); too small; left for another place\n";
        assert_eq!(planned(std::slice::from_ref(&left)), text);
    }
}
