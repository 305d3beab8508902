//! Iteration over statements, and the variables that they use.

use super::{Atom, Block, ForStmt, LoopStmt, Rvalue, Stmt, StmtKind};
use crate::ir::VarId;

impl Stmt {
    /// Returns the blocks inside a statement, in order of evaluation.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.what {
            StmtKind::If { then, other, .. } => vec![then, other],
            StmtKind::Loop(LoopStmt { head, body, .. }) => vec![head, body],
            StmtKind::For(ForStmt { body, .. }) | StmtKind::Block { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// Returns the variables whose values the statement itself uses, without those of the blocks inside.
    #[must_use]
    pub fn uses(&self) -> Vec<VarId> {
        match &self.what {
            StmtKind::Declare { .. }
            | StmtKind::Fault { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_) => Vec::new(),
            StmtKind::Let { value, .. } => value.uses(),
            StmtKind::Assign { value, .. } => vars([value]),
            StmtKind::AssignElement { index, value, .. } | StmtKind::Write { index, value, .. } => vars([index, value]),
            StmtKind::Read { index, .. } => vars([index]),
            StmtKind::Guard { condition, .. } | StmtKind::If { condition, .. } => vars([condition]),
            StmtKind::Reject { code, .. } => vars([code]),
            StmtKind::FaultIf { args, .. } => vars(args),
            StmtKind::Loop(LoopStmt { condition, .. }) => vars(condition),
            StmtKind::For(ForStmt { range, .. }) => vars(range.atoms()),
            StmtKind::Return(values) | StmtKind::Print { values, .. } => vars(values),
        }
    }
}

impl Rvalue {
    /// Returns the variables whose values it is computed from.
    #[must_use]
    pub fn uses(&self) -> Vec<VarId> {
        match self {
            Rvalue::Use(a) | Rvalue::Unary(_, a, _) | Rvalue::Cast(a, _) | Rvalue::Repeat(a) => vars([a]),
            Rvalue::Arith(_, a, b, _) | Rvalue::Logic(_, a, b) | Rvalue::Compare(_, a, b) => vars([a, b]),
            Rvalue::Element(array, index, _) => [vec![*array], vars([index])].concat(),
            Rvalue::Array(atoms) | Rvalue::Device(_, atoms) => vars(atoms),
            Rvalue::Length(_) => Vec::new(),
        }
    }
}

/// Returns the atoms that are variables.
fn vars<'a>(atoms: impl IntoIterator<Item = &'a Atom>) -> Vec<VarId> {
    let var = |atom: &Atom| match atom {
        Atom::Var(var) => Some(*var),
        _ => None,
    };
    atoms.into_iter().filter_map(var).collect()
}

/// Calls `visit` for every statement, outer ones first.
pub fn each<'a>(block: &'a [Stmt], visit: &mut impl FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            each(inner, visit);
        }
    }
}
