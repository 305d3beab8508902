//! The edge operands of arithmetic, and the cases with them.

use kernels_gen::spec::Scalar;
use stm_tests::edges::{cut, edges, scattered};

use crate::case::Case;
use crate::ops::{Op, Takes, can_cast};

/// The choice of operands for a list of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Only the edges.
    Edges,
    /// Also every value of the 8-bit types against every other.
    EdgesAndBytes,
}

/// Returns every case of `scalar`.
pub(crate) fn cases(scalar: Scalar, extent: Extent) -> Vec<Case> {
    let operands = match scalar {
        Scalar::I8 | Scalar::U8 if extent == Extent::EdgesAndBytes => (0..=255).collect(),
        _ => edges(scalar),
    };
    let mut cases = Vec::new();
    for &op in Op::ALL.iter().filter(|op| op.of().contains(scalar)) {
        for &checked in if op.has_modes() { &[false, true][..] } else { &[false][..] } {
            put_cases(&mut cases, &operands, Case { op, scalar, other: scalar, checked, a: 0, b: 0 });
        }
    }
    cases
}

/// Adds all cases that differ from `like` in their operands and second type.
fn put_cases(cases: &mut Vec<Case>, operands: &[u64], like: Case) {
    match like.op.takes() {
        Takes::One => cases.extend(operands.iter().map(|&a| Case { a, ..like })),
        Takes::Two => put_pairs(cases, operands, operands, like),
        Takes::Shift => {
            for other in Scalar::ALL.into_iter().filter(|s| s.is_int()) {
                put_pairs(cases, &edges(like.scalar), &shift_amounts(other), Case { other, ..like });
            }
        }
        Takes::Cast => {
            let mut operands = [operands, &scattered(like.scalar)].concat();
            operands.sort_unstable();
            operands.dedup();
            for other in Scalar::ALL.into_iter().filter(|to| can_cast(like.scalar, *to)) {
                cases.extend(operands.iter().map(|&a| Case { a, other, ..like }));
            }
        }
    }
}

fn put_pairs(cases: &mut Vec<Case>, left: &[u64], right: &[u64], like: Case) {
    for &a in left {
        cases.extend(right.iter().map(|&b| Case { a, b, ..like }));
    }
}

/// Returns amounts around every width, and large ones with small low bits.
fn shift_amounts(scalar: Scalar) -> Vec<u64> {
    const AMOUNTS: [u64; 22] =
        [0, 1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1 << 32, (1 << 32) + 3];
    let both_signs = AMOUNTS.iter().flat_map(|word| [*word, word.wrapping_neg()]);
    let limits = [1 << (8 * scalar.size() - 1), u64::MAX, u64::MAX >> 1];
    let mut words: Vec<u64> = both_signs.chain(limits).map(|word| cut(scalar, word)).collect();
    words.sort_unstable();
    words.dedup();
    words
}
