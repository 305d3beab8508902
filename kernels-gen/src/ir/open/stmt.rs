//! Statements.

use serde::{Deserialize, Serialize};

use super::{Arg, Atom, CallId, Piece, Rvalue, Step};
use crate::fault::FaultCode;
use crate::ir::{ArrayId, LocationId, LoopId, PositionId, Range, VarId};

/// Statements in order of evaluation.
pub type Block = Vec<Stmt>;

/// A statement and its source position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stmt {
    /// What it does.
    pub what: StmtKind,
    /// Its source position.
    pub at: PositionId,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields say what they are; the variants are documented")]
pub enum StmtKind {
    /// Declares a variable without a value; every path assigns it before use.
    Declare { var: VarId },
    /// Declares a variable with a value.
    Let { var: VarId, value: Rvalue },
    /// Gives a declared variable, or the part of it that the steps lead to, a value.
    Assign { var: VarId, steps: Vec<Step>, value: Atom },
    /// `let var = tx.read(array, index)?`. `fields`: the path to one field, if the array holds records and only that field is read.
    Read { var: VarId, array: ArrayId, fields: Vec<String>, index: Atom, location: LocationId },
    /// `tx.write(array, index, value)?`
    Write { array: ArrayId, fields: Vec<String>, index: Atom, value: Atom, location: LocationId },
    /// Declares the array with the number of `var`: one element of an array of arrays, `&rows.marks[k]`. An index out of range is a fault.
    Choose { var: VarId, array: ArrayId, fields: Vec<String>, index: Atom, location: LocationId },
    /// `tx.guard(condition)?`
    Guard { condition: Atom, location: LocationId },
    /// `tx.reject(code)?`: nothing after it is reached.
    Reject { code: Atom, location: LocationId },
    /// A panic: nothing after it is reached.
    Fault { code: FaultCode, location: LocationId },
    /// Two branches.
    If { condition: Atom, then: Block, other: Block },
    /// `loop`, or `while` with the statements that compute its condition.
    Loop { id: LoopId, head: Block, condition: Option<Atom>, body: Block, location: LocationId },
    /// `for` over a range. `counter` is the hidden variable that counts; `var` is the variable of the body.
    For { id: LoopId, var: VarId, counter: VarId, range: Range<Atom>, body: Block, location: LocationId },
    /// A block that a `Break` with its number leaves.
    Block { id: LoopId, body: Block },
    /// Leaves the loop or the labelled block.
    Break(LoopId),
    /// Goes on with the next iteration of the loop.
    Continue(LoopId),
    /// `return`, or `return Ok(..)`.
    Return(Vec<Atom>),
    /// Declares `var` with the result of a function of the user's program.
    Call { var: VarId, call: CallId, args: Vec<Arg>, location: LocationId },
    /// `gpu_println!`.
    Print { pieces: Vec<Piece>, location: LocationId },
}
