use super::*;
use crate::device::Tuned;
use crate::device::engines::ENGINES;
use crate::spec::Scalar;

#[test]
fn components_have_numbers_unless_there_are_too_many() {
    let last_of = |components: usize| {
        let array = ArraySpec {
            scalar: Scalar::U8,
            layout: Layout::Split,
            coverage_log2: 0,
            part: 0,
            group: 0,
            used: ArrayUse::Locked,
        };
        let arrays = vec![array; components];
        let unit = UnitSpec { arrays: &arrays, ..UnitSpec::new(Tuned::new(ENGINES[0])) };
        [array_type(&unit, 0), array_type(&unit, components - 1)]
    };
    assert_eq!(last_of(64), ["stm_array<u8, 0, false, 0, 0>", "stm_array<u8, 0, false, 0, 63>"]);
    assert_eq!(last_of(65), ["stm_array<u8, 0, false, 0, 64>", "stm_array<u8, 0, false, 0, 64>"]);
}
