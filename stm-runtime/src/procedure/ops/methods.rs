//! Methods that panic in Rust, with a fault instead. Each exists for every type with a method of that name, even where
//! the method cannot fault, because generated code need not know the type. Other methods stay as the user wrote them.

use kernels_gen::fault::FaultCode;

use super::Arith;
use super::Int;
use super::Signed;
use super::at_location;
use super::in_range;
use crate::tx::Abort;

/// A number type with division that leaves no negative remainder.
pub trait Euclid: Arith {
    /// A fault for zero and for `MIN / -1`.
    fn div_euclid_or(self, other: Self) -> Result<Self, FaultCode>;
    /// A fault for zero and for `MIN % -1`.
    fn rem_euclid_or(self, other: Self) -> Result<Self, FaultCode>;
}

/// The methods of integers. Divisors are not zero.
#[allow(missing_docs)]
pub trait IntMethods: Int {
    /// The result and whether it left the range.
    fn pow_over(self, exponent: u32) -> (Self, bool);
    /// `None` for a negative value.
    fn isqrt_checked(self) -> Option<Self>;
    /// `None` unless the value is positive.
    fn ilog2_checked(self) -> Option<u32>;
    /// `None` unless the value is positive.
    fn ilog10_checked(self) -> Option<u32>;
    /// `None` unless the value is positive and the base above 1.
    fn ilog_checked(self, base: Self) -> Option<u32>;
    fn wrapping_div(self, other: Self) -> Self;
    fn wrapping_rem(self, other: Self) -> Self;
    fn wrapping_div_euclid(self, other: Self) -> Self;
    fn wrapping_rem_euclid(self, other: Self) -> Self;
    fn saturating_div(self, other: Self) -> Self;
}

/// An integer type without negative values.
pub trait Unsigned: IntMethods {
    /// The result, 0 past the largest, and whether it left the range.
    fn next_power_of_two_over(self) -> (Self, bool);
    /// The quotient, rounded up, by a divisor that is not zero.
    fn div_ceil(self, other: Self) -> Self;
    /// The result and whether it left the range, of a divisor that is not zero.
    fn next_multiple_of_over(self, other: Self) -> (Self, bool);
}

macro_rules! int_methods {
    ($($type:ident: $isqrt:expr;)*) => {$(
        impl Euclid for $type {
            #[inline]
            fn div_euclid_or(self, other: Self) -> Result<Self, FaultCode> {
                self.checked_div_euclid(other).ok_or_else(|| super::quotient_fault(other))
            }
            #[inline]
            fn rem_euclid_or(self, other: Self) -> Result<Self, FaultCode> {
                self.checked_rem_euclid(other).ok_or_else(|| super::quotient_fault(other))
            }
        }

        impl IntMethods for $type {
            #[inline]
            fn pow_over(self, exponent: u32) -> (Self, bool) { self.overflowing_pow(exponent) }
            #[inline]
            fn isqrt_checked(self) -> Option<Self> { $isqrt(self) }
            #[inline]
            fn ilog2_checked(self) -> Option<u32> { self.checked_ilog2() }
            #[inline]
            fn ilog10_checked(self) -> Option<u32> { self.checked_ilog10() }
            #[inline]
            fn ilog_checked(self, base: Self) -> Option<u32> { self.checked_ilog(base) }
            #[inline]
            fn wrapping_div(self, other: Self) -> Self { <$type>::wrapping_div(self, other) }
            #[inline]
            fn wrapping_rem(self, other: Self) -> Self { <$type>::wrapping_rem(self, other) }
            #[inline]
            fn wrapping_div_euclid(self, other: Self) -> Self { <$type>::wrapping_div_euclid(self, other) }
            #[inline]
            fn wrapping_rem_euclid(self, other: Self) -> Self { <$type>::wrapping_rem_euclid(self, other) }
            #[inline]
            fn saturating_div(self, other: Self) -> Self { <$type>::saturating_div(self, other) }
        }
    )*};
}

