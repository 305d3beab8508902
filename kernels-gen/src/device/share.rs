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
mod tests {
    use super::*;
    use crate::device::engines::ENGINES;
    use crate::device::link::{link, parts};
    use crate::device::unit::{ArrayUse, ColumnWidth};
    use crate::device::{EngineSpec, Layout, Tuned};
    use crate::spec::{Facts, Param, ProcedureSpec, Role, Scalar};

    const MOVE: ProcedureSpec = ProcedureSpec {
        name: "move",
        module: "m",
        file: "m.rs",
        line: 1,
        params: &[
            Param { name: "from", role: Role::Array(Scalar::I64) },
            Param { name: "to", role: Role::Array(Scalar::I64) },
            Param { name: "at", role: Role::Value(Scalar::U32) },
        ],
        result: &[],
        cuda: "",
        facts: Facts::NONE,
        locations: &[],
        lines: &[],
        checked: true,
        max_iterations: 1,
        variables: 0,
    };

    /// Gives `check` the unit of a batch in which the procedure is called with these pairs of arrays. Arrays from number 6 on have
    /// a larger lock coverage.
    fn with_unit<T>(
        engine: &'static EngineSpec,
        pairs: &[(usize, usize)],
        check: impl FnOnce(&UnitSpec<'_>) -> T,
    ) -> T {
        let array = |id: usize| ArraySpec {
            scalar: Scalar::I64,
            layout: Layout::Split,
            coverage_log2: u32::from(id >= 6),
            part: u64::from(engine.requires.partitions) * 4,
            group: id,
            used: ArrayUse::Locked,
        };
        let specializations: Vec<SpecializationSpec> = pairs
            .iter()
            .map(|(from, to)| SpecializationSpec { procedure: 0, arrays: vec![*from, *to], columns: vec![0] })
            .collect();
        check(&UnitSpec {
            procedures: &[&MOVE],
            specializations: &specializations,
            arrays: &(0..8).map(array).collect::<Vec<_>>(),
            columns: &[ColumnWidth::U32.listed()],
            ..UnitSpec::new(Tuned::new(engine))
        })
    }

    fn all_pairs(arrays: usize) -> Vec<(usize, usize)> {
        (0..arrays * arrays).map(|k| (k / arrays, k % arrays)).collect()
    }

    #[test]
    fn few_specializations_are_code_of_their_own() {
        with_unit(ENGINES[0], &all_pairs(3)[..MOST_OWN], |unit| {
            assert_eq!(functions(unit), MOST_OWN);
            let text = link(unit);
            assert!(text.contains("stm_array<i64, 2,") && !text.contains("STM_PLACES"), "{text}");
            assert_eq!(parts(unit).len(), MOST_OWN + 1);
        });
    }

    #[test]
    fn many_specializations_share_one_function_where_their_arrays_lie_alike() {
        with_unit(ENGINES[0], &all_pairs(8), |unit| {
            // 36 pairs have the same layouts, 12 share a second layout and 12 a third, and the last 4 have their own code.
            assert_eq!(functions(unit), 3 + 4);
            let text = link(unit);
            assert_eq!(text.matches("stm_status stm_attempt_").count(), 7, "{text}");
            assert!(text.contains("STM_FUNCTION[STM_SPECIALIZATIONS] = {0,0,0,0,0,0,1,1,0,0,"), "{text}");
            // The arrays, then the groups.
            assert!(
                text.contains("STM_PLACES[STM_SPECIALIZATIONS * STM_STRIDE] = {0,0,0,0,0,1,0,1,0,2,0,2,"),
                "{text}"
            );
            assert_eq!(parts(unit).len(), 7 + 1);
        });
    }

    #[test]
    fn arrays_in_the_memory_of_a_block_have_types_of_their_own() {
        let engine = ENGINES.iter().find(|engine| engine.requires.partitions).expect("one keeps parts with blocks");
        with_unit(engine, &all_pairs(4), |unit| assert_eq!(functions(unit), 16));
    }
}
