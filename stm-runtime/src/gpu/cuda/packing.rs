//! Cells whose values are close to each other, as narrow numbers: what is added to a smallest value.

use std::ops::Range;

use bytemuck::cast_slice_mut;

use crate::gpu::backend::HostSlice;

/// Cells of a piece that are looked at before all of them are packed.
const LOOKED_AT: usize = 64;
/// Cells that are packed before the first one that does not fit ends it.
const AT_ONCE: usize = 1 << 12;

/// How cells were packed: each is the sum of `base` and a number of `narrow` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) base: u64,
    pub(super) cells: usize,
    /// Bytes of a cell, and of its number.
    pub(super) wide: usize,
    pub(super) narrow: usize,
}

impl Packed {
    /// Returns the bytes of the numbers.
    pub(super) fn bytes(self) -> usize {
        self.cells * self.narrow
    }
}

/// Returns the bytes that cells take at most when they are packed; `None` for cells that cannot be.
pub(super) fn most_bytes(cells: HostSlice<'_>) -> Option<usize> {
    matches!(cells, HostSlice::U32(_) | HostSlice::U64(_)).then(|| cells.bytes().len() / 2)
}

/// Writes cells as narrow numbers, if they are close enough to each other. `bytes` is their range in the slice.
pub(super) fn pack(cells: HostSlice<'_>, bytes: Range<usize>, into: &mut [u8]) -> Option<Packed> {
    match cells {
        HostSlice::U32(cells) => pack_u32(&cells[bytes.start / 4..bytes.end / 4], into),
        HostSlice::U64(cells) => pack_u64(&cells[bytes.start / 8..bytes.end / 8], into),
        HostSlice::U8(_) | HostSlice::U16(_) => None,
    }
}

/// Defines the function that packs cells of a type as numbers of narrower types, the narrowest first.
macro_rules! packs {
    ($pack:ident, $cell:ty, $signed:ty: $($narrow:ty),*) => {
        fn $pack(cells: &[$cell], into: &mut [u8]) -> Option<Packed> {
            let first = *cells.first()?;
            // Distances from the first cell, because small negative numbers are large ones without a sign.
            let looked_at = cells.iter().step_by(cells.len().div_ceil(LOOKED_AT));
            let distances = looked_at.map(|cell| cell.wrapping_sub(first).cast_signed());
            let (least, most) = distances.fold((0, 0), |(least, most), distance| (distance.min(least), distance.max(most)));
            let range = most.wrapping_sub(least).cast_unsigned();
            $(
                if range <= <$cell>::from(<$narrow>::MAX) {
                    // What was not looked at may lie on both sides.
                    let base = first
                        .wrapping_add(least.cast_unsigned())
                        .wrapping_sub((<$cell>::from(<$narrow>::MAX) - range) / 2);
                    let numbers: &mut [$narrow] = cast_slice_mut(&mut into[..cells.len() * size_of::<$narrow>()]);
                    let all_fit = cells.chunks(AT_ONCE).zip(numbers.chunks_mut(AT_ONCE)).all(|(cells, numbers)| {
                        let mut over = 0;
                        for (cell, number) in cells.iter().zip(numbers) {
                            let distance = cell.wrapping_sub(base);
                            over |= distance >> <$narrow>::BITS;
                            *number = distance as $narrow;
                        }
                        over == 0
                    });
                    if all_fit {
                        let (wide, narrow) = (size_of::<$cell>(), size_of::<$narrow>());
                        return Some(Packed { base: base.into(), cells: cells.len(), wide, narrow });
                    }
                }
            )*
            None
        }
    };
}

packs!(pack_u32, u32, i32: u8, u16);
packs!(pack_u64, u64, i64: u8, u16, u32);

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the cells of some packed ones.
    fn unpacked(packed: Packed, bytes: &[u8]) -> Vec<u64> {
        let most = if packed.wide == 8 { u64::MAX } else { u32::MAX.into() };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let numbers = bytes[..packed.bytes()].chunks(packed.narrow).map(number);
        numbers.map(|number| packed.base.wrapping_add(number) & most).collect()
    }

    /// Returns lists of cells with the bytes that each number of them should take; 0 where they should stay as they are.
    pub(in crate::gpu::cuda) fn lists() -> Vec<(Vec<i64>, usize)> {
        let cells = |count: i64, of: fn(i64) -> i64| (0..count).map(of).collect::<Vec<i64>>();
        let outlier = |at: usize, by: i64| {
            let mut cells = cells(9000, |at| at * 37 % 100);
            cells[at] += by;
            cells
        };
        vec![
            (vec![7], 1),
            (cells(9000, |at| at * 37 % 100 - 50), 1),
            (cells(9000, |at| i64::MIN + at % 250), 1),
            (cells(1 << 14, |at| at * 3), 2),
            (cells(1 << 14, |at| at * 200_000 - 1_000_000_000), 4),
            (cells(1 << 14, |at| at.wrapping_mul(0x1e37_79b9_7f4a_7c15)), 0),
            (outlier(8999, 1000), 2),
            (outlier(4500, 1 << 20), 4),
            (outlier(1, 1 << 40), 0),
        ]
    }

    #[test]
    fn cells_come_back_from_the_narrowest_numbers_that_fit() {
        assert_eq!(pack(HostSlice::U64(&[]), 0..0, &mut []), None);
        for (cells, narrow) in lists() {
            let wide: Vec<u64> = cells.iter().map(|cell| cell.cast_unsigned()).collect();
            let mut words = vec![0_u64; wide.len().div_ceil(2)];
            let into: &mut [u8] = cast_slice_mut(&mut words);
            let packed = pack(HostSlice::U64(&wide), 0..8 * wide.len(), into);
            assert_eq!(packed.map_or(0, |packed| packed.narrow), narrow, "{:?}", &cells[..2.min(cells.len())]);
            if let Some(packed) = packed {
                assert_eq!(unpacked(packed, into), wide);
            }
            // The lower halves, of which some lie close to each other that did not before.
            let halves: Vec<u32> = wide.iter().map(|cell| *cell as u32).collect();
            let packed = pack(HostSlice::U32(&halves), 0..4 * halves.len(), into);
            assert!(packed.is_some_and(|packed| packed.narrow == narrow) || narrow == 0 || narrow == 4, "{packed:?}");
            if let Some(packed) = packed {
                assert!(unpacked(packed, into).iter().zip(&halves).all(|(cell, half)| *cell == u64::from(*half)));
            }
        }
        let mut into = [0_u8; 8];
        assert_eq!(pack(HostSlice::U32(&[1, 2, 3, 4]), 4..12, &mut into).map(|packed| packed.cells), Some(2), "a part");
        assert_eq!(most_bytes(HostSlice::U32(&[1, 2, 3])), Some(6));
        assert!(most_bytes(HostSlice::U16(&[1])).is_none() && pack(HostSlice::U16(&[1]), 0..2, &mut into).is_none());
    }
}
