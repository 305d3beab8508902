use super::*;
use crate::device::engines::ENGINES;
use crate::device::link::{link, parts};
use crate::device::unit::{ArrayUse, ColumnWidth};
use crate::device::{EngineSpec, Layout, Tuned};
use crate::spec::{Param, ProcedureSpec, Scalar};

const MOVE: ProcedureSpec = ProcedureSpec {
    name: "move",
    module: "m",
    file: "m.rs",
    params: &[Param::array("from", Scalar::I64), Param::array("to", Scalar::I64), Param::value("at", Scalar::U32)],
    ..ProcedureSpec::EMPTY
};

/// Gives `check` the unit of a batch in which the procedure is called with these pairs of arrays. Arrays from number 6 on have
/// a larger lock coverage.
fn with_unit<T>(engine: &'static EngineSpec, pairs: &[(usize, usize)], check: impl FnOnce(&UnitSpec<'_>) -> T) -> T {
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
        assert!(text.contains("STM_PLACES[STM_SPECIALIZATIONS * STM_STRIDE] = {0,0,0,0,0,1,0,1,0,2,0,2,"), "{text}");
        assert_eq!(parts(unit).len(), 7 + 1);
    });
}

#[test]
fn arrays_in_the_memory_of_a_block_have_types_of_their_own() {
    let engine = ENGINES.iter().find(|engine| engine.requires.partitions).expect("one keeps parts with blocks");
    with_unit(engine, &all_pairs(4), |unit| assert_eq!(functions(unit), 16));
}
