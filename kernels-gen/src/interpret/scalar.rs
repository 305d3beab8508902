//! Operators on scalars, computed by Rust's own arithmetic on wider integers.

use std::cmp::Ordering;

use crate::fault::FaultCode;
use crate::ir::{Arith, Logic, UnaryOp};
use crate::spec::Scalar;

/// Returns the mask of a scalar's bits.
pub(super) fn mask(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => 1,
        other => u64::MAX >> (64 - 8 * other.size()),
    }
}

/// Returns the integer with these bits.
pub(super) fn int(scalar: Scalar, word: u64) -> i128 {
    match scalar.is_signed() {
        true => {
            let unused = 64 - 8 * scalar.size() as u32;
            i128::from((word << unused).cast_signed() >> unused)
        }
        false => i128::from(word),
    }
}

/// Returns the low bits of an integer.
pub(super) fn wrap(scalar: Scalar, value: i128) -> u64 {
    value as u64 & mask(scalar)
}

/// Returns the bits of an integer, and whether it is outside of the type's range.
fn fit(scalar: Scalar, value: i128) -> (u64, bool) {
    let word = wrap(scalar, value);
    (word, int(scalar, word) != value)
}

pub(super) fn f32_of(word: u64) -> f32 {
    f32::from_bits(word as u32)
}

pub(super) fn f64_of(word: u64) -> f64 {
    f64::from_bits(word)
}

