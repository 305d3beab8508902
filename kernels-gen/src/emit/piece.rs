//! The inputs of a piece: one word has all of them.

use super::names;
use crate::analysis::PieceCode;
use crate::ir::VarId;
use crate::ir::flat::Transaction;

/// Returns the word with the inputs of a piece.
pub(super) fn pack(tx: &Transaction, piece: &PieceCode) -> String {
    let inputs = places(tx, piece).map(|(var, at)| format!("stm_put_input({}, {at})", names::var(tx, var)));
    let inputs: Vec<String> = inputs.collect();
    if inputs.is_empty() { "0ull".to_owned() } else { inputs.join(" | ") }
}

/// Returns the inputs, each with the number of its first bit.
pub(super) fn places<'a>(tx: &'a Transaction, piece: &'a PieceCode) -> impl Iterator<Item = (VarId, usize)> + 'a {
    let mut next = 0;
    piece.inputs.iter().map(move |var| {
        let at = next;
        next += 8 * tx.var(*var).scalar.size();
        (*var, at)
    })
}
