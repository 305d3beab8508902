//! Prints the function of a piece, and its inputs where the transaction writes.

use super::cuda::Emitter;
use super::names;
use crate::analysis::{OwnedFacts, Piece};
use crate::ir::VarId;
use crate::ir::flat::Transaction;

/// Returns the word with the inputs of a piece.
pub(super) fn pack(tx: &Transaction, piece: &Piece) -> String {
    let inputs = places(tx, piece).map(|(var, at)| format!("stm_put_input({}, {at})", names::var(tx, var)));
    let inputs: Vec<String> = inputs.collect();
    if inputs.is_empty() { "0ull".to_owned() } else { inputs.join(" | ") }
}

/// Prints the function that computes the new value from the old one and the word with the inputs.
pub(crate) fn emit_piece(tx: &Transaction, facts: &OwnedFacts, piece: &Piece) -> String {
    let ty = tx.var(piece.old).scalar.cuda();
    let mut emitter = Emitter::new(tx, facts);
    let old = names::var(tx, piece.old);
    emitter.w.open(&format!("STM_DEVICE stm_status piece(stm_piece_tx& tx, {ty} {old}, u64 inputs, {ty}* value)"));
    for (var, at) in places(tx, piece) {
        let ty = tx.var(var).scalar.cuda();
        emitter.w.line(&format!("{ty} {} = stm_input<{ty}>(inputs, {at});", names::var(tx, var)));
    }
    emitter.block(&piece.body);
    let value = emitter.atom(&piece.value);
    emitter.w.line(&format!("*value = {value};"));
    emitter.w.line("return STM_OK;");
    emitter.w.close();
    emitter.w.finish()
}

/// Returns the inputs, each with the number of its first bit.
fn places<'a>(tx: &'a Transaction, piece: &'a Piece) -> impl Iterator<Item = (VarId, usize)> + 'a {
    let mut next = 0;
    piece.inputs.iter().map(move |var| {
        let at = next;
        next += 8 * tx.var(*var).scalar.size();
        (*var, at)
    })
}
