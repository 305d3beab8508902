//! Where the time of GPU threads goes, for each commit: by name, in microseconds.

use std::collections::BTreeMap;

use stm_runtime::Report;

use crate::cell::Cell;

/// All names, in the order in which they are shown. `total` is `body` and `commit`; those from `pre-validate` to `rest` are what
/// some engines tell of `commit`; `wasted` is the part of `total` that went to conflicts.
pub(crate) const NAMES: [&str; 10] =
    ["total", "wasted", "body", "commit", "pre-validate", "wait", "validate", "record", "write-back", "rest"];
/// Those that make a commit.
pub(crate) const OF_COMMIT: &[&str] = NAMES.split_at(4).1;

/// What a report says; nothing where it was not asked for.
pub(crate) fn of(report: &Report) -> BTreeMap<String, f64> {
    let Some(phases) = &report.phases else { return BTreeMap::new() };
    let whole =
        [("total", phases.total()), ("wasted", phases.wasted), ("body", phases.body), ("commit", phases.commit)];
    let per_commit = |seconds: f64| 1e6 * seconds / report.committed.max(1) as f64;
    let all = whole.into_iter().chain(phases.of_commit());
    all.map(|(name, time)| (name.to_owned(), per_commit(time.as_secs_f64()))).collect()
}

/// The names that some of the cells have.
pub(crate) fn told(cells: &[Cell]) -> Vec<&'static str> {
    let has = |name: &&str| cells.iter().any(|cell| cell.phase(name).is_some());
    NAMES.into_iter().filter(has).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::timed;

    #[test]
    fn shown_is_what_some_cell_has() {
        let cells = [timed("one", 1, &[("total", 2.0)]), timed("two", 1, &[("wait", 1.0), ("total", 3.0)])];
        assert_eq!(told(&cells), ["total", "wait"]);
        assert_eq!(told(&[]), [""; 0]);
        assert_eq!(cells[0].phase("wait"), None);
        assert_eq!(OF_COMMIT.first(), Some(&"pre-validate"));
    }
}
