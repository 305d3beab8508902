//! The result: as a table for people, as an object for programs.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use examples::{grouped, millions};
use serde::Serialize;

use crate::contest::Score;
use crate::hand::LOCKS;

const HEADER: [&str; 8] =
    ["kernel", "threads", "lanes", "M commits/s", "slowest - fastest", "x locks", "conflicts/commit", "money"];

/// The one object that `--json` prints.
#[derive(Serialize)]
pub(crate) struct Comparison<'a> {
    pub(crate) device: String,
    pub(crate) accounts: u32,
    pub(crate) transactions: u32,
    pub(crate) repeat: u32,
    pub(crate) kernels: Vec<Line<'a>>,
}

/// One kernel. Rates are commits a second.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    name: &'a str,
    threads: u64,
    lanes: u64,
    rate_median: f64,
    rate_min: f64,
    rate_max: f64,
    ratio_to_locks: f64,
    committed: u64,
    conflicts: u64,
    conserved: bool,
}

pub(crate) fn lines(scores: &[Score]) -> Vec<Line<'_>> {
    let locks = scores.iter().find(|score| score.name == LOCKS).map_or(f64::NAN, |score| score.median().rate());
    let line = |score| Line::new(score, locks);
    scores.iter().map(line).collect()
}

impl<'a> Line<'a> {
    fn new(score: &'a Score, locks: f64) -> Line<'a> {
        let median = score.median();
        Line {
            name: &score.name,
            threads: median.threads,
            lanes: median.lanes,
            rate_median: median.rate(),
            rate_min: score.slowest(),
            rate_max: score.fastest(),
            ratio_to_locks: median.rate() / locks,
            committed: median.committed,
            conflicts: median.conflicts,
            conserved: score.conserved,
        }
    }
}

impl Comparison<'_> {
    pub(crate) fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_header(HEADER);
        for line in &self.kernels {
            table.add_row([
                line.name.to_owned(),
                grouped(line.threads),
                line.lanes.to_string(),
                millions(line.rate_median),
                format!("{} - {}", millions(line.rate_min), millions(line.rate_max)),
                format!("{:.2}", line.ratio_to_locks),
                format!("{:.3}", line.conflicts as f64 / line.committed.max(1) as f64),
                (if line.conserved { "conserved" } else { "WRONG" }).to_owned(),
            ]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// Returns the kernels that did not finish the whole batch: a false guard, or out of attempts.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        let all = u64::from(self.transactions);
        let short = self.kernels.iter().filter(|line| line.committed < all);
        short.map(|line| format!("{} made {} of {}", line.name, grouped(line.committed), grouped(all))).collect()
    }
}
