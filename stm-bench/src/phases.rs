//! Where the time of GPU threads goes, for each commit: by name, in microseconds.

use std::collections::BTreeMap;

use stm_runtime::Report;

/// All names, in the order of display. `total` is `body` and `commit`; those from `pre-validate` to `rest` are the parts of
/// `commit` that some engines report; `wasted` is the part of `total` that went to conflicts.
pub(crate) const NAMES: [&str; 10] =
    ["total", "wasted", "body", "commit", "pre-validate", "wait", "validate", "record", "write-back", "rest"];
/// The phases of a commit.
pub(crate) const OF_COMMIT: &[&str] = NAMES.split_at(4).1;

/// Returns the phases of a report; empty unless they were requested.
pub(crate) fn of(report: &Report) -> BTreeMap<String, f64> {
    let Some(phases) = &report.phases else { return BTreeMap::new() };
    let whole =
        [("total", phases.total()), ("wasted", phases.wasted), ("body", phases.body), ("commit", phases.commit)];
    let per_commit = |seconds: f64| 1e6 * seconds / report.committed.max(1) as f64;
    let all = whole.into_iter().chain(phases.of_commit());
    all.map(|(name, time)| (name.to_owned(), per_commit(time.as_secs_f64()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::measured_phases;
    use crate::plot::Chart;
    use crate::show::{csv, times};
    use crate::tests::timed;

    #[test]
    fn shown_is_what_some_cell_has() {
        let cells = [timed("one", 1, &[("total", 2.0)]), timed("two", 1, &[("wait", 1.0), ("total", 3.0)])];
        assert_eq!(measured_phases(&cells), ["total", "wait"]);
        assert_eq!(measured_phases(&[]), [""; 0]);
        assert_eq!(cells[0].phase("wait"), None);
        assert_eq!(OF_COMMIT.first(), Some(&"pre-validate"));

        let table = times(&cells, &[]).unwrap();
        assert!(table.contains("one") && table.contains("3.00") && !table.contains("record"), "{table}");
        assert_eq!(times(&[], &[]), None);
        let csv = csv(&cells);
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[0].ends_with(",message,total_us,wait_us") && lines[1].ends_with(",2,"), "{csv}");
        assert!(lines[2].ends_with(",3,1"), "{csv}");
    }

    #[test]
    fn a_plot_has_a_line_for_each_phase() {
        let times = [("total", 9.0), ("commit", 3.0), ("wait", 1.0)];
        let cells = [timed("one", 1, &times), timed("one", 2, &times), timed("two", 1, &[])];
        let points = |engine: &str| {
            let lines = Chart::phases(&cells, "counters", engine).series;
            lines.iter().map(|line| (line.name.clone(), line.points.len())).collect::<Vec<_>>()
        };
        let (one, two) = (points("one"), points("two"));
        assert_eq!((one.len(), two.len()), (1 + OF_COMMIT.len(), 1 + OF_COMMIT.len()));
        assert_eq!(one[..3], [("commit".to_owned(), 2), ("pre-validate".to_owned(), 0), ("wait".to_owned(), 2)]);
        assert!(two.iter().all(|(_, points)| *points == 0) && points("three").is_empty());
    }
}
