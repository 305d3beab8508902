//! Rust's own result of a case.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::Scalar;

use crate::case::{Answer, Case, Word};
use crate::ops::Op;

/// Returns Rust's answer; `None` if Rust has no such operation.
pub(crate) fn answer(case: &Case) -> Option<Answer> {
    match case.scalar {
        Scalar::I8 => ints::i8(case),
        Scalar::I16 => ints::i16(case),
        Scalar::I32 => ints::i32(case),
        Scalar::I64 => ints::i64(case),
        Scalar::Isize => ints::isize(case),
        Scalar::U8 => ints::u8(case),
        Scalar::U16 => ints::u16(case),
        Scalar::U32 => ints::u32(case),
        Scalar::U64 => ints::u64(case),
        Scalar::Usize => ints::usize(case),
        Scalar::F32 => floats::f32(case),
        Scalar::F64 => floats::f64(case),
        Scalar::Bool => of_bool(case),
        // The tests of the language have these.
        Scalar::I128 | Scalar::U128 => None,
    }
}

/// Computes `$a as T` for the type T of the case.
macro_rules! cast {
    ($case:ident, $a:ident, [$($scalar:ident $to:ident),*]) => {
        match $case.other {
            $(Scalar::$scalar => Answer::value($a as $to),)*
            #[allow(unreachable_patterns)]
            _ => return None,
        }
    };
    ($case:ident, $a:ident to int $(, $scalar:ident $to:ident)*) => {
        cast!($case, $a, [I8 i8, I16 i16, I32 i32, I64 i64, Isize isize, U8 u8, U16 u16, U32 u32, U64 u64, Usize usize
            $(, $scalar $to)*])
    };
}

/// Compares two values; all scalars have these operations.
fn compared<T: PartialOrd>(op: Op, a: T, b: T) -> Option<Answer> {
    Some(Answer::value(match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        _ => return None,
    }))
}

fn of_bool(case: &Case) -> Option<Answer> {
    let (a, b) = (bool::from_word(case.a), bool::from_word(case.b));
    Some(match case.op {
        Op::BitAnd => Answer::value(a & b),
        Op::BitOr => Answer::value(a | b),
        Op::BitXor => Answer::value(a ^ b),
        Op::Not => Answer::value(!a),
        Op::Cast => cast!(case, a to int, Bool bool),
        op => return compared(op, a, b),
    })
}

mod floats {
    use super::*;

    macro_rules! float {
        ($($float:ident),*) => {
            $(pub(super) fn $float(case: &Case) -> Option<Answer> {
                let (a, b) = ($float::from_word(case.a), $float::from_word(case.b));
                Some(match case.op {
                    Op::FloatAdd => Answer::value(a + b),
                    Op::FloatSub => Answer::value(a - b),
                    Op::FloatMul => Answer::value(a * b),
                    Op::FloatDiv => Answer::value(a / b),
                    Op::FloatRem => Answer::value(a % b),
                    Op::FloatNeg => Answer::value(-a),
                    Op::Cast => cast!(case, a to int, F32 f32, F64 f64),
                    op => return compared(op, a, b),
                })
            })*
        };
    }

    float!(f32, f64);
}

mod ints {
    use super::*;

