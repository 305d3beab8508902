//! Methods of integers.

use super::{Bits, Reply, give, or};
use kernels_gen::fault::FaultCode::{BadArgument, DivideByZero, Overflow};
use kernels_gen::spec::Scalar;

/// Calls a method: one of any integer first, then one of only signed or only unsigned integers.
pub(super) fn call(name: &str, scalar: Scalar, words: [Bits; 3], checked: bool) -> Reply {
    match scalar {
        Scalar::I8 => any::i8(name, words, checked).or_else(|| signed::i8(name, words, checked)),
        Scalar::I16 => any::i16(name, words, checked).or_else(|| signed::i16(name, words, checked)),
        Scalar::I32 => any::i32(name, words, checked).or_else(|| signed::i32(name, words, checked)),
        Scalar::I64 => any::i64(name, words, checked).or_else(|| signed::i64(name, words, checked)),
        Scalar::Isize => any::isize(name, words, checked).or_else(|| signed::isize(name, words, checked)),
        Scalar::U8 => any::u8(name, words, checked).or_else(|| unsigned::u8(name, words, checked)),
        Scalar::U16 => any::u16(name, words, checked).or_else(|| unsigned::u16(name, words, checked)),
        Scalar::U32 => any::u32(name, words, checked).or_else(|| unsigned::u32(name, words, checked)),
        Scalar::U64 => any::u64(name, words, checked).or_else(|| unsigned::u64(name, words, checked)),
        Scalar::Usize => any::usize(name, words, checked).or_else(|| unsigned::usize(name, words, checked)),
        Scalar::I128 => any::i128(name, words, checked).or_else(|| signed::i128(name, words, checked)),
        Scalar::U128 => any::u128(name, words, checked).or_else(|| unsigned::u128(name, words, checked)),
        Scalar::F32 | Scalar::F64 | Scalar::Bool => None,
    }
}

mod any {
    use super::*;

    macro_rules! any {
        ($($int:ident)*) => {$(
            pub(super) fn $int(name: &str, words: [Bits; 3], checked: bool) -> Reply {
                let [a, b, c] = words.map(|word| word as $int);
                let n = words[1] as u32;
                let divides = |result: Option<$int>| or(result, if b == 0 { DivideByZero } else { Overflow });
                let divisor = |result: fn($int, $int) -> $int| or((b != 0).then(|| result(a, b)), DivideByZero);
                Some(method! {
                    name of a:
                    wrapping_neg() swap_bytes() reverse_bits() wrapping_add(b) wrapping_sub(b) wrapping_mul(b)
                    saturating_add(b) saturating_sub(b) saturating_mul(b) min(b) max(b) midpoint(b) wrapping_shl(n)
                    wrapping_shr(n) unbounded_shl(n) unbounded_shr(n) rotate_left(n) rotate_right(n) wrapping_pow(n)
                    saturating_pow(n) count_ones() count_zeros() leading_zeros() leading_ones() trailing_zeros()
                    trailing_ones() abs_diff(b) checked_neg() checked_add(b) checked_sub(b) checked_mul(b)
                    checked_div(b) checked_rem(b) checked_div_euclid(b) checked_rem_euclid(b) checked_shl(n)
                    checked_shr(n) checked_pow(n) checked_ilog2() checked_ilog10() checked_ilog(b) overflowing_neg()
                    overflowing_add(b) overflowing_sub(b) overflowing_mul(b) overflowing_shl(n) overflowing_shr(n)
                    overflowing_pow(n);
                    "pow" if checked => or(a.checked_pow(n), Overflow),
                    "pow" => give(a.wrapping_pow(n)),
                    "div_euclid" => divides(a.checked_div_euclid(b)),
                    "rem_euclid" => divides(a.checked_rem_euclid(b)),
                    "saturating_div" => divisor($int::saturating_div),
                    "wrapping_div" => divisor($int::wrapping_div),
                    "wrapping_rem" => divisor($int::wrapping_rem),
                    "wrapping_div_euclid" => divisor($int::wrapping_div_euclid),
                    "wrapping_rem_euclid" => divisor($int::wrapping_rem_euclid),
                    "ilog2" => or(a.checked_ilog2(), BadArgument),
                    "ilog10" => or(a.checked_ilog10(), BadArgument),
                    "ilog" => or(a.checked_ilog(b), BadArgument),
                    "clamp" => or((b <= c).then(|| a.clamp(b, c)), BadArgument),
                    _ => return None,
                })
            }
        )*};
    }

    any!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
}

mod signed {
    use super::*;

    macro_rules! signed {
        ($($int:ident as $unsigned:ident;)*) => {$(
            pub(super) fn $int(name: &str, words: [Bits; 3], checked: bool) -> Reply {
                let (a, b) = (words[0] as $int, words[1] as $unsigned);
                Some(method! {
                    name of a:
                    wrapping_abs() saturating_abs() saturating_neg() signum() is_positive() is_negative()
                    unsigned_abs() cast_unsigned() checked_abs() checked_isqrt() overflowing_abs()
                    wrapping_add_unsigned(b) wrapping_sub_unsigned(b) saturating_add_unsigned(b)
                    saturating_sub_unsigned(b) checked_add_unsigned(b) checked_sub_unsigned(b)
                    overflowing_add_unsigned(b) overflowing_sub_unsigned(b);
                    "abs" if checked => or(a.checked_abs(), Overflow),
                    "abs" => give(a.wrapping_abs()),
                    "isqrt" => or(a.checked_isqrt(), BadArgument),
                    _ => return None,
                })
            }
        )*};
    }

    signed!(i8 as u8; i16 as u16; i32 as u32; i64 as u64; i128 as u128; isize as usize;);
}

mod unsigned {
    use super::*;

    macro_rules! unsigned {
        ($($int:ident as $signed:ident;)*) => {$(
            pub(super) fn $int(name: &str, words: [Bits; 3], checked: bool) -> Reply {
                let (a, b, s) = (words[0] as $int, words[1] as $int, words[1] as $signed);
                Some(method! {
                    name of a:
                    isqrt() cast_signed() is_power_of_two() wrapping_add_signed(s) saturating_add_signed(s)
                    checked_add_signed(s) overflowing_add_signed(s) checked_next_power_of_two()
                    checked_next_multiple_of(b);
                    "next_power_of_two" if checked => or(a.checked_next_power_of_two(), Overflow),
                    "next_power_of_two" => give(a.checked_next_power_of_two().unwrap_or(0)),
                    "div_ceil" => or((b != 0).then(|| a.div_ceil(b)), DivideByZero),
                    "next_multiple_of" if b == 0 => Err(DivideByZero),
                    "next_multiple_of" if checked => or(a.checked_next_multiple_of(b), Overflow),
                    // The quotient is rounded up, so that the product wraps as in Rust.
                    "next_multiple_of" => give(a.div_ceil(b).wrapping_mul(b)),
                    _ => return None,
                })
            }
        )*};
    }

    unsigned!(u8 as i8; u16 as i16; u32 as i32; u64 as i64; u128 as i128; usize as isize;);
}
