//! The bindings of the variables of a function under expansion.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::super::shape;
use crate::ir::flat::Atom;
use crate::ir::{LocationId, LoopId, VarId};
use crate::spec::Type;

/// The binding of a variable of the open stage.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    /// No value yet, or a value of unknown type.
    Unknown,
    /// The atoms of its groups.
    Value(Vec<Atom>),
    /// A variable of the caller, or a part of one.
    Place(FlatPlace),
}

/// An array of values, as the arrays of its components.
#[derive(Debug, Clone)]
pub(super) struct ArrayParam {
    pub(super) ty: Type,
    /// The parameter of its first component; the others follow. If a variable names the array, it counts from the component that
    /// the variable says.
    pub(super) first: u32,
    /// The variable that names the array.
    pub(super) named: Option<NamedArray>,
    /// The elements of one partition, if the array is partitioned and an index counts within a partition.
    pub(super) part: Option<u64>,
    /// The indices that decide which array it is, where these are elements of arrays; `first` is that of the first ones.
    pub(super) chosen: Vec<Chosen>,
}

/// The array that a variable names.
#[derive(Debug, Clone)]
pub(super) struct NamedArray {
    /// The number of its first component, which never changes.
    pub(super) first: Atom,
    /// What this number can be, ascending.
    pub(super) among: Rc<[u32]>,
}

/// The arrays that the variables of a function can name.
#[derive(Debug, Default)]
pub(super) struct NamedArrays {
    /// For each variable, the one that stands for all that exchange their values.
    pub(super) groups: Vec<u32>,
    /// What the variables of a group can name, by the type of the elements.
    pub(super) among: HashMap<(u32, Type), Arrays>,
}

/// Some arrays of one type: the number of the first component of each, with the elements of one partition, if it is partitioned.
pub(super) type Arrays = BTreeMap<u32, Option<u64>>;

impl NamedArrays {
    pub(super) fn group(&self, var: VarId) -> u32 {
        let mut at = var.0;
        while self.groups[at as usize] != at {
            at = self.groups[at as usize];
        }
        at
    }

    pub(super) fn join(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.group(a), self.group(b));
        self.groups[a as usize] = b;
    }
}

/// The choice of one element of an array of arrays.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// The index, which never changes and is in range.
    pub(super) index: Atom,
    /// The number of elements.
    pub(super) count: u64,
    /// The components of each.
    pub(super) components: u32,
}

/// The elements of an array that never changes.
#[derive(Debug, Clone)]
pub(super) enum KnownElements {
    All(Atom),
    Each(Vec<Atom>),
}

/// The destination of a function's result.
#[derive(Debug, Clone)]
pub(super) struct Give {
    /// The caller's variables for its groups.
    pub(super) vars: Vec<VarId>,
    /// The block that a `return` leaves.
    pub(super) block: LoopId,
    /// Whether some `return` is not at the end.
    pub(super) early: bool,
}

/// A variable of the flat form, or a part of one.
#[derive(Debug, Clone)]
pub(super) struct FlatPlace {
    pub(super) ty: Type,
    /// The variable that holds each group.
    pub(super) vars: Vec<VarId>,
    /// Inside arrays: the number of values of this type before it, and the location of the last index.
    pub(super) index: Option<(Atom, LocationId)>,
    /// The first element and the number of elements, if it is a part of an array. Neither changes.
    pub(super) part: Option<(Atom, Atom)>,
}

/// The time at which the indices of a place are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexCheck {
    /// Immediately.
    Now,
    /// When the element is loaded or stored, if that access checks enough.
    OnUse,
}

impl FlatPlace {
    /// Returns a part of it.
    pub(super) fn part(&self, part: shape::ValuePart) -> FlatPlace {
        let vars = self.vars[part.group..part.group + shape::width(part.ty)].to_vec();
        FlatPlace { ty: part.ty, vars, index: self.index.clone(), part: None }
    }

    pub(super) fn has_arrays(&self) -> bool {
        shape::groups(self.ty).iter().any(|c| !c.dims.is_empty())
    }
}
