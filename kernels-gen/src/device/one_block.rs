//! All arrays of a batch in the memory of one block, for engines that run it there: where each array lies, and how it gets there.
//!
//! An array in device memory stays as the engine lays it out. In the memory of the block elements are packed and lock words are
//! separate: there is no access that moves both. The host places the arrays, so that a kernel does not depend on their lengths.

use super::engine::Layout;
use super::unit::{ArraySpec, UnitSpec};
use crate::abi::launch;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bytes of a lock word in the memory of the block.
const LOCK: u64 = 8;

/// The position of an array in the memory of the block, in bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResidentPlace {
    /// The elements.
    pub values: u64,
    /// The lock words: those of its group.
    pub locks: u64,
}

impl ResidentPlace {
    /// Returns the place as device code finds it in `stm_address::block`.
    #[must_use]
    pub const fn word(self) -> u64 {
        self.locks << 32 | self.values
    }
}

/// Returns the bytes that these arrays, with so many elements each, take in the memory of a block, and the place of each; `None` for a
/// constant array, which stays in device memory. With more than 4 GiB the places mean nothing.
#[must_use]
pub fn resident_places(arrays: &[ArraySpec], lens: &[u64]) -> (u64, Vec<Option<ResidentPlace>>) {
    let mut next: u64 = 0;
    let mut take = |bytes: u64| {
        let at = next;
        next = next.saturating_add(bytes.div_ceil(LOCK).saturating_mul(LOCK));
        at
    };
    let mut places: Vec<Option<ResidentPlace>> = Vec::with_capacity(arrays.len());
    for (at, (array, len)) in arrays.iter().zip(lens).enumerate() {
        let place = (!array.constant).then(|| {
            let values = take(len.saturating_mul(array.scalar.size() as u64));
            let first = places.get(array.group).copied().flatten().filter(|_| array.group < at);
            let locks = first.map_or_else(
                || take(len.div_ceil(1 << array.coverage_log2).saturating_mul(LOCK)),
                |first: ResidentPlace| first.locks,
            );
            ResidentPlace { values, locks }
        });
        places.push(place);
    }
    (next, places)
}

/// Returns the expression for an array that a transaction accesses where the engine keeps it.
pub(super) fn placed(unit: &UnitSpec<'_>, handle: String) -> String {
    if unit.engine.execution().is_one_block() { format!("stm_placed(tx, {handle})") } else { handle }
}

/// Prints the function that moves all arrays into the memory of the block, or back. Arrays that are alike have one call, because there
/// can be many.
pub(super) fn put_moves(out: &mut String, unit: &UnitSpec<'_>) {
    if !unit.engine.execution().is_one_block() {
        return;
    }
    let mut alike: BTreeMap<(&str, bool, u32, bool), Vec<usize>> = BTreeMap::new();
    for (id, array) in unit.arrays.iter().enumerate().filter(|(_, array)| !array.constant) {
        let key = (array.scalar.cuda(), array.layout == Layout::Cells, array.coverage_log2, array.group == id);
        alike.entry(key).or_default().push(id);
    }
    for (nth, ids) in alike.values().enumerate() {
        let _ = write!(out, "static __device__ const u16 STM_MOVED_{nth}[{}] = {{", ids.len());
        ids.iter().for_each(|id| _ = write!(out, "{id},"));
        out.push_str("};\n");
    }
    out.push_str("template <bool IN>\nSTM_DEVICE void stm_move_arrays(const stm_params& p) {\n");
    for (nth, ((scalar, cells, coverage, leads), ids)) in alike.iter().enumerate() {
        let place = launch::place_of(&format!("STM_MOVED_{nth}[at]"), unit.places());
        let _ = writeln!(
            out,
            "#pragma unroll 1\n  for (u32 at = 0; at < {}; ++at) stm_move_array<IN, {scalar}, {cells}, {coverage}, {leads}>({place}.array);",
            ids.len()
        );
    }
    out.push_str("}\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Scalar;

    fn array(scalar: Scalar, group: usize, constant: bool) -> ArraySpec {
        ArraySpec { scalar, layout: Layout::Split, coverage_log2: 0, part: 0, group, constant }
    }

    #[test]
    fn components_of_a_record_share_lock_words_and_nothing_else_overlaps() {
        let arrays = [
            array(Scalar::U8, 0, false),
            array(Scalar::I64, 0, false),
            array(Scalar::I64, 2, true),
            ArraySpec { coverage_log2: 1, ..array(Scalar::U32, 3, false) },
        ];
        let (bytes, places) = resident_places(&arrays, &[3, 3, 1 << 40, 5]);
        let [first, second, constant, last] = places[..] else { panic!("four places") };
        assert_eq!(constant, None);
        // Three bytes, three lock words, three integers, five integers, three lock words for pairs.
        assert_eq!(first, Some(ResidentPlace { values: 0, locks: 8 }));
        assert_eq!(second, Some(ResidentPlace { values: 32, locks: 8 }));
        assert_eq!(last, Some(ResidentPlace { values: 56, locks: 80 }));
        assert_eq!(bytes, 104);
        assert_eq!(last.map(ResidentPlace::word), Some(80 << 32 | 56));
    }

    #[test]
    fn lengths_beyond_every_memory_do_not_wrap() {
        assert_eq!(resident_places(&[array(Scalar::U64, 0, false)], &[u64::MAX]).0, u64::MAX);
    }
}
