//! Whether two words are the same value.

use kernels_gen::spec::Scalar;

/// Compares two values of a type; words without a type are compared as they are. Rust leaves open which NaN an operation returns, and
/// devices differ there: each NaN is the same as any other.
pub(super) fn is_same(scalar: Option<Scalar>, one: u64, other: u64) -> bool {
    let is_nan = |word: u64| match scalar {
        Some(Scalar::F32) => f32::from_bits(word as u32).is_nan(),
        Some(Scalar::F64) => f64::from_bits(word).is_nan(),
        _ => false,
    };
    one == other || (is_nan(one) && is_nan(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nans_of_one_type_have_several_words() {
        let quiet = [0x7fff_ffff, 0xffcf_7722];
        assert!(is_same(Some(Scalar::F32), quiet[0], quiet[1]));
        assert!(is_same(Some(Scalar::F64), f64::NAN.to_bits(), 0xfff8_0000_0000_0001));
        // These are numbers, as other types: an infinity, zeros, and integers with the bits of NaNs.
        assert!(!is_same(Some(Scalar::F32), quiet[0], f32::INFINITY.to_bits().into()));
        assert!(!is_same(Some(Scalar::F32), 0_f32.to_bits().into(), (-0_f32).to_bits().into()));
        assert!(!is_same(Some(Scalar::U32), quiet[0], quiet[1]));
        assert!(!is_same(Some(Scalar::F64), quiet[0], quiet[1]));
        assert!(!is_same(None, quiet[0], quiet[1]) && is_same(None, quiet[0], quiet[0]));
    }
}
