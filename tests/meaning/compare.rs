//! Where two results differ.

use crate::batch::{Batch, Results};
use crate::pool::Pool;

/// A difference: the first row that differs, or the regions alone.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    /// The row, unless only the regions differ.
    pub(crate) row: Option<usize>,
    pub(crate) text: String,
}

/// The first difference, if there is one. `name` is who gave `got`.
pub(crate) fn difference(batch: &Batch<'_>, want: &Results, name: &str, got: &Results) -> Option<Difference> {
    let differs = |row: &usize| want.rows[*row] != got.rows[*row];
    if let Some(row) = (0..want.rows.len()).find(differs) {
        let (at, call) = &batch.rows[row];
        let kind = batch.subjects[*at].kind.name();
        let text = format!(
            "row {row}, `{kind}` with values {:x?} on regions {:?}:\n  interpreter: {:x?}\n  {name}: {:x?}",
            call.words, call.regions, want.rows[row], got.rows[row]
        );
        return Some(Difference { row: Some(row), text });
    }
    let at = (0..want.memory.len()).find(|at| want.memory[*at] != got.memory[*at])?;
    let text = format!(
        "region {at} of {:?}:\n  interpreter: {:x?}\n  {name}: {:x?}",
        scalar(&batch.pool, at),
        want.memory[at],
        got.memory[at]
    );
    Some(Difference { row: None, text })
}

fn scalar(pool: &Pool, at: usize) -> &'static str {
    pool.scalars[at].rust()
}