    macro_rules! int {
        ($($int:ident),*) => {
            $(pub(super) fn $int(case: &Case) -> Option<Answer> {
                let (a, b) = ($int::from_word(case.a), $int::from_word(case.b));
                let bits = $int::BITS;
                Some(match case.op {
                    Op::BitAnd => Answer::value(a & b),
                    Op::BitOr => Answer::value(a | b),
                    Op::BitXor => Answer::value(a ^ b),
                    Op::Not => Answer::value(!a),
                    Op::WrappingAdd => Answer::value(a.wrapping_add(b)),
                    Op::WrappingSub => Answer::value(a.wrapping_sub(b)),
                    Op::WrappingMul => Answer::value(a.wrapping_mul(b)),
                    Op::WrappingNeg => Answer::value(a.wrapping_neg()),
                    Op::WrappingShl => Answer::value(a.wrapping_shl(amount(case) as u32)),
                    Op::WrappingShr => Answer::value(a.wrapping_shr(amount(case) as u32)),
                    Op::AddOverflows => Answer::value(a.checked_add(b).is_none()),
                    Op::SubOverflows => Answer::value(a.checked_sub(b).is_none()),
                    Op::MulOverflows => Answer::value(a.checked_mul(b).is_none()),
                    Op::NegOverflows => Answer::value(a.checked_neg().is_none()),
                    Op::ShiftTooFar => Answer::value(near(amount(case), bits).is_none()),
                    Op::DivFault => Answer::value(division_fault(b == 0, a.checked_div(b))),
                    Op::RemFault => Answer::value(division_fault(b == 0, a.checked_rem(b))),
                    // A division by 0 divides by 1 instead: Rust has no such operation, but its result must be defined.
                    Op::RawDiv => Answer::value(if b == 0 { a } else { a.wrapping_div(b) }),
                    Op::RawRem => Answer::value(if b == 0 { 0 } else { a.wrapping_rem(b) }),
                    Op::Index => Answer::value(u64::try_from(a).unwrap_or(u64::MAX)),
                    Op::Add => in_mode(case, a.checked_add(b), a.wrapping_add(b), FaultCode::Overflow),
                    Op::Sub => in_mode(case, a.checked_sub(b), a.wrapping_sub(b), FaultCode::Overflow),
                    Op::Mul => in_mode(case, a.checked_mul(b), a.wrapping_mul(b), FaultCode::Overflow),
                    Op::Neg => in_mode(case, a.checked_neg(), a.wrapping_neg(), FaultCode::Overflow),
                    Op::Div => divided(case, b == 0, a.checked_div(b)),
                    Op::Rem => divided(case, b == 0, a.checked_rem(b)),
                    Op::Shl => {
                        let checked = near(amount(case), bits).map(|s| a << s);
                        in_mode(case, checked, a.wrapping_shl(amount(case) as u32), FaultCode::ShiftTooFar)
                    }
                    Op::Shr => {
                        let checked = near(amount(case), bits).map(|s| a >> s);
                        in_mode(case, checked, a.wrapping_shr(amount(case) as u32), FaultCode::ShiftTooFar)
                    }
                    Op::Cast => cast!(case, a to int, F32 f32, F64 f64),
                    op => return compared(op, a, b),
                })
            })*
        };
    }

    int!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

    /// Returns the amount of a shift, whatever its type.
    fn amount(case: &Case) -> i128 {
        match case.other {
            Scalar::I8 => i128::from(i8::from_word(case.b)),
            Scalar::I16 => i128::from(i16::from_word(case.b)),
            Scalar::I32 => i128::from(i32::from_word(case.b)),
            Scalar::I64 | Scalar::Isize => i128::from(i64::from_word(case.b)),
            _ => i128::from(case.b),
        }
    }

    /// Returns the amount if Rust shifts by it in a debug build.
    fn near(amount: i128, bits: u32) -> Option<u32> {
        u32::try_from(amount).ok().filter(|amount| *amount < bits)
    }

    fn in_mode<T: Word>(case: &Case, checked: Option<T>, wrapped: T, code: FaultCode) -> Answer {
        match checked {
            Some(value) => Answer::value(value),
            None if case.checked => Answer::fault(code, case.op),
            None => Answer::value(wrapped),
        }
    }

    fn divided<T: Word>(case: &Case, by_zero: bool, quotient: Option<T>) -> Answer {
        match quotient {
            Some(value) => Answer::value(value),
            None if by_zero => Answer::fault(FaultCode::DivideByZero, case.op),
            None => Answer::fault(FaultCode::Overflow, case.op),
        }
    }

    fn division_fault<T>(by_zero: bool, quotient: Option<T>) -> u8 {
        match quotient {
            Some(_) => 0,
            None if by_zero => FaultCode::DivideByZero as u8,
            None => FaultCode::Overflow as u8,
        }
    }
}
