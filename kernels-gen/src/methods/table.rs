//! The tables.

use super::{Faults, Method, MethodResult, Operand, Receiver};
use crate::spec::Scalar;

use Operand::{Same, Signed, Unsigned};

const U32: Operand = Operand::Is(Scalar::U32);
const BOOL: Operand = Operand::Is(Scalar::Bool);

/// Builds a table. A row is `receiver(arguments) -> result, faults: names`.
macro_rules! methods {
    ($($on:ident $args:tt -> $outcome:ident $components:tt, $faults:ident: $($name:ident)+;)*) => {
        &[$($(Method {
            name: stringify!($name),
            on: Receiver::$on,
            args: operands!($args),
            result: MethodResult::$outcome $components,
            faults: Faults::$faults,
        },)+)*]
    };
}

macro_rules! operands {
    (($($arg:ident),*)) => { &[$($arg),*] };
}

/// Every method.
#[rustfmt::skip]
pub const METHODS: &[Method] = methods! {
    Int() -> One(Same), Never: wrapping_neg swap_bytes reverse_bits;
    Int(Same) -> One(Same), Never: wrapping_add wrapping_sub wrapping_mul saturating_add saturating_sub saturating_mul;
    Int(Same) -> One(Same), Never: min max midpoint;
    Int(U32) -> One(Same), Never: wrapping_shl wrapping_shr unbounded_shl unbounded_shr rotate_left rotate_right;
    Int(U32) -> One(Same), Never: wrapping_pow saturating_pow;
    Int() -> One(U32), Never: count_ones count_zeros leading_zeros leading_ones trailing_zeros trailing_ones;
    Int(Same) -> One(Unsigned), Never: abs_diff;
    Int() -> Option(Same), Never: checked_neg;
    Int(Same) -> Option(Same), Never: checked_add checked_sub checked_mul checked_div checked_rem;
    Int(Same) -> Option(Same), Never: checked_div_euclid checked_rem_euclid;
    Int(U32) -> Option(Same), Never: checked_shl checked_shr checked_pow;
    Int() -> Option(U32), Never: checked_ilog2 checked_ilog10;
    Int(Same) -> Option(U32), Never: checked_ilog;
    Int() -> Pair(Same, BOOL), Never: overflowing_neg;
    Int(Same) -> Pair(Same, BOOL), Never: overflowing_add overflowing_sub overflowing_mul;
    Int(U32) -> Pair(Same, BOOL), Never: overflowing_shl overflowing_shr overflowing_pow;
    Int(U32) -> One(Same), WhenChecked: pow;
    Int(Same) -> One(Same), Always: div_euclid rem_euclid saturating_div;
    Int(Same) -> One(Same), Always: wrapping_div wrapping_rem wrapping_div_euclid wrapping_rem_euclid;
    Int() -> One(U32), Always: ilog2 ilog10;
    Int(Same) -> One(U32), Always: ilog;
    Int(Same, Same) -> One(Same), Always: clamp;

    Signed() -> One(Same), Never: wrapping_abs saturating_abs saturating_neg signum;
    Signed() -> One(BOOL), Never: is_positive is_negative;
    Signed() -> One(Unsigned), Never: unsigned_abs cast_unsigned;
    Signed() -> Option(Same), Never: checked_abs checked_isqrt;
    Signed() -> Pair(Same, BOOL), Never: overflowing_abs;
    Signed(Unsigned) -> One(Same), Never: wrapping_add_unsigned wrapping_sub_unsigned;
    Signed(Unsigned) -> One(Same), Never: saturating_add_unsigned saturating_sub_unsigned;
    Signed(Unsigned) -> Option(Same), Never: checked_add_unsigned checked_sub_unsigned;
    Signed(Unsigned) -> Pair(Same, BOOL), Never: overflowing_add_unsigned overflowing_sub_unsigned;
    Signed() -> One(Same), WhenChecked: abs;
    Signed() -> One(Same), Always: isqrt;

    Unsigned() -> One(Same), Never: isqrt;
    Unsigned() -> One(Signed), Never: cast_signed;
    Unsigned() -> One(BOOL), Never: is_power_of_two;
    Unsigned(Signed) -> One(Same), Never: wrapping_add_signed saturating_add_signed;
    Unsigned(Signed) -> Option(Same), Never: checked_add_signed;
    Unsigned(Signed) -> Pair(Same, BOOL), Never: overflowing_add_signed;
    Unsigned() -> Option(Same), Never: checked_next_power_of_two;
    Unsigned(Same) -> Option(Same), Never: checked_next_multiple_of;
    Unsigned() -> One(Same), WhenChecked: next_power_of_two;
    Unsigned(Same) -> One(Same), Always: div_ceil;
    Unsigned(Same) -> One(Same), Both: next_multiple_of;

    Float() -> One(Same), Never: abs signum recip sqrt next_up next_down;
    Float() -> One(Same), Never: floor ceil round round_ties_even trunc fract;
    Float(Same) -> One(Same), Never: min max midpoint copysign div_euclid rem_euclid;
    Float(Same, Same) -> One(Same), Never: mul_add;
    Float() -> One(BOOL), Never: is_nan is_infinite is_finite is_normal is_subnormal is_sign_positive is_sign_negative;
    Float() -> One(Unsigned), Never: to_bits;
    Float(Same, Same) -> One(Same), Always: clamp;

    Bool(Same) -> One(Same), Never: min max;
    Bool(Same, Same) -> One(Same), Always: clamp;
};

/// Every function without a receiver that is called by its path, as `f32::from_bits(word)`.
pub const ASSOCIATED: &[Method] = methods! {
    Float(Unsigned) -> One(Same), Never: from_bits;
};

/// Methods of integers that give an array of bytes. They are made of others.
pub const BYTES: &[&str] = &["to_le_bytes", "to_be_bytes", "to_ne_bytes"];

/// Methods of floats whose result Rust does not specify to the last bit: a device and a CPU could give different ones.
#[rustfmt::skip]
pub const INEXACT: &[&str] = &[
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10",
    "powi", "powf", "cbrt", "hypot", "to_degrees", "to_radians",
];
