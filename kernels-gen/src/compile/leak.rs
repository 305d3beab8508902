//! The constant form of a compiled procedure, which the runtime never frees.

use crate::analysis::{OwnedFacts, PieceCode};
use crate::emit;
use crate::ir::flat::{self, ParamRole, Transaction};
use crate::ir::{ArrayId, LocationId, Overflow};
use crate::spec::{Location, Param, PieceText, ProcedureSpec, Role};

/// The number of loop iterations that one attempt may make, if the attribute does not state one.
pub const MAX_ITERATIONS: u32 = 1_000_000;

/// Returns a flat transaction in the form that the runtime keeps. An overflow is a fault unless its options say that it wraps.
#[must_use]
pub fn leak(tx: &Transaction, facts: &OwnedFacts, cuda: String, module: &'static str) -> ProcedureSpec {
    ProcedureSpec {
        name: tx.name.clone().leak(),
        module,
        file: tx.file.clone().leak(),
        line: tx.at.line,
        params: tx.params.iter().map(leak_param).collect::<Vec<_>>().leak(),
        result: tx.results.clone().leak(),
        cuda: cuda.leak(),
        pieces: facts.pieces.iter().map(|piece| leak_piece(tx, facts, piece)).collect::<Vec<_>>().leak(),
        facts: facts.leak(),
        locations: tx.locations.iter().map(|location| leak_location(tx, location)).collect::<Vec<_>>().leak(),
        lines: tx.lines.clone().leak(),
        checked: tx.options.overflow != Overflow::Wrap,
        max_iterations: tx.options.max_iterations.unwrap_or(MAX_ITERATIONS),
        variables: tx.variable_bytes(),
    }
}

fn leak_piece(
    tx: &Transaction,
    facts: &OwnedFacts,
    ((location, array), piece): (&(LocationId, ArrayId), &PieceCode),
) -> PieceText {
    PieceText { location: location.0, param: array.0, cuda: emit::emit_piece(tx, facts, piece).leak() }
}

fn leak_param(param: &flat::FlatParam) -> Param {
    let role = match param.role {
        ParamRole::Array { part: Some(part) } => Role::Partition(param.scalar, part),
        ParamRole::Array { part: None } => Role::Array(param.scalar),
        ParamRole::Value => Role::Value(param.scalar),
    };
    Param { name: param.name.clone().leak(), role }
}

fn leak_location(tx: &Transaction, location: &flat::FileLocation) -> Location {
    let (file, decl) = (location.file.as_ref().unwrap_or(&tx.file), &location.decl);
    Location {
        file: file.clone().leak(),
        line: decl.at.line,
        column: decl.at.column,
        what: decl.what,
        text: decl.text.clone().leak(),
    }
}
