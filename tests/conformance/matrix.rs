//! The table of all cells that the suite prints at its end.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use stm_tests::Scenario;

use crate::cell::Cell;
use crate::places::{Place, describe};

/// The cells that ran, by the numbers of their scenarios and places.
pub(crate) type Cells = BTreeMap<(usize, usize), Cell>;

/// Prints one line per scenario with one column per place, and the counts. Leaves out cells that did not run.
pub(crate) fn print(scenarios: &[Scenario], places: &[Place], cells: &Cells, took: Duration) {
    let ran: Vec<usize> = (0..places.len()).filter(|p| cells.keys().any(|(_, other)| other == p)).collect();
    let width = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for p in &ran {
        out += &format!("{}: {}\n", places[*p].name, describe(&places[*p]));
    }
    let widths: Vec<usize> = ran.iter().map(|p| (places[*p].name.len() + 2).max(16)).collect();
    let head: Vec<String> = ran.iter().zip(&widths).map(|(p, width)| format!("{:>width$}", places[*p].name)).collect();
    out += &format!("\n{:width$}{}\n", "", head.join(""));
    for (s, scenario) in scenarios.iter().enumerate().filter(|(s, _)| cells.keys().any(|(other, _)| other == s)) {
        let texts = ran.iter().map(|p| cells.get(&(s, *p)).map_or("not run".to_owned(), Cell::text));
        let line: Vec<String> = texts.zip(&widths).map(|(text, width)| format!("{text:>width$}")).collect();
        out += &format!("{:width$}{}\n", scenario.name, line.join(""));
    }
    let count = |is: fn(&Cell) -> bool| cells.values().filter(|cell| is(cell)).count();
    let (failed, refused) = (count(Cell::is_failed), count(Cell::is_refused));
    out += &format!(
        "\nconformance: {} passed, {failed} failed, {refused} not supported, {} places, {:.1} s\n",
        cells.len() - failed - refused,
        ran.len(),
        took.as_secs_f64()
    );
    let _ = std::io::stdout().write_all(out.as_bytes());
}
