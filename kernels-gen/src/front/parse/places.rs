//! Places of local variables, as the pass over a function knows them.

use std::collections::HashMap;

use crate::ir::VarId;
use crate::ir::open::{Step, TyId};

/// A local variable, or a part of it.
#[derive(Debug, Clone)]
pub(super) struct PlaceExpr {
    pub(super) var: VarId,
    pub(super) steps: Vec<Step>,
    pub(super) ty: TyId,
    /// The steps by number that lead into what may be an `Option`, and the types that they lead to.
    pub(super) opened: Vec<(usize, TyId)>,
}

impl PlaceExpr {
    /// Returns whether an index leads to it, so that reaching it can fault.
    pub(super) fn is_indexed(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Element(..)))
    }
}

/// The choices of a function.
#[derive(Default)]
pub(super) struct PlaceChoices {
    /// The ends of the conditions that are being parsed, with the variable that says whether one is chosen.
    pub(super) ends: HashMap<usize, VarId>,
    /// The places of these ends, once they are parsed, and the variables for their indices.
    pub(super) parsed: Vec<(VarId, PlaceExpr)>,
    pub(super) indices: Vec<VarId>,
    /// For each copy, the places that its value can go to, and the variables that say to which it goes.
    pub(super) copies: HashMap<VarId, Vec<(VarId, PlaceExpr)>>,
}
