//! What decides how an attempt ends, apart from its accesses.

use super::values::ValueId;
use crate::ir::LocationId;
use crate::ir::flat::{Block, Rvalue, Stmt, StmtKind, Transaction, walk};

/// What decides whether an attempt goes on, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// A guard.
    Guard { condition: ValueId, location: LocationId },
    /// An `if` with one side that only rejects or panics. The condition has this truth in every attempt that goes on.
    Condition { condition: ValueId, holds: bool },
    /// Another `if`.
    Branch { condition: ValueId },
    /// An operation that can fault, and its result.
    Fault { value: ValueId },
    /// A fault that depends on these values alone, or on one of them in memory.
    Check { independent: bool },
    /// A loop that can run too long.
    Loop,
    /// `gpu_println!`.
    Print,
    /// The result; `independent`: it follows from the arguments.
    Result { independent: bool },
}

/// Returns whether a branch does nothing but reject or panic.
pub(super) fn only_ends(block: &Block) -> bool {
    let is_last = |stmt: &Stmt| matches!(stmt.what, StmtKind::Reject { .. } | StmtKind::Fault { .. });
    let is_plain = |stmt: &Stmt| matches!(stmt.what, StmtKind::Let { .. } | StmtKind::Declare { .. });
    block.split_last().is_some_and(|(last, before)| is_last(last) && before.iter().all(is_plain))
}

/// Returns the location of the last statement that can keep an attempt from committing, apart from accesses.
pub(super) fn last_doubt(tx: &Transaction) -> Option<LocationId> {
    let mut last = None;
    walk::each(&tx.body, &mut |stmt| last = doubt(stmt).or(last));
    last
}

fn doubt(stmt: &Stmt) -> Option<LocationId> {
    match &stmt.what {
        StmtKind::Guard { location, .. }
        | StmtKind::Reject { location, .. }
        | StmtKind::Fault { location, .. }
        | StmtKind::FaultIf { location, .. }
        | StmtKind::AssignElement { location, .. } => Some(*location),
        StmtKind::Let { value: Rvalue::Element(.., location), .. } => Some(*location),
        StmtKind::Let { value, .. } => value.location(),
        StmtKind::Loop(of) => Some(of.location),
        _ => None,
    }
}
