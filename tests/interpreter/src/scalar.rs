//! Operators on scalars, computed by Rust's own arithmetic on integers of 128 bits.

use std::cmp::Ordering;

use kernels_gen::fault::FaultCode;
use kernels_gen::ir::{Arith, Logic, UnaryOp};
use kernels_gen::spec::Scalar;

/// The bits of a scalar, zero-extended.
pub(super) type Bits = u128;

/// Returns the mask of a scalar's bits.
pub(super) fn mask(scalar: Scalar) -> Bits {
    match scalar {
        Scalar::Bool => 1,
        other => Bits::MAX >> (128 - 8 * other.size()),
    }
}

/// Returns the integer with these bits; of a `u128`, the integer of as many bits with a sign.
pub(super) fn int(scalar: Scalar, word: Bits) -> i128 {
    match scalar.is_signed() {
        true => {
            let unused = 128 - 8 * scalar.size() as u32;
            (word << unused).cast_signed() >> unused
        }
        false => word.cast_signed(),
    }
}

/// Returns the low bits of an integer.
pub(super) fn wrap(scalar: Scalar, value: i128) -> Bits {
    value.cast_unsigned() & mask(scalar)
}

/// Returns the bits of an integer, and whether it is outside of the type's range.
fn fit(scalar: Scalar, value: i128) -> (Bits, bool) {
    let word = wrap(scalar, value);
    (word, int(scalar, word) != value)
}

pub(super) fn f32_of(word: Bits) -> f32 {
    f32::from_bits(word as u32)
}

pub(super) fn f64_of(word: Bits) -> f64 {
    f64::from_bits(word as u64)
}

pub(super) fn f32_word(value: f32) -> Bits {
    value.to_bits().into()
}

pub(super) fn f64_word(value: f64) -> Bits {
    value.to_bits().into()
}

/// Compares two values of a type.
pub(super) fn ordering(scalar: Scalar, a: Bits, b: Bits) -> Option<Ordering> {
    match scalar {
        Scalar::F32 => f32_of(a).partial_cmp(&f32_of(b)),
        Scalar::F64 => f64_of(a).partial_cmp(&f64_of(b)),
        _ if scalar.is_signed() => Some(int(scalar, a).cmp(&int(scalar, b))),
        _ => Some(a.cmp(&b)),
    }
}

/// Computes `a op b` of one type; a shift amount can have another type.
pub(super) fn arith(op: Arith, scalar: Scalar, a: Bits, b: Bits, checked: bool) -> Result<Bits, FaultCode> {
    match scalar {
        Scalar::F32 => Ok(f32_word(float(op, f32_of(a), f32_of(b)))),
        Scalar::F64 => Ok(f64_word(float(op, f64_of(a), f64_of(b)))),
        _ if op.is_shift() => shift(op, scalar, int(scalar, a), b, checked),
        Scalar::U128 => {
            let wrapped = [a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b)];
            let exact = [a.checked_add(b), a.checked_sub(b), a.checked_mul(b)];
            let divided = [a.checked_div(b), a.checked_rem(b)];
            wide(op, b == 0, wrapped, exact, divided, checked)
        }
        Scalar::I128 => {
            let (a, b) = (a.cast_signed(), b.cast_signed());
            let wrapped = [a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b)];
            let exact = [a.checked_add(b), a.checked_sub(b), a.checked_mul(b)];
            let divided = [a.checked_div(b), a.checked_rem(b)];
            wide(op, b == 0, wrapped, exact, divided, checked).map(i128::cast_unsigned)
        }
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

/// Chooses the result of an operator on integers of 128 bits: a sum, difference or product, wrapped or exact, or a quotient or remainder.
fn wide<T: Copy>(
    op: Arith,
    by_zero: bool,
    wrapped: [T; 3],
    exact: [Option<T>; 3],
    divided: [Option<T>; 2],
    checked: bool,
) -> Result<T, FaultCode> {
    let at = match op {
        Arith::Add => 0,
        Arith::Sub => 1,
        Arith::Mul => 2,
        _ if by_zero => return Err(FaultCode::DivideByZero),
        Arith::Div => return divided[0].ok_or(FaultCode::Overflow),
        Arith::Rem | Arith::Shl | Arith::Shr => return divided[1].ok_or(FaultCode::Overflow),
    };
    if checked { exact[at].ok_or(FaultCode::Overflow) } else { Ok(wrapped[at]) }
}

fn integer(op: Arith, scalar: Scalar, a: i128, b: i128, checked: bool) -> Result<Bits, FaultCode> {
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

fn in_range((word, left): (Bits, bool), checked: bool) -> Result<Bits, FaultCode> {
    if left && checked { Err(FaultCode::Overflow) } else { Ok(word) }
}

fn shift(op: Arith, scalar: Scalar, a: i128, by: Bits, checked: bool) -> Result<Bits, FaultCode> {
    let bits = 8 * scalar.size() as Bits;
    // The bits of a negative amount are those of one that is at least 128. The width divides 2^8, so the low bits decide.
    if checked && by >= bits {
        return Err(FaultCode::ShiftTooFar);
    }
    let by = (by % bits) as u32;
    let value = match op {
        Arith::Shl => a << by,
        _ if scalar.is_signed() => a >> by,
        _ => (a.cast_unsigned() >> by).cast_signed(),
    };
    Ok(wrap(scalar, value))
}

pub(super) fn logic(op: Logic, a: Bits, b: Bits) -> Bits {
    match op {
        Logic::And => a & b,
        Logic::Or => a | b,
        Logic::Xor => a ^ b,
    }
}

pub(super) fn unary(op: UnaryOp, scalar: Scalar, a: Bits, checked: bool) -> Result<Bits, FaultCode> {
    match (op, scalar) {
        (UnaryOp::Not, _) => Ok(!a & mask(scalar)),
        (UnaryOp::Neg, Scalar::F32) => Ok(f32_word(-f32_of(a))),
        (UnaryOp::Neg, Scalar::F64) => Ok(f64_word(-f64_of(a))),
        (UnaryOp::Neg, _)
            if checked && scalar.is_wide() && a == int(scalar, a).wrapping_neg().cast_unsigned() && a != 0 =>
        {
            Err(FaultCode::Overflow)
        }
        (UnaryOp::Neg, _) => in_range(fit(scalar, int(scalar, a).wrapping_neg()), checked),
    }
}

/// Computes `a as to`.
pub(super) fn cast(from: Scalar, to: Scalar, a: Bits) -> Bits {
    match (from, to) {
        (Scalar::F32, Scalar::F32) => a,
        (Scalar::F32, _) => cast_f64(f64::from(f32_of(a)), to),
        (Scalar::F64, Scalar::F64) => a,
        (Scalar::F64, _) => cast_f64(f64_of(a), to),
        (_, Scalar::F32) => f32_word(if from.is_signed() { int(from, a) as f32 } else { a as f32 }),
        (_, Scalar::F64) => f64_word(if from.is_signed() { int(from, a) as f64 } else { a as f64 }),
        _ => wrap(to, int(from, a)),
    }
}

/// Casts a float to the nearest value of an integer type; NaN becomes 0.
fn cast_f64(value: f64, to: Scalar) -> Bits {
    let above = 128_usize.saturating_sub(8 * to.size());
    match to {
        Scalar::F32 => f32_word(value as f32),
        Scalar::F64 => f64_word(value),
        _ if to.is_signed() => wrap(to, (value as i128).clamp(i128::MIN >> above, i128::MAX >> above)),
        _ => (value as u128).min(mask(to)),
    }
}

#[cfg(test)]
mod tests;
