//! Rust's own result of a call; the results of the CPU's functions are checked against it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::Scalar;
use stm_runtime::__private::ops;
use stm_runtime::Abort;

use super::case::{Case, Component, Reply, When};
use crate::case::Word;

/// Returns Rust's reply; `None` if Rust has no such method, or leaves the result open.
pub(crate) fn reply(case: &Case) -> Option<Reply> {
    let (name, words) = (case.method.name, case.operands);
    match case.scalar {
        Scalar::I8 => signed::i8(name, words),
        Scalar::I16 => signed::i16(name, words),
        Scalar::I32 => signed::i32(name, words),
        Scalar::I64 => signed::i64(name, words),
        Scalar::Isize => signed::isize(name, words),
        Scalar::U8 => unsigned::u8(name, words),
        Scalar::U16 => unsigned::u16(name, words),
        Scalar::U32 => unsigned::u32(name, words),
        Scalar::U64 => unsigned::u64(name, words),
        Scalar::Usize => unsigned::usize(name, words),
        Scalar::F32 => floats::f32(name, words),
        Scalar::F64 => floats::f64(name, words),
        Scalar::Bool => of_bool(name, words),
    }
}

/// A result with its components; those of `None` are 0.
trait Components {
    fn components(self) -> [Component; 2];
}

impl<T: Word> Components for T {
    fn components(self) -> [Component; 2] {
        [Component::of(self), Component::default()]
    }
}

impl<T: Word> Components for Option<T> {
    fn components(self) -> [Component; 2] {
        [Component::of(self.is_some()), Component::of(self.unwrap_or(T::from_word(0)))]
    }
}

impl<T: Word> Components for (T, bool) {
    fn components(self) -> [Component; 2] {
        [Component::of(self.0), Component::of(self.1)]
    }
}

/// Returns the reply of a call that never panics.
fn never(value: impl Components) -> Reply {
    Reply { components: value.components(), fault: None }
}

/// Returns the reply of a call that panics exactly in checked mode where `checked` is `None`, whatever this test's build mode.
fn when_checked<T: Components>(checked: Option<T>, wrapped: T) -> Reply {
    let fault = if checked.is_none() { Some((FaultCode::Overflow, When::Checked)) } else { None };
    Reply { components: wrapped.components(), fault }
}

/// Returns the reply of a call that panics in both modes: Rust makes the call, and its message selects the fault.
fn always<T: Components>(call: impl FnOnce() -> T) -> Reply {
    match quietly(call) {
        Ok(value) => never(value),
        Err(message) => {
            let code = match message {
                text if text.contains("zero") => FaultCode::DivideByZero,
                text if text.contains("overflow") => FaultCode::Overflow,
                _ => FaultCode::BadArgument,
            };
            Reply { components: [Component::default(); 2], fault: Some((code, When::Always)) }
        }
    }
}

/// Returns the result, or the message of the panic, which is not printed.
fn quietly<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info)
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(false);
    result.map_err(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    })
}

impl Reply {
    /// Returns the same reply after it was compared with the CPU's function, checked and unchecked.
    fn on_cpu<T: Components>(self, [checked, wrapping]: [Result<T, Abort>; 2]) -> Reply {
        let is_fault = |mode: When| self.fault.filter(|(_, when)| *when == When::Always || *when == mode);
        let agrees = |result: Result<T, Abort>, fault: Option<(FaultCode, When)>| match (result, fault) {
            (Ok(value), None) => {
                value.components().iter().zip(&self.components).all(|(got, want)| got.is(*want, false))
            }
            // The fault of an abort is visible only in its text.
            (Err(abort), Some((code, _))) => format!("{abort:?}") == format!("Abort({code})"),
            _ => false,
        };
        assert!(agrees(checked, is_fault(When::Checked)), "the CPU's function in checked mode, instead of {self:x?}");
        assert!(agrees(wrapping, is_fault(When::Always)), "the CPU's function in wrapping mode, instead of {self:x?}");
        self
    }
}

