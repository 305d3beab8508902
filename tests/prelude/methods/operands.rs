//! The edge operands of methods.

use kernels_gen::methods::Method;
use kernels_gen::spec::Scalar;
use stm_tests::edges::{cut, edges, scattered};

use super::case::{self, Case};
use crate::case::Word;
use crate::edges::Extent;

/// Returns every case of a method.
pub(crate) fn cases(number: u32, method: &'static Method, scalar: Scalar, extent: Extent) -> Vec<Case> {
    let types = case::operand_types(method, scalar);
    let case = |operands: [u64; 3]| Case { number, method, scalar, operands };
    let mut cases: Vec<Case> = match types[..] {
        [a] => alone(a).into_iter().map(|a| case([a, 0, 0])).collect(),
        [a, b] => {
            let second = if method.args == [U32] { amounts() } else { one_of_two(b, extent) };
            let first = one_of_two(a, extent);
            first.iter().flat_map(|&a| second.iter().map(move |&b| case([a, b, 0]))).collect()
        }
        _ => {
            let few = few(scalar);
            let pairs = || few.iter().flat_map(|&b| few.iter().map(move |&c| (b, c)));
            few.iter().flat_map(|&a| pairs().map(move |(b, c)| case([a, b, c]))).collect()
        }
    };
    cases.extend(at_random(&types).into_iter().map(case));
    if method.name == "mul_add" {
        cases.extend(cancelling(scalar).into_iter().map(case));
    }
    cases
}

const U32: kernels_gen::methods::Operand = kernels_gen::methods::Operand::Is(Scalar::U32);

/// Returns operands of methods with one operand: all edges.
fn alone(scalar: Scalar) -> Vec<u64> {
    if scalar.size() == 1 && scalar.is_int() {
        return (0..=255).collect();
    }
    let mut words = [edges(scalar), scattered(scalar)].concat();
    if scalar.is_int() {
        let squares = scattered(scalar).into_iter().map(|word| (word as u32 as u64).pow(2));
        let powers = (0..=19).map(|k| 10_u64.pow(k));
        let centres: Vec<u64> = squares.chain(powers).collect();
        words.extend(centres.iter().flat_map(|c| [c.wrapping_sub(1), *c, c.wrapping_add(1)]).map(|c| cut(scalar, c)));
    }
    once(words)
}

/// Returns operands of methods with two operands.
fn one_of_two(scalar: Scalar, extent: Extent) -> Vec<u64> {
    match scalar {
        Scalar::Bool => vec![0, 1],
        Scalar::I8 | Scalar::U8 if extent == Extent::EdgesAndBytes => (0..=255).collect(),
        Scalar::F32 | Scalar::F64 => edges(scalar),
        _ => {
            let bits = 8 * scalar.size();
            let powers = [bits / 2, bits - 2, bits - 1].map(|power| 1_u64 << power);
            // The largest values whose square fits in i16, i32, i64 and u64, and whose cube fits in i32 and i64.
            let roots = [181, 46_340, 3_037_000_499, 4_294_967_295, 1_290, 2_097_151];
            let centres = powers.into_iter().chain(roots).chain([0, 3, 10]);
            let near = centres.flat_map(|c| [c.wrapping_sub(1), c, c.wrapping_add(1)]);
            once(near.flat_map(|word| [word, word.wrapping_neg()]).map(|word| cut(scalar, word)).collect())
        }
    }
}

/// Returns operands of methods with three operands.
fn few(scalar: Scalar) -> Vec<u64> {
    let words = match scalar {
        Scalar::Bool => vec![0, 1],
        Scalar::F32 => FEW.iter().flat_map(|f| [*f as f32, -*f as f32]).map(Word::to_word).collect(),
        Scalar::F64 => FEW.iter().flat_map(|f| [*f, -*f]).map(Word::to_word).collect(),
        _ => {
            let top = 1_u64 << (8 * scalar.size() - 1);
            let words = [0, 1, 2, 5, 100, top - 2, top - 1, top, top + 1];
            words.iter().flat_map(|word| [*word, word.wrapping_neg()]).map(|word| cut(scalar, word)).collect()
        }
    };
    once(words)
}

const FEW: [f64; 18] = [
    0.0,
    1e-320,
    1e-45,
    1e-38,
    0.1,
    0.333_333_333_333_333_3,
    1.0,
    1.000_000_000_000_000_2,
    1.000_000_119_209_289_6,
    1.5,
    3.0,
    16_777_217.0,
    9_007_199_254_740_993.0,
    1e30,
    3e38,
    1.7e308,
    f64::INFINITY,
    f64::NAN,
];

/// Returns exponents and shifts: around every width, and far beyond.
fn amounts() -> Vec<u64> {
    let near = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 21, 31, 32, 33, 39, 40, 41, 62, 63, 64, 65];
    let far = [100, 127, 128, 255, 256, 257, 1 << 16, 1 << 31, (1 << 31) + 1, u64::from(u32::MAX)];
    [&near[..], &far[..]].concat()
}

/// Returns pseudo-random operands, the same in each run.
fn at_random(types: &[Scalar]) -> Vec<[u64; 3]> {
    if types.len() < 2 || types[1].size() == 1 {
        return Vec::new();
    }
    let columns: Vec<Vec<u64>> = types.iter().map(|ty| scattered(*ty)).collect();
    // Each column takes another row, because all columns have the same sequence of magnitudes.
    let at = |k: usize, row: usize| columns.get(k).map_or(0, |column| column[(row * (2 * k + 1) + k) % column.len()]);
    (0..1_000).map(|row| [at(0, row), at(1, row), at(2, row)]).collect()
}

/// Returns sums whose larger parts cancel, so that only one rounding is right.
fn cancelling(scalar: Scalar) -> Vec<[u64; 3]> {
    let units = scattered(scalar).into_iter().map(|word| match scalar {
        Scalar::F32 => word & 0x807f_ffff | 0x3f80_0000,
        _ => word & 0x800f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000,
    });
    let units: Vec<u64> = units.collect();
    let triple = |pair: &[u64]| match scalar {
        Scalar::F32 => {
            let product = f32::from_word(pair[0]) * f32::from_word(pair[1]);
            [pair[0], pair[1], (-product).to_word()]
        }
        _ => {
            let product = f64::from_word(pair[0]) * f64::from_word(pair[1]);
            [pair[0], pair[1], (-product).to_word()]
        }
    };
    units.windows(2).step_by(4).map(triple).collect()
}

fn once(mut words: Vec<u64>) -> Vec<u64> {
    words.sort_unstable();
    words.dedup();
    words
}