pub(super) fn f32_word(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Compares two values of a type.
pub(super) fn ordering(scalar: Scalar, a: u64, b: u64) -> Option<Ordering> {
    match scalar {
        Scalar::F32 => f32_of(a).partial_cmp(&f32_of(b)),
        Scalar::F64 => f64_of(a).partial_cmp(&f64_of(b)),
        _ => Some(int(scalar, a).cmp(&int(scalar, b))),
    }
}

/// Computes `a op b` of one type; the shift amount has a type of its own.
pub(super) fn arith(
    op: Arith,
    scalar: Scalar,
    a: u64,
    (amount, b): (Scalar, u64),
    checked: bool,
) -> Result<u64, FaultCode> {
    match scalar {
        Scalar::F32 => Ok(f32_word(float(op, f32_of(a), f32_of(b)))),
        Scalar::F64 => Ok(float(op, f64_of(a), f64_of(b)).to_bits()),
        _ if op.is_shift() => shift(op, scalar, int(scalar, a), int(amount, b), checked),
        _ => integer(op, scalar, int(scalar, a), int(scalar, b), checked),
    }
}

fn float<T>(op: Arith, a: T, b: T) -> T
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>
        + std::ops::Rem<Output = T>,
{
    match op {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        Arith::Mul => a * b,
        Arith::Div => a / b,
        // Shifts of floats were rejected.
        Arith::Rem | Arith::Shl | Arith::Shr => a % b,
    }
}

fn integer(op: Arith, scalar: Scalar, a: i128, b: i128, checked: bool) -> Result<u64, FaultCode> {
    let exact = match op {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        // The product of two 64-bit values can need 128 bits without a sign.
        Arith::Mul => match a.checked_mul(b) {
            Some(product) => product,
            None if checked => return Err(FaultCode::Overflow),
            None => a.wrapping_mul(b),
        },
        _ if b == 0 => return Err(FaultCode::DivideByZero),
        Arith::Div if fit(scalar, a / b).1 => return Err(FaultCode::Overflow),
        Arith::Rem if fit(scalar, a / b).1 => return Err(FaultCode::Overflow),
        Arith::Div => a / b,
        Arith::Rem | Arith::Shl | Arith::Shr => a % b,
    };
    in_range(fit(scalar, exact), checked)
}

fn in_range((word, left): (u64, bool), checked: bool) -> Result<u64, FaultCode> {
    if left && checked { Err(FaultCode::Overflow) } else { Ok(word) }
}

fn shift(op: Arith, scalar: Scalar, a: i128, amount: i128, checked: bool) -> Result<u64, FaultCode> {
    let bits = 8 * scalar.size() as i128;
    if checked && !(0..bits).contains(&amount) {
        return Err(FaultCode::ShiftTooFar);
    }
    let amount = amount.rem_euclid(bits) as u32;
    let value = if op == Arith::Shl { a << amount } else { a >> amount };
    Ok(wrap(scalar, value))
}

pub(super) fn logic(op: Logic, a: u64, b: u64) -> u64 {
    match op {
        Logic::And => a & b,
        Logic::Or => a | b,
        Logic::Xor => a ^ b,
    }
}

pub(super) fn unary(op: UnaryOp, scalar: Scalar, a: u64, checked: bool) -> Result<u64, FaultCode> {
    match (op, scalar) {
        (UnaryOp::Not, _) => Ok(!a & mask(scalar)),
        (UnaryOp::Neg, Scalar::F32) => Ok(f32_word(-f32_of(a))),
        (UnaryOp::Neg, Scalar::F64) => Ok((-f64_of(a)).to_bits()),
        (UnaryOp::Neg, _) => in_range(fit(scalar, -int(scalar, a)), checked),
    }
}

/// Computes `a as to`.
pub(super) fn cast(from: Scalar, to: Scalar, a: u64) -> u64 {
    match (from, to) {
        (Scalar::F32, Scalar::F32) => a,
        (Scalar::F32, _) => cast_f64(f64::from(f32_of(a)), to),
        (Scalar::F64, Scalar::F64) => a,
        (Scalar::F64, _) => cast_f64(f64_of(a), to),
        (_, Scalar::F32) => f32_word(int(from, a) as f32),
        (_, Scalar::F64) => (int(from, a) as f64).to_bits(),
        _ => wrap(to, int(from, a)),
    }
}

/// Casts a float to the nearest value of an integer type; NaN becomes 0.
fn cast_f64(value: f64, to: Scalar) -> u64 {
    match to {
        Scalar::F32 => f32_word(value as f32),
        Scalar::F64 => value.to_bits(),
        _ => {
            let bits = 8 * to.size() as u32;
            let (least, most) = match to.is_signed() {
                true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
                false => (0, (1_i128 << bits) - 1),
            };
            wrap(to, (value as i128).clamp(least, most))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_rusts() {
        let op = |op, scalar, a: i128, b: i128, checked| {
            let b = (scalar, wrap(scalar, b));
            arith(op, scalar, wrap(scalar, a), b, checked).map(|word| int(scalar, word))
        };
        assert_eq!(op(Arith::Add, Scalar::I8, 127, 1, true), Err(FaultCode::Overflow));
        assert_eq!(op(Arith::Add, Scalar::I8, 127, 1, false), Ok(-128));
        let most = i128::from(u64::MAX);
        assert_eq!(op(Arith::Mul, Scalar::U64, most, most, false), Ok(1));
        assert_eq!(op(Arith::Mul, Scalar::U64, most, most, true), Err(FaultCode::Overflow));
        assert_eq!(op(Arith::Rem, Scalar::I64, i128::from(i64::MIN), -1, false), Err(FaultCode::Overflow));
        assert_eq!(op(Arith::Div, Scalar::I64, 3, 0, false), Err(FaultCode::DivideByZero));
        assert_eq!(op(Arith::Shl, Scalar::I16, 1, -1, false), Ok(-32768));
        assert_eq!(op(Arith::Shr, Scalar::I16, -8, 16, true), Err(FaultCode::ShiftTooFar));
    }

    #[test]
    fn casts_are_rusts() {
        assert_eq!(cast(Scalar::F64, Scalar::I8, (-1e9_f64).to_bits()), 0x80);
        assert_eq!(cast(Scalar::F32, Scalar::U64, f32_word(f32::INFINITY)), u64::MAX);
        assert_eq!(cast(Scalar::F64, Scalar::U32, f64::NAN.to_bits()), 0);
        assert_eq!(cast(Scalar::I8, Scalar::U32, 0xff), 0xffff_ffff);
        assert_eq!(cast(Scalar::U64, Scalar::F32, u64::MAX), f32_word(u64::MAX as f32));
    }
}
