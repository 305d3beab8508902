use super::super::engines::ENGINES;
use super::*;
use crate::device::unit::ArrayUse;
use crate::spec::Scalar;

#[test]
fn nothing_lies_on_anything_else_and_all_of_it_is_aligned() {
    let array = |scalar, part| ArraySpec {
        scalar,
        layout: super::super::engine::Layout::Split,
        coverage_log2: 0,
        part,
        group: 0,
        used: ArrayUse::Locked,
    };
    let arrays = [array(Scalar::U8, 3), array(Scalar::I64, 5), array(Scalar::U16, 1)];
    for engine in ENGINES.iter().filter(|engine| engine.execution().keeps_elements_in_blocks()) {
        let tuned = Tuned::new(engine);
        let own = Extent::new(tuned.settings);
        let (bytes, places) = plan(engine, tuned.settings, &arrays).expect("it has a plan");
        let mut taken: Vec<(u64, u64)> = vec![(0, engine.bytes(Scope::Block, own))];
        for (array, place) in arrays.iter().zip(places) {
            let extent = Extent { scalar: array.scalar, elements: array.part, ..own };
            let tables = engine.memory_of(Scope::Partition).map(|table| (table.bytes)(extent));
            let sizes = std::iter::once(array.scalar.size() as u64 * array.part).chain(tables);
            let starts = std::iter::once(place.values).chain(place.tables);
            taken.extend(starts.zip(sizes).map(|(start, size)| (start, start + size)));
        }
        assert!(taken.iter().all(|(start, _)| start.is_multiple_of(8)), "{taken:?}");
        assert!(taken.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{taken:?}");
        assert!(taken.last().is_some_and(|last| last.1 <= bytes && bytes < last.1 + 8), "{taken:?} of {bytes}");
        assert_eq!(partition_bytes(&tuned, &arrays), bytes);
    }
    assert_eq!(partition_bytes(&Tuned::new(ENGINES[0]), &arrays), 0);
}
