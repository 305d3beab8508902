//! Decides which specializations of a procedure share one function.
//!
//! Where a procedure is called with few different arrays, each specialization has its own code, in which every address is a
//! constant. Each takes as long to compile as a whole procedure. Where there are many specializations, one function serves all that
//! differ only in their arrays, and receives the arrays as arguments.

use std::collections::HashMap;

use super::unit::{ArraySpec, SpecializationSpec, UnitSpec};

/// The most specializations of a procedure that have their own code.
pub(super) const MOST_OWN: usize = 8;

/// The most functions in a unit. The compiler takes about a second for each of them.
pub const MOST_FUNCTIONS: usize = 512;

/// A function of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitFunction {
    /// The specialization that it is printed from: the first of them.
    pub(super) first: usize,
    /// It serves several specializations, and receives the arrays as arguments.
    pub(super) shared: bool,
}

/// The functions of a unit, and which of them runs each specialization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Functions {
    pub(super) list: Vec<UnitFunction>,
    /// The index of the function of each specialization.
    pub(super) of: Vec<usize>,
}

impl Functions {
    pub(super) fn of(unit: &UnitSpec<'_>) -> Functions {
        // The position of an array in block memory is part of its type.
        let can_share = !unit.engine.execution().keeps_elements_in_blocks();
        let mut groups: HashMap<SharingKey<'_>, Vec<usize>> = HashMap::new();
        for (index, specialization) in unit.specializations.iter().enumerate() {
            groups.entry(SharingKey::of(unit, specialization)).or_default().push(index);
        }
        let mut functions = Functions { list: Vec::new(), of: vec![usize::MAX; unit.specializations.len()] };
        for (index, specialization) in unit.specializations.iter().enumerate() {
            if functions.of[index] != usize::MAX {
                continue;
            }
            let group = &groups[&SharingKey::of(unit, specialization)];
            let shared = can_share && group.len() > MOST_OWN;
            let served = if shared { group.as_slice() } else { std::slice::from_ref(&index) };
            served.iter().for_each(|served| functions.of[*served] = functions.list.len());
            functions.list.push(UnitFunction { first: index, shared });
        }
        functions
    }

    /// Returns whether some function serves several specializations.
    pub(super) fn any_shared(&self) -> bool {
        self.list.iter().any(|function| function.shared)
    }
}

/// Returns the number of functions in a unit.
#[must_use]
pub fn functions(unit: &UnitSpec<'_>) -> usize {
    Functions::of(unit).list.len()
}

/// The properties that specializations with one function have in common.
#[derive(PartialEq, Eq, Hash)]
struct SharingKey<'a> {
    procedure: usize,
    columns: &'a [usize],
    /// The layout of each parameter's array; the group is that of [`leaders`].
    arrays: Vec<ArraySpec>,
}

impl<'a> SharingKey<'a> {
    fn of(unit: &UnitSpec<'_>, specialization: &'a SpecializationSpec) -> SharingKey<'a> {
        let arrays = specialization.arrays.iter().zip(leaders(unit, specialization));
        let arrays = arrays.map(|(array, group)| ArraySpec { group, ..unit.arrays[*array] }).collect();
        SharingKey { procedure: specialization.procedure, columns: &specialization.columns, arrays }
    }
}

/// Returns, for each array of a specialization, the first array of the same parameter of the function that has the same lock words, by
/// its position in the specialization. Specializations of a procedure that are called with other records of one type have the same.
pub(super) fn leaders(unit: &UnitSpec<'_>, specialization: &SpecializationSpec) -> Vec<usize> {
    let params = unit.procedures[specialization.procedure].params.iter().filter(|param| param.role.array().is_some());
    let of: Vec<(&str, usize)> = params
        .zip(&specialization.arrays)
        .map(|(param, array)| (param.parameter(), unit.arrays[*array].group))
        .collect();
    of.iter().map(|own| of.iter().position(|other| other == own).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests;
