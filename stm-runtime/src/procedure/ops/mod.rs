//! Operators and methods with Rust's meaning: generated code calls them in place of `+`, `-`, `*`, `/`, `%`, `<<`, `>>` and
//! of the methods that panic.
//!
//! `CHECKED` corresponds to rustc's `overflow-checks`: overflow is a fault, or it wraps. Division by zero and
//! `MIN / -1` are faults in both modes, because they panic in both. Floats have the same operators, which never fault, so that
//! generated code need not know the type.

mod methods;
mod operators;
mod parameters;

use kernels_gen::fault::FaultCode;

use crate::tx::Abort;

pub use methods::*;
pub use operators::*;
pub use parameters::*;

/// A number type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no arithmetic in a transaction",
    label = "operators, and the built-in methods of numbers, are for numbers",
    note = "write `#[gpu_fn]` before the `impl` of the operator, as in `#[gpu_fn] impl Add for Money`; or a method with `#[gpu_fn]`",
    note = "for a parameter of a function, write the bound there, `T: Add<Output = T>`, or `#[gpu_fn]` before the trait that requires it"
)]
pub trait Arith: Copy {
    /// The result and whether it left the range.
    fn add_over(self, other: Self) -> (Self, bool);
    /// The result and whether it left the range.
    fn sub_over(self, other: Self) -> (Self, bool);
    /// The result and whether it left the range.
    fn mul_over(self, other: Self) -> (Self, bool);
    /// A fault for zero and for `MIN / -1`.
    fn div_or(self, other: Self) -> Result<Self, FaultCode>;
    /// A fault for zero and for `MIN % -1`.
    fn rem_or(self, other: Self) -> Result<Self, FaultCode>;
}

/// A number type with negative values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no negation in a transaction",
    label = "operators, and the built-in methods of numbers, are for numbers",
    note = "write `#[gpu_fn]` before the `impl` of the operator, as in `#[gpu_fn] impl Add for Money`; or a method with `#[gpu_fn]`",
    note = "for a parameter of a function, write the bound there, `T: Add<Output = T>`, or `#[gpu_fn]` before the trait that requires it"
)]
pub trait Signed: Arith {
    /// The result and whether it left the range.
    fn neg_over(self) -> (Self, bool);
    /// The magnitude and whether it left the range.
    fn abs_over(self) -> (Self, bool);
}

/// An integer type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no integer in a transaction",
    label = "operators, and the built-in methods of numbers, are for numbers",
    note = "write `#[gpu_fn]` before the `impl` of the operator, as in `#[gpu_fn] impl Add for Money`; or a method with `#[gpu_fn]`",
    note = "for a parameter of a function, write the bound there, `T: Add<Output = T>`, or `#[gpu_fn]` before the trait that requires it"
)]
pub trait Int: Arith {
    /// Its width.
    const BITS: u32;
    /// The shift by the amount modulo the width.
    fn shl_masked(self, amount: u32) -> Self;
    /// The shift by the amount modulo the width.
    fn shr_masked(self, amount: u32) -> Self;
    /// The value as a shift amount, if it is not negative and below `bits`.
    fn shift_below(self, bits: u32) -> Option<u32>;
    /// The low 32 bits.
    fn low(self) -> u32;
    /// It is zero.
    fn is_zero(self) -> bool;
}