/// Calls a function of `ops` in both modes.
macro_rules! cpu {
    ($name:ident($($arg:expr),*)) => {
        [ops::$name::<_, true>($($arg,)* 0), ops::$name::<_, false>($($arg,)* 0)]
    };
}

fn of_bool(name: &str, words: [u64; 3]) -> Option<Reply> {
    let [a, b, c] = words.map(bool::from_word);
    Some(match name {
        "min" => never(a.min(b)),
        "max" => never(a.max(b)),
        "clamp" => always(|| a.clamp(b, c)).on_cpu(cpu!(clamp(a, b, c))),
        _ => return None,
    })
}

mod ints {
    use super::*;

    macro_rules! int {
        ($($int:ident),*) => {
            $(pub(super) fn $int(name: &str, words: [u64; 3]) -> Option<Reply> {
                let [a, b, c] = words.map($int::from_word);
                let n = words[1] as u32;
                Some(match name {
                    "wrapping_add" => never(a.wrapping_add(b)),
                    "wrapping_sub" => never(a.wrapping_sub(b)),
                    "wrapping_mul" => never(a.wrapping_mul(b)),
                    "wrapping_neg" => never(a.wrapping_neg()),
                    "wrapping_shl" => never(a.wrapping_shl(n)),
                    "wrapping_shr" => never(a.wrapping_shr(n)),
                    "wrapping_pow" => never(a.wrapping_pow(n)),
                    "checked_add" => never(a.checked_add(b)),
                    "checked_sub" => never(a.checked_sub(b)),
                    "checked_mul" => never(a.checked_mul(b)),
                    "checked_neg" => never(a.checked_neg()),
                    "checked_div" => never(a.checked_div(b)),
                    "checked_rem" => never(a.checked_rem(b)),
                    "checked_div_euclid" => never(a.checked_div_euclid(b)),
                    "checked_rem_euclid" => never(a.checked_rem_euclid(b)),
                    "checked_shl" => never(a.checked_shl(n)),
                    "checked_shr" => never(a.checked_shr(n)),
                    "checked_pow" => never(a.checked_pow(n)),
                    "checked_ilog2" => never(a.checked_ilog2()),
                    "checked_ilog10" => never(a.checked_ilog10()),
                    "checked_ilog" => never(a.checked_ilog(b)),
                    "overflowing_add" => never(a.overflowing_add(b)),
                    "overflowing_sub" => never(a.overflowing_sub(b)),
                    "overflowing_mul" => never(a.overflowing_mul(b)),
                    "overflowing_neg" => never(a.overflowing_neg()),
                    "overflowing_shl" => never(a.overflowing_shl(n)),
                    "overflowing_shr" => never(a.overflowing_shr(n)),
                    "overflowing_pow" => never(a.overflowing_pow(n)),
                    "saturating_add" => never(a.saturating_add(b)),
                    "saturating_sub" => never(a.saturating_sub(b)),
                    "saturating_mul" => never(a.saturating_mul(b)),
                    "saturating_pow" => never(a.saturating_pow(n)),
                    "unbounded_shl" => never(a.unbounded_shl(n)),
                    "unbounded_shr" => never(a.unbounded_shr(n)),
                    "rotate_left" => never(a.rotate_left(n)),
                    "rotate_right" => never(a.rotate_right(n)),
                    "swap_bytes" => never(a.swap_bytes()),
                    "reverse_bits" => never(a.reverse_bits()),
                    "count_ones" => never(a.count_ones()),
                    "count_zeros" => never(a.count_zeros()),
                    "leading_zeros" => never(a.leading_zeros()),
                    "leading_ones" => never(a.leading_ones()),
                    "trailing_zeros" => never(a.trailing_zeros()),
                    "trailing_ones" => never(a.trailing_ones()),
                    "abs_diff" => never(a.abs_diff(b)),
                    "min" => never(a.min(b)),
                    "max" => never(a.max(b)),
                    "midpoint" => never(a.midpoint(b)),
                    "pow" => when_checked(a.checked_pow(n), a.wrapping_pow(n)).on_cpu(cpu!(pow(a, n))),
                    "div_euclid" => always(|| a.div_euclid(b)).on_cpu(cpu!(div_euclid(a, b))),
                    "rem_euclid" => always(|| a.rem_euclid(b)).on_cpu(cpu!(rem_euclid(a, b))),
                    "saturating_div" => always(|| a.saturating_div(b)).on_cpu(cpu!(saturating_div(a, b))),
                    "wrapping_div" => always(|| a.wrapping_div(b)).on_cpu(cpu!(wrapping_div(a, b))),
                    "wrapping_rem" => always(|| a.wrapping_rem(b)).on_cpu(cpu!(wrapping_rem(a, b))),
                    "wrapping_div_euclid" => {
                        always(|| a.wrapping_div_euclid(b)).on_cpu(cpu!(wrapping_div_euclid(a, b)))
                    }
                    "wrapping_rem_euclid" => {
                        always(|| a.wrapping_rem_euclid(b)).on_cpu(cpu!(wrapping_rem_euclid(a, b)))
                    }
                    "isqrt" => always(|| a.isqrt()).on_cpu(cpu!(isqrt(a))),
                    "ilog2" => always(|| a.ilog2()).on_cpu(cpu!(ilog2(a))),
                    "ilog10" => always(|| a.ilog10()).on_cpu(cpu!(ilog10(a))),
                    "ilog" => always(|| a.ilog(b)).on_cpu(cpu!(ilog(a, b))),
                    "clamp" => always(|| a.clamp(b, c)).on_cpu(cpu!(clamp(a, b, c))),
                    _ => return None,
                })
            })*
        };
    }

