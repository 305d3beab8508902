//! Iteration over statements, and what they name.

use super::{Arg, Atom, Block, Piece, Step, Stmt, StmtKind};
use crate::ir::{LocationId, VarId};

impl Stmt {
    /// Returns the blocks inside a statement, in order of evaluation.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.what {
            StmtKind::If { then, other, .. } => vec![then, other],
            StmtKind::Loop { head, body, .. } => vec![head, body],
            StmtKind::For { body, .. } | StmtKind::Block { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// Returns the same blocks, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.what {
            StmtKind::If { then, other, .. } => vec![then, other],
            StmtKind::Loop { head, body, .. } => vec![head, body],
            StmtKind::For { body, .. } | StmtKind::Block { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// Returns the atoms that the statement itself uses, without those of the blocks inside.
    #[must_use]
    pub fn atoms(&self) -> Vec<&Atom> {
        match &self.what {
            StmtKind::Declare { .. }
            | StmtKind::Fault { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_) => Vec::new(),
            StmtKind::Let { value, .. } => value.atoms(),
            StmtKind::Assign { steps, value, .. } => steps_atoms(steps).chain([value]).collect(),
            StmtKind::Read { index, .. } | StmtKind::Choose { index, .. } => vec![index],
            StmtKind::Write { index, value, .. } => vec![index, value],
            StmtKind::Guard { condition, .. } | StmtKind::If { condition, .. } => vec![condition],
            StmtKind::Reject { code, .. } => vec![code],
            StmtKind::Loop { condition, .. } => condition.iter().collect(),
            StmtKind::For { range, .. } => range.atoms().collect(),
            StmtKind::Return(atoms) => atoms.iter().collect(),
            StmtKind::Call { args, .. } => args.iter().flat_map(arg_atoms).collect(),
            StmtKind::Print { pieces, .. } => pieces.iter().filter_map(piece_atom).collect(),
        }
    }

    /// Returns the variables that the statement itself declares or changes.
    #[must_use]
    pub fn vars(&self) -> Vec<VarId> {
        match &self.what {
            StmtKind::Declare { var }
            | StmtKind::Let { var, .. }
            | StmtKind::Assign { var, .. }
            | StmtKind::Read { var, .. }
            | StmtKind::Choose { var, .. } => vec![*var],
            StmtKind::For { var, counter, .. } => vec![*var, *counter],
            StmtKind::Call { var, args, .. } => {
                let places = args.iter().filter_map(|arg| match arg {
                    Arg::Place(var, _) | Arg::Receiver(var, ..) => Some(*var),
                    _ => None,
                });
                [*var].into_iter().chain(places).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the locations that the statement itself names.
    #[must_use]
    pub fn locations(&self) -> Vec<LocationId> {
        match &self.what {
            StmtKind::Let { value, .. } => value.location().into_iter().collect(),
            StmtKind::Assign { steps, .. } => steps_locations(steps).collect(),
            StmtKind::Read { location, .. }
            | StmtKind::Choose { location, .. }
            | StmtKind::Write { location, .. }
            | StmtKind::Guard { location, .. }
            | StmtKind::Reject { location, .. }
            | StmtKind::Fault { location, .. }
            | StmtKind::Loop { location, .. }
            | StmtKind::For { location, .. }
            | StmtKind::Print { location, .. } => vec![*location],
            StmtKind::Call { args, location, .. } => {
                let inside = args.iter().flat_map(|arg| match arg {
                    Arg::Place(_, steps) | Arg::Receiver(_, steps, _) => steps_locations(steps).collect(),
                    _ => Vec::new(),
                });
                inside.chain([*location]).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn steps_atoms(steps: &[Step]) -> impl Iterator<Item = &Atom> {
    steps.iter().filter_map(|step| match step {
        Step::Element(index, _) => Some(index),
        Step::Field(_) => None,
    })
}

fn steps_locations(steps: &[Step]) -> impl Iterator<Item = LocationId> {
    steps.iter().filter_map(|step| match step {
        Step::Element(_, location) => Some(*location),
        Step::Field(_) => None,
    })
}

fn arg_atoms(arg: &Arg) -> Vec<&Atom> {
    match arg {
        Arg::Value(atom) => vec![atom],
        Arg::Array(..) => Vec::new(),
        Arg::Place(_, steps) => steps_atoms(steps).collect(),
        Arg::Receiver(_, steps, value) => steps_atoms(steps).chain([value]).collect(),
    }
}

fn piece_atom(piece: &Piece) -> Option<&Atom> {
    match piece {
        Piece::Text(_) => None,
        Piece::Value(atom, _) => Some(atom),
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

/// Calls `visit` for every statement, outer ones first, to change them.
pub fn each_mut(block: &mut Block, visit: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks_mut() {
            each_mut(inner, visit);
        }
    }
}