macro_rules! unsigned {
    ($($type:ident)*) => {$(
        impl Unsigned for $type {
            #[inline]
            fn next_power_of_two_over(self) -> (Self, bool) {
                self.checked_next_power_of_two().map_or((0, true), |power| (power, false))
            }
            #[inline]
            fn div_ceil(self, other: Self) -> Self { <$type>::div_ceil(self, other) }
            #[inline]
            fn next_multiple_of_over(self, other: Self) -> (Self, bool) {
                match self % other {
                    0 => (self, false),
                    rest => self.overflowing_add(other - rest),
                }
            }
        }
    )*};
}

macro_rules! float_methods {
    ($($type:ident)*) => {$(
        impl Euclid for $type {
            #[inline]
            fn div_euclid_or(self, other: Self) -> Result<Self, FaultCode> { Ok(self.div_euclid(other)) }
            #[inline]
            fn rem_euclid_or(self, other: Self) -> Result<Self, FaultCode> { Ok(self.rem_euclid(other)) }
        }
    )*};
}

int_methods! {
    i8: i8::checked_isqrt; i16: i16::checked_isqrt; i32: i32::checked_isqrt; i64: i64::checked_isqrt;
    i128: i128::checked_isqrt; isize: isize::checked_isqrt;
    u8: |a: u8| Some(a.isqrt()); u16: |a: u16| Some(a.isqrt()); u32: |a: u32| Some(a.isqrt());
    u64: |a: u64| Some(a.isqrt()); u128: |a: u128| Some(a.isqrt()); usize: |a: usize| Some(a.isqrt());
}
unsigned! { u8 u16 u32 u64 u128 usize }
float_methods! { f32 f64 }

#[inline]
fn argument<T>(result: Option<T>, location: u32) -> Result<T, Abort> {
    at_location(result.ok_or(FaultCode::BadArgument), location)
}

#[inline]
fn divisor<T: Int>(value: T, location: u32) -> Result<T, Abort> {
    at_location(if value.is_zero() { Err(FaultCode::DivideByZero) } else { Ok(value) }, location)
}

/// `a.pow(exponent)`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn pow<T: IntMethods, const CHECKED: bool>(a: T, exponent: u32, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.pow_over(exponent), location)
}

/// `a.abs()`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn abs<T: Signed, const CHECKED: bool>(a: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.abs_over(), location)
}

/// `a.div_euclid(b)`.
///
/// # Errors
/// Division by zero; overflow for `MIN` by -1.
#[inline]
pub fn div_euclid<T: Euclid, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    at_location(a.div_euclid_or(b), location)
}

/// `a.rem_euclid(b)`.
///
/// # Errors
/// Division by zero; overflow for `MIN` by -1.
#[inline]
pub fn rem_euclid<T: Euclid, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    at_location(a.rem_euclid_or(b), location)
}

macro_rules! divisions {
    ($($name:ident for $bound:ident;)*) => {$(
        #[doc = concat!("`a.", stringify!($name), "(b)`.")]
        ///
        /// # Errors
        /// Division by zero.
        #[inline]
        pub fn $name<T: $bound, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
            divisor(b, location).map(|b| <T as $bound>::$name(a, b))
        }
    )*};
}

divisions! {
    wrapping_div for IntMethods;
    wrapping_rem for IntMethods;
    wrapping_div_euclid for IntMethods;
    wrapping_rem_euclid for IntMethods;
    saturating_div for IntMethods;
    div_ceil for Unsigned;
}

/// `a.next_multiple_of(b)`.
///
/// # Errors
/// Division by zero; overflow, in checked mode.
#[inline]
pub fn next_multiple_of<T: Unsigned, const CHECKED: bool>(a: T, b: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.next_multiple_of_over(divisor(b, location)?), location)
}

/// `a.next_power_of_two()`.
///
/// # Errors
/// Overflow, in checked mode.
#[inline]
pub fn next_power_of_two<T: Unsigned, const CHECKED: bool>(a: T, location: u32) -> Result<T, Abort> {
    in_range::<T, CHECKED>(a.next_power_of_two_over(), location)
}