    int!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
}

mod signed {
    use super::*;

    macro_rules! signed {
        ($($int:ident as $unsigned:ident),*) => {
            $(pub(super) fn $int(name: &str, words: [u64; 3]) -> Option<Reply> {
                let (a, b) = ($int::from_word(words[0]), $unsigned::from_word(words[1]));
                Some(match name {
                    "wrapping_abs" => never(a.wrapping_abs()),
                    "checked_abs" => never(a.checked_abs()),
                    "overflowing_abs" => never(a.overflowing_abs()),
                    "saturating_abs" => never(a.saturating_abs()),
                    "saturating_neg" => never(a.saturating_neg()),
                    "unsigned_abs" => never(a.unsigned_abs()),
                    "cast_unsigned" => never(a.cast_unsigned()),
                    "signum" => never(a.signum()),
                    "is_positive" => never(a.is_positive()),
                    "is_negative" => never(a.is_negative()),
                    "checked_isqrt" => never(a.checked_isqrt()),
                    "wrapping_add_unsigned" => never(a.wrapping_add_unsigned(b)),
                    "wrapping_sub_unsigned" => never(a.wrapping_sub_unsigned(b)),
                    "saturating_add_unsigned" => never(a.saturating_add_unsigned(b)),
                    "saturating_sub_unsigned" => never(a.saturating_sub_unsigned(b)),
                    "checked_add_unsigned" => never(a.checked_add_unsigned(b)),
                    "checked_sub_unsigned" => never(a.checked_sub_unsigned(b)),
                    "overflowing_add_unsigned" => never(a.overflowing_add_unsigned(b)),
                    "overflowing_sub_unsigned" => never(a.overflowing_sub_unsigned(b)),
                    "abs" => when_checked(a.checked_abs(), a.wrapping_abs()).on_cpu(cpu!(abs(a))),
                    _ => return super::ints::$int(name, words),
                })
            })*
        };
    }

    signed!(i8 as u8, i16 as u16, i32 as u32, i64 as u64, isize as usize);
}

mod unsigned {
    use super::*;

