//! The difference between two results.

use crate::batch::{Batch, Results};
use crate::pool::Pool;

/// A difference: the first transaction that differs, or the arrays alone.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    /// The transaction, unless only the arrays differ.
    pub(crate) transaction: Option<usize>,
    pub(crate) text: String,
}

/// Returns the first difference, if there is one. `name` names the source of `got`.
pub(crate) fn difference(batch: &Batch<'_>, want: &Results, name: &str, got: &Results) -> Option<Difference> {
    let differs = |transaction: &usize| want.transactions[*transaction] != got.transactions[*transaction];
    if let Some(transaction) = (0..want.transactions.len()).find(differs) {
        let (at, call) = &batch.transactions[transaction];
        let procedure = batch.subjects[*at].procedure.name();
        let text = format!(
            "transaction {transaction}, `{procedure}` with values {:x?} on arrays {:?}:\n  interpreter: {:x?}\n  {name}: {:x?}",
            call.words, call.arrays, want.transactions[transaction], got.transactions[transaction]
        );
        return Some(Difference { transaction: Some(transaction), text });
    }
    let at = (0..want.memory.len()).find(|at| want.memory[*at] != got.memory[*at])?;
    let text = format!(
        "array {at} of {:?}:\n  interpreter: {:x?}\n  {name}: {:x?}",
        scalar(&batch.pool, at),
        want.memory[at],
        got.memory[at]
    );
    Some(Difference { transaction: None, text })
}

fn scalar(pool: &Pool, at: usize) -> &'static str {
    pool.scalars[at].rust()
}
