//! Values at which arithmetic and printing change their behaviour, as words.

use kernels_gen::spec::Scalar;

/// Returns the edge values of a type as words, without duplicates.
#[must_use]
pub fn edges(scalar: Scalar) -> Vec<u64> {
    let mut words = match scalar {
        Scalar::Bool => vec![0, 1],
        Scalar::F32 => float_edges().iter().map(|f| u64::from((*f as f32).to_bits())).chain(f32_edges()).collect(),
        Scalar::F64 => float_edges().iter().map(|f| f.to_bits()).chain(f64_edges()).collect(),
        _ => int_edges(scalar),
    };
    words.sort_unstable();
    words.dedup();
    words
}

/// Cuts a word to the width of an integer type.
#[must_use]
pub fn cut(scalar: Scalar, word: u64) -> u64 {
    word & (u64::MAX >> (64 - 8 * scalar.size()))
}

/// Returns limits, powers of two, and the square roots of the limits, each with its neighbours, in both signs.
fn int_edges(scalar: Scalar) -> Vec<u64> {
    const POWERS: [u32; 14] = [1, 2, 3, 7, 8, 15, 16, 24, 31, 32, 33, 53, 62, 63];
    const PLAIN: [u64; 6] = [0, 5, 10, 100, 11, 46];
    // Roots of the largest i8, i16, i32, i64 and of u16, u64; u8's and u32's are among the powers.
    const ROOTS: [u64; 6] = [11, 181, 46_340, 3_037_000_499, 255, 4_294_967_295];
    let top = 1 << (8 * scalar.size() - 1);
    let powers = POWERS.iter().map(|power| 1_u64 << power);
    let centres = powers.chain(PLAIN).chain(ROOTS).chain([top]);
    let near = centres.flat_map(|c| [c.wrapping_sub(2), c.wrapping_sub(1), c, c.wrapping_add(1), c.wrapping_add(2)]);
    near.flat_map(|word| [word, word.wrapping_neg()]).map(|word| cut(scalar, word)).collect()
}

/// Returns values at which a float, or its cast to an integer, changes its behaviour; in both signs.
fn float_edges() -> Vec<f64> {
    const POWERS: [i32; 14] = [1, 2, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64];
    const PLAIN: [f64; 16] =
        [0.0, 0.1, 0.25, 0.3, 1.0 / 3.0, 0.49999999999999994, 0.5, 0.75, 1.0, 1.5, 2.5, 3.0, 10.0, 1e10, 1e30, 1e300];
    let mut values = PLAIN.to_vec();
    for power in POWERS.map(|power| 2_f64.powi(power)) {
        values.extend([power, power - 1.0, power + 1.0, power - 0.5, power + 0.5, power.next_down(), power.next_up()]);
        values.extend([f64::from((power as f32).next_down()), f64::from((power as f32).next_up())]);
    }
    // The largest f32, a value that still rounds to it, and the first value that rounds to infinity; then the smallest values.
    let largest = f64::from(f32::MAX);
    let half_step = 2_f64.powi(103);
    values.extend([largest, (largest + half_step).next_down(), largest + half_step, largest * 2.0]);
    let least = f64::from(f32::from_bits(1));
    values.extend([least, least / 2.0, (least / 2.0).next_up(), least * 1.5, f64::from(f32::MIN_POSITIVE)]);
    // Half way between two neighbours of type f32, to either side of an even one.
    values.extend([1.0 + 2_f64.powi(-24), 1.0 + 3.0 * 2_f64.powi(-24), (1.0 + 2_f64.powi(-24)).next_up()]);
    values.extend([f64::INFINITY, f64::NAN]);
    values.iter().flat_map(|value| [*value, -*value]).collect()
}

/// Returns subnormals, limits and NaNs that can be written only as bits.
fn f32_edges() -> Vec<u64> {
    const BITS: [u32; 10] =
        [1, 2, 0x0040_0000, 0x007f_ffff, 0x0080_0000, 0x0080_0001, 0x7f7f_fffe, 0x7f7f_ffff, 0x7f80_0001, 0x7fc0_1234];
    BITS.iter().flat_map(|bits| [u64::from(*bits), u64::from(*bits | 1 << 31)]).collect()
}

fn f64_edges() -> Vec<u64> {
    const BITS: [u64; 10] = [
        1,
        2,
        0x0008_0000_0000_0000,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x0010_0000_0000_0001,
        0x7fef_ffff_ffff_fffe,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0000_1234,
    ];
    BITS.iter().flat_map(|bits| [*bits, *bits | 1 << 63]).collect()
}

/// Returns words of every magnitude, the same in each run: they reach rounding cases that no list contains.
#[must_use]
pub fn scattered(scalar: Scalar) -> Vec<u64> {
    if scalar == Scalar::Bool {
        return Vec::new();
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    });
    // The upper bits of a float are the exponent, so whole words already have every magnitude.
    let shrink = |(i, word): (usize, u64)| if scalar.is_float() { word } else { word >> (i % 64) };
    words.take(4_000).enumerate().map(shrink).map(|word| cut(scalar, word)).collect()
}