macro_rules! int {
    ($($type:ident)*) => {$(
        impl Arith for $type {
            #[inline]
            fn add_over(self, other: Self) -> (Self, bool) { self.overflowing_add(other) }
            #[inline]
            fn sub_over(self, other: Self) -> (Self, bool) { self.overflowing_sub(other) }
            #[inline]
            fn mul_over(self, other: Self) -> (Self, bool) { self.overflowing_mul(other) }
            #[inline]
            fn div_or(self, other: Self) -> Result<Self, FaultCode> {
                self.checked_div(other).ok_or_else(|| quotient_fault(other))
            }
            #[inline]
            fn rem_or(self, other: Self) -> Result<Self, FaultCode> {
                self.checked_rem(other).ok_or_else(|| quotient_fault(other))
            }
        }

        impl Int for $type {
            const BITS: u32 = $type::BITS;
            #[inline]
            fn shl_masked(self, amount: u32) -> Self { self.wrapping_shl(amount) }
            #[inline]
            fn shr_masked(self, amount: u32) -> Self { self.wrapping_shr(amount) }
            #[inline]
            fn shift_below(self, bits: u32) -> Option<u32> {
                u32::try_from(self).ok().filter(|amount| *amount < bits)
            }
            #[inline]
            fn low(self) -> u32 { self as u32 }
            #[inline]
            fn is_zero(self) -> bool { self == 0 }
        }
    )*};
}

macro_rules! signed {
    ($($type:ident)*) => {$(
        impl Signed for $type {
            #[inline]
            fn neg_over(self) -> (Self, bool) { self.overflowing_neg() }
            #[inline]
            fn abs_over(self) -> (Self, bool) { self.overflowing_abs() }
        }
    )*};
}

macro_rules! float {
    ($($type:ident)*) => {$(
        impl Arith for $type {
            #[inline]
            fn add_over(self, other: Self) -> (Self, bool) { (self + other, false) }
            #[inline]
            fn sub_over(self, other: Self) -> (Self, bool) { (self - other, false) }
            #[inline]
            fn mul_over(self, other: Self) -> (Self, bool) { (self * other, false) }
            #[inline]
            fn div_or(self, other: Self) -> Result<Self, FaultCode> { Ok(self / other) }
            #[inline]
            fn rem_or(self, other: Self) -> Result<Self, FaultCode> { Ok(self % other) }
        }

        impl Signed for $type {
            #[inline]
            fn neg_over(self) -> (Self, bool) { (-self, false) }
            #[inline]
            fn abs_over(self) -> (Self, bool) { (self.abs(), false) }
        }
    )*};
}

int! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
signed! { i8 i16 i32 i64 i128 isize }
float! { f32 f64 }

/// Returns the fault of a failed division.
fn quotient_fault<T: Int>(divisor: T) -> FaultCode {
    if divisor.is_zero() { FaultCode::DivideByZero } else { FaultCode::Overflow }
}

#[inline]
fn at_location<T>(result: Result<T, FaultCode>, location: u32) -> Result<T, Abort> {
    result.map_err(|code| Abort::fault(code, location))
}

#[inline]
fn in_range<T, const CHECKED: bool>((value, left): (T, bool), location: u32) -> Result<T, Abort> {
    if CHECKED && left { Err(Abort::fault(FaultCode::Overflow, location)) } else { Ok(value) }
}

/// `a + b`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn add<T: Arith, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.add_over(b), location)
}

/// `a - b`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn sub<T: Arith, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.sub_over(b), location)
}

/// `a * b`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn mul<T: Arith, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.mul_over(b), location)
}

/// `-a`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn neg<T: Signed, const CHECKED: bool>(a: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.neg_over(), location)
}

/// `a / b`.
///
/// # Errors
/// Division by zero; overflow for `MIN / -1`.
#[inline]
pub fn div<T: Arith, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    at_location(a.div_or(b), location)
}

/// `a % b`.
///
/// # Errors
/// Division by zero; overflow for `MIN % -1`.
#[inline]
pub fn rem<T: Arith, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    at_location(a.rem_or(b), location)
}

/// `a << b`.
///
/// # Errors
/// A shift by at least the width or by a negative amount, in checked mode.
#[inline]
pub fn shl<T: Int, S: Int, const CHECKED: bool>(a: T, b: S, location: u32) -> Result<T, Abort> {
    shift_amount::<T, S, CHECKED>(b, location).map(|amount| a.shl_masked(amount))
}

