//! Statements.

use super::{Atom, Rvalue};
use crate::fault::FaultCode;
use crate::ir::{ArrayId, LocationId, LoopId, PositionId, Range, VarId};

/// Statements in order of evaluation.
pub type Block = Vec<Stmt>;

/// A statement and its source position.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub what: StmtKind,
    /// Its source position.
    pub at: PositionId,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields say what they are; the variants are documented")]
pub enum StmtKind {
    /// Declares a variable without a value; every path assigns it before use.
    Declare { var: VarId },
    /// Declares a variable with a value.
    Let { var: VarId, value: Rvalue },
    /// Gives a declared variable a value.
    Assign { var: VarId, value: Atom },
    /// Gives an element of an array variable a value; an index out of range is a fault.
    AssignElement { array: VarId, index: Atom, value: Atom, location: LocationId },
    /// `let var = tx.read(array, index)?`
    Read { var: VarId, array: ArrayId, index: Atom, location: LocationId },
    /// `tx.write(array, index, value)?`
    Write { array: ArrayId, index: Atom, value: Atom, location: LocationId },
    /// `tx.guard(condition)?`
    Guard { condition: Atom, location: LocationId },
    /// `tx.reject(code)?`: nothing after it is reached.
    Reject { code: Atom, location: LocationId },
    /// A panic: nothing after it is reached.
    Fault { code: FaultCode, location: LocationId },
    /// A fault where the device function of that name reports one. `checked`: only in checked mode.
    FaultIf { function: String, args: Vec<Atom>, checked: bool, location: LocationId },
    /// Two branches.
    If { condition: Atom, then: Block, other: Block },
    /// `loop` or `while`.
    Loop(LoopStmt),
    /// `for` over a range.
    For(ForStmt),
    /// A block that a `Break` with its number leaves.
    Block { id: LoopId, body: Block },
    /// Leaves the loop or the labelled block.
    Break(LoopId),
    /// Goes on with the next iteration of the loop.
    Continue(LoopId),
    /// `return`, with the components of the result.
    Return(Vec<Atom>),
    /// `gpu_println!`, with the components of its values; [`super::Transaction::lines`] has the format.
    Print { values: Vec<Atom>, location: LocationId },
}

/// `loop`, or `while` with the statements that compute its condition.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields say what they are")]
pub struct LoopStmt {
    pub id: LoopId,
    pub head: Block,
    pub condition: Option<Atom>,
    pub body: Block,
    pub location: LocationId,
}

/// `for` over a range.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields say what they are")]
pub struct ForStmt {
    pub id: LoopId,
    /// The variable of the body.
    pub var: VarId,
    /// The hidden variable that counts.
    pub counter: VarId,
    pub range: Range<Atom>,
    pub body: Block,
    pub location: LocationId,
}