/// `a.isqrt()`.
///
/// # Errors
/// A negative `a`.
#[inline]
pub fn isqrt<T: IntMethods, const CHECKED: bool>(a: T, location: u32) -> Result<T, Abort> {
    argument(a.isqrt_checked(), location)
}

/// `a.ilog2()`.
///
/// # Errors
/// An `a` that is not positive.
#[inline]
pub fn ilog2<T: IntMethods, const CHECKED: bool>(a: T, location: u32) -> Result<u32, Abort> {
    argument(a.ilog2_checked(), location)
}

/// `a.ilog10()`.
///
/// # Errors
/// An `a` that is not positive.
#[inline]
pub fn ilog10<T: IntMethods, const CHECKED: bool>(a: T, location: u32) -> Result<u32, Abort> {
    argument(a.ilog10_checked(), location)
}

/// `a.ilog(base)`.
///
/// # Errors
/// An `a` that is not positive, or a base below 2.
#[inline]
pub fn ilog<T: IntMethods, const CHECKED: bool>(a: T, base: T, location: u32) -> Result<u32, Abort> {
    argument(a.ilog_checked(base), location)
}

/// `a.clamp(low, high)`.
///
/// # Errors
/// `low` is not at most `high`, as where one is NaN.
#[inline]
pub fn clamp<T: Copy + PartialOrd, const CHECKED: bool>(a: T, low: T, high: T, location: u32) -> Result<T, Abort> {
    let raised = if a < low { low } else { a };
    argument((low <= high).then_some(if raised > high { high } else { raised }), location)
}

#[cfg(test)]
mod tests {
    use super::super::tests::code;
    use super::*;

    #[test]
    fn overflow_faults_in_checked_mode_alone() {
        assert_eq!(code(pow::<i32, true>(2, 31, 0)), FaultCode::Overflow);
        assert_eq!(pow::<i32, false>(2, 31, 0).unwrap(), i32::MIN);
        assert_eq!(code(abs::<i8, true>(i8::MIN, 0)), FaultCode::Overflow);
        assert_eq!(code(next_power_of_two::<u8, true>(129, 0)), FaultCode::Overflow);
        assert_eq!(next_power_of_two::<u8, false>(129, 0).unwrap(), 0);
        assert_eq!(code(next_multiple_of::<u8, true>(250, 100, 0)), FaultCode::Overflow);
        assert_eq!(next_multiple_of::<u8, false>(250, 100, 0).unwrap(), 44);
    }

    #[test]
    fn arguments_without_a_result_fault_in_both_modes() {
        assert_eq!(code(div_euclid::<i32, false>(i32::MIN, -1, 0)), FaultCode::Overflow);
        assert_eq!(code(rem_euclid::<u32, false>(1, 0, 0)), FaultCode::DivideByZero);
        assert_eq!(code(next_multiple_of::<u8, false>(1, 0, 0)), FaultCode::DivideByZero);
        assert_eq!(code(wrapping_div::<i64, false>(1, 0, 0)), FaultCode::DivideByZero);
        assert_eq!(wrapping_div::<i64, true>(i64::MIN, -1, 0).unwrap(), i64::MIN);
        assert_eq!(code(isqrt::<i32, false>(-1, 0)), FaultCode::BadArgument);
        assert_eq!(code(ilog::<u32, false>(1, 1, 0)), FaultCode::BadArgument);
        assert_eq!(code(clamp::<f64, false>(1.0, f64::NAN, 2.0, 0)), FaultCode::BadArgument);
    }

    #[test]
    fn a_name_serves_all_types_that_have_it() {
        assert_eq!(abs::<_, true>(-1.5_f32, 0).unwrap(), 1.5);
        assert_eq!(isqrt::<_, true>(17_u8, 0).unwrap(), 4);
        assert_eq!(rem_euclid::<_, true>(-1.0_f64, 3.0, 0).unwrap(), 2.0);
        assert!(clamp::<_, true>(true, false, true, 0).unwrap());
    }
}
