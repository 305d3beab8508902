//! Visiting every statement.

use super::{Block, Stmt, StmtKind};

impl Stmt {
    /// The blocks inside a statement, in order of evaluation.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.what {
            StmtKind::If { then, other, .. } => vec![then, other],
            StmtKind::Loop { head, body, .. } => vec![head, body],
            StmtKind::For { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The same, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.what {
            StmtKind::If { then, other, .. } => vec![then, other],
            StmtKind::Loop { head, body, .. } => vec![head, body],
            StmtKind::For { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}

/// Calls `visit` for every statement, outer ones first.
pub fn each<'a>(block: &'a Block, visit: &mut impl FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            each(inner, visit);
        }
    }
}

/// The same, to change them.
pub fn each_mut(block: &mut Block, visit: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks_mut() {
            each_mut(inner, visit);
        }
    }
}