/// `a >> b`.
///
/// # Errors
/// A shift by at least the width or by a negative amount, in checked mode.
#[inline]
pub fn shr<T: Int, S: Int, const CHECKED: bool>(a: T, b: S, location: u32) -> Result<T, Abort> {
    shift_amount::<T, S, CHECKED>(b, location).map(|amount| a.shr_masked(amount))
}

#[inline]
fn shift_amount<T: Int, S: Int, const CHECKED: bool>(amount: S, location: u32) -> Result<u32, Abort> {
    if CHECKED {
        amount.shift_below(T::BITS).ok_or_else(|| Abort::fault(FaultCode::ShiftTooFar, location))
    } else {
        // Widths are powers of two of at most 128, so the low bits decide.
        Ok(amount.low())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tx::AbortKind;

    /// Returns the code of the fault that an operation ended with.
    pub(super) fn code<T: std::fmt::Debug>(result: Result<T, Abort>) -> FaultCode {
        match result.expect_err("should fault").kind() {
            AbortKind::Fault { code, .. } => code,
            other => panic!("{other:?} should be a fault"),
        }
    }

    #[test]
    fn checked_mode_faults_at_the_edges() {
        assert_eq!(code(add::<i64, true>(i64::MAX, 1, 3)), FaultCode::Overflow);
        assert_eq!(code(sub::<u8, true>(0, 1, 3)), FaultCode::Overflow);
        assert_eq!(code(mul::<i16, true>(i16::MIN, -1, 3)), FaultCode::Overflow);
        assert_eq!(code(neg::<i8, true>(i8::MIN, 3)), FaultCode::Overflow);
        assert_eq!(code(shl::<u32, i64, true>(1, 32, 3)), FaultCode::ShiftTooFar);
        assert_eq!(code(shr::<u32, i8, true>(1, -1, 3)), FaultCode::ShiftTooFar);
    }

    #[test]
    fn wrapping_mode_wraps_as_a_release_build() {
        assert_eq!(add::<i64, false>(i64::MAX, 1, 0).unwrap(), i64::MIN);
        assert_eq!(sub::<u8, false>(0, 1, 0).unwrap(), 255);
        assert_eq!(neg::<i8, false>(i8::MIN, 0).unwrap(), i8::MIN);
        assert_eq!(shl::<u8, i32, false>(1, -1, 0).unwrap(), 1_u8.wrapping_shl(u32::MAX));
        assert_eq!(shr::<i64, u64, false>(-8, 1 << 40, 0).unwrap(), -8);
    }

    #[test]
    fn division_faults_in_both_modes() {
        assert_eq!(code(div::<u32, false>(1, 0, 0)), FaultCode::DivideByZero);
        assert_eq!(code(rem::<i32, true>(1, 0, 0)), FaultCode::DivideByZero);
        assert_eq!(code(div::<i32, false>(i32::MIN, -1, 0)), FaultCode::Overflow);
        assert_eq!(code(rem::<i64, false>(i64::MIN, -1, 0)), FaultCode::Overflow);
        assert_eq!(div::<i32, true>(-7, 2, 0).unwrap(), -3);
        assert_eq!(rem::<i32, true>(-7, 2, 0).unwrap(), -1);
    }

    #[test]
    fn floats_never_fault() {
        assert_eq!(add::<f64, true>(f64::MAX, f64::MAX, 0).unwrap(), f64::INFINITY);
        assert_eq!(sub::<_, true>(0.5_f32, 1.0, 0).unwrap(), -0.5);
        assert_eq!(mul::<_, true>(0.5_f32, 3.0, 0).unwrap(), 1.5);
        assert_eq!(div::<f32, true>(1.0, 0.0, 0).unwrap(), f32::INFINITY);
        assert!(rem::<f64, true>(1.0, 0.0, 0).unwrap().is_nan());
        assert_eq!(neg::<f64, true>(1.0, 0).unwrap(), -1.0);
    }
}
