//! Rust's own result of a call; the results of the CPU's functions are checked against it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use kernels_gen::fault::FaultCode;
use kernels_gen::methods::Faults;
use kernels_gen::spec::Scalar;
use stm_interpreter as interpret;
use stm_runtime::__private::ops;
use stm_runtime::Abort;

use super::case::{Case, Component, Reply, When};
use crate::case::Word;

/// Returns Rust's reply; `None` if Rust has no such method, or leaves the result open. The interpreter calls Rust's method, too; where that
/// panics, it is called here, and the CPU's function after it.
pub(crate) fn reply(case: &Case) -> Option<Reply> {
    let Case { method, scalar, operands: words, .. } = *case;
    if let (true, "min" | "max", [a, b, _]) = (scalar.is_float(), method.name, words) {
        // Rust leaves open which of two zeros is the result.
        let is_zero = |word: u64| word << (64 - 8 * scalar.size()) << 1 == 0;
        if a != b && is_zero(a) && is_zero(b) {
            return None;
        }
    }
    if method.faults == Faults::Never {
        let results = interpret::method(method.name, scalar, words, false)?.ok()?;
        let parts = method.parts(scalar).into_iter().zip(results);
        let mut found = parts.map(|((_, ty), word)| Component::of_word(ty, word));
        let reply = Reply { components: [(); 2].map(|()| found.next().unwrap_or_default()), fault: None };
        return Some(match scalar {
            Scalar::F32 => floats::f32(method.name, words, reply),
            Scalar::F64 => floats::f64(method.name, words, reply),
            _ => reply,
        });
    }
    match scalar {
        Scalar::I8 => signed::i8(method.name, words),
        Scalar::I16 => signed::i16(method.name, words),
        Scalar::I32 => signed::i32(method.name, words),
        Scalar::I64 => signed::i64(method.name, words),
        Scalar::Isize => signed::isize(method.name, words),
        Scalar::U8 => unsigned::u8(method.name, words),
        Scalar::U16 => unsigned::u16(method.name, words),
        Scalar::U32 => unsigned::u32(method.name, words),
        Scalar::U64 => unsigned::u64(method.name, words),
        Scalar::Usize => unsigned::usize(method.name, words),
        Scalar::F32 | Scalar::F64 | Scalar::Bool => clamped(scalar, words).filter(|_| method.name == "clamp"),
        // The tests of the language have these.
        Scalar::I128 | Scalar::U128 => None,
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

/// Finds a method by its name: one of `$a` that panics in both modes, or one of the arms.
macro_rules! always {
    ($name:ident of $a:ident: $($method:ident($($arg:ident),*))*; $($arms:tt)*) => {
        match $name {
            $(stringify!($method) => always(|| $a.$method($($arg),*)).on_cpu(cpu!($method($a $(, $arg)*))),)*
            $($arms)*
        }
    };
}

/// Returns the reply of `clamp` of a type that is no integer.
fn clamped(scalar: Scalar, words: [u64; 3]) -> Option<Reply> {
    macro_rules! clamp {
        ($type:ty) => {{
            let [a, b, c] = words.map(<$type>::from_word);
            Some(always(|| a.clamp(b, c)).on_cpu(cpu!(clamp(a, b, c))))
        }};
    }
    match scalar {
        Scalar::F32 => clamp!(f32),
        Scalar::F64 => clamp!(f64),
        Scalar::Bool => clamp!(bool),
        _ => None,
    }
}

mod ints {
    use super::*;

    macro_rules! int {
        ($($int:ident),*) => {
            $(pub(super) fn $int(name: &str, words: [u64; 3]) -> Option<Reply> {
                let [a, b, c] = words.map($int::from_word);
                let n = words[1] as u32;
                Some(always! {
                    name of a:
                    div_euclid(b) rem_euclid(b) saturating_div(b) wrapping_div(b) wrapping_rem(b)
                    wrapping_div_euclid(b) wrapping_rem_euclid(b) isqrt() ilog2() ilog10() ilog(b) clamp(b, c);
                    "pow" => when_checked(a.checked_pow(n), a.wrapping_pow(n)).on_cpu(cpu!(pow(a, n))),
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
        ($($int:ident),*) => {
            $(pub(super) fn $int(name: &str, words: [u64; 3]) -> Option<Reply> {
                let a = $int::from_word(words[0]);
                Some(match name {
                    "abs" => when_checked(a.checked_abs(), a.wrapping_abs()).on_cpu(cpu!(abs(a))),
                    _ => return super::ints::$int(name, words),
                })
            })*
        };
    }

    signed!(i8, i16, i32, i64, isize);
}

mod unsigned {
    use super::*;

    macro_rules! unsigned {
        ($($int:ident),*) => {
            $(pub(super) fn $int(name: &str, words: [u64; 3]) -> Option<Reply> {
                let (a, b) = ($int::from_word(words[0]), $int::from_word(words[1]));
                Some(match name {
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

    unsigned!(u8, u16, u32, u64, usize);
}

mod floats {
    use super::*;

    macro_rules! float {
        ($($float:ident),*) => {
            $(pub(super) fn $float(name: &str, words: [u64; 3], reply: Reply) -> Reply {
                let [a, b, _] = words.map($float::from_word);
                match name {
                    "abs" => reply.on_cpu(cpu!(abs(a))),
                    "div_euclid" => reply.on_cpu(cpu!(div_euclid(a, b))),
                    "rem_euclid" => reply.on_cpu(cpu!(rem_euclid(a, b))),
                    _ => reply,
                }
            })*
        };
    }

    float!(f32, f64);
}