    macro_rules! unsigned {
        ($($int:ident as $signed:ident),*) => {
            $(pub(super) fn $int(name: &str, words: [u64; 3]) -> Option<Reply> {
                let (a, b, s) = ($int::from_word(words[0]), $int::from_word(words[1]), $signed::from_word(words[1]));
                Some(match name {
                    "cast_signed" => never(a.cast_signed()),
                    "is_power_of_two" => never(a.is_power_of_two()),
                    "wrapping_add_signed" => never(a.wrapping_add_signed(s)),
                    "saturating_add_signed" => never(a.saturating_add_signed(s)),
                    "checked_add_signed" => never(a.checked_add_signed(s)),
                    "overflowing_add_signed" => never(a.overflowing_add_signed(s)),
                    "checked_next_power_of_two" => never(a.checked_next_power_of_two()),
                    "checked_next_multiple_of" => never(a.checked_next_multiple_of(b)),
                    "next_power_of_two" => {
                        let power = a.checked_next_power_of_two();
                        when_checked(power, power.unwrap_or(0)).on_cpu(cpu!(next_power_of_two(a)))
                    }
                    "div_ceil" => always(|| a.div_ceil(b)).on_cpu(cpu!(div_ceil(a, b))),
                    "next_multiple_of" if b == 0 => {
                        always(|| a.next_multiple_of(b)).on_cpu(cpu!(next_multiple_of(a, b)))
                    }
                    "next_multiple_of" => {
                        // The quotient is rounded up, so that the product wraps to this value.
                        let wrapped = a.div_ceil(b).wrapping_mul(b);
                        when_checked(a.checked_next_multiple_of(b), wrapped).on_cpu(cpu!(next_multiple_of(a, b)))
                    }
                    _ => return super::ints::$int(name, words),
                })
            })*
        };
    }

    unsigned!(u8 as i8, u16 as i16, u32 as i32, u64 as i64, usize as isize);
}

mod floats {
    use super::*;

    macro_rules! float {
        ($($float:ident),*) => {
            $(pub(super) fn $float(name: &str, words: [u64; 3]) -> Option<Reply> {
                let [a, b, c] = words.map($float::from_word);
                Some(match name {
                    // Rust leaves open which of two zeros is the result.
                    "min" | "max" if a == 0.0 && b == 0.0 && words[0] != words[1] => return None,
                    "min" => never(a.min(b)),
                    "max" => never(a.max(b)),
                    "clamp" => always(|| a.clamp(b, c)).on_cpu(cpu!(clamp(a, b, c))),
                    "abs" => never(a.abs()).on_cpu(cpu!(abs(a))),
                    "signum" => never(a.signum()),
                    "copysign" => never(a.copysign(b)),
                    "recip" => never(a.recip()),
                    "sqrt" => never(a.sqrt()),
                    "mul_add" => never(a.mul_add(b, c)),
                    "next_up" => never(a.next_up()),
                    "next_down" => never(a.next_down()),
                    "floor" => never(a.floor()),
                    "ceil" => never(a.ceil()),
                    "round" => never(a.round()),
                    "round_ties_even" => never(a.round_ties_even()),
                    "trunc" => never(a.trunc()),
                    "fract" => never(a.fract()),
                    "midpoint" => never(a.midpoint(b)),
                    "div_euclid" => never(a.div_euclid(b)).on_cpu(cpu!(div_euclid(a, b))),
                    "rem_euclid" => never(a.rem_euclid(b)).on_cpu(cpu!(rem_euclid(a, b))),
                    "is_nan" => never(a.is_nan()),
                    "is_infinite" => never(a.is_infinite()),
                    "is_finite" => never(a.is_finite()),
                    "is_normal" => never(a.is_normal()),
                    "is_subnormal" => never(a.is_subnormal()),
                    "is_sign_positive" => never(a.is_sign_positive()),
                    "is_sign_negative" => never(a.is_sign_negative()),
                    "to_bits" => never(a.to_bits()),
                    "from_bits" => never(a),
                    _ => return None,
                })
            })*
        };
    }

    float!(f32, f64);
}
