//! Functions that generated code calls in place of Rust operations that could panic on local values: indices, `unwrap`, panics
//! themselves. A fault is an outcome of the transaction, so it is an error that `?` passes on.

use std::slice::SliceIndex;

use kernels_gen::fault::FaultCode;

use crate::data::GpuData;

pub use crate::data::Alike;
use crate::tx::Abort;

/// `array[index]`
///
/// # Errors
/// There is no such element.
#[inline]
pub fn element<T>(array: &[T], index: usize, location: u32) -> Result<&T, Abort> {
    array.get(index).ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
}

/// `array[index]` as a place.
///
/// # Errors
/// There is no such element.
#[inline]
pub fn element_mut<T>(array: &mut [T], index: usize, location: u32) -> Result<&mut T, Abort> {
    array.get_mut(index).ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
}

/// `&array[a..b]`
///
/// # Errors
/// The array has no such part.
#[inline]
pub fn part<T>(array: &[T], range: impl SliceIndex<[T], Output = [T]>, location: u32) -> Result<&[T], Abort> {
    array.get(range).ok_or_else(|| Abort::fault(FaultCode::IndexOutOfRange, location))
}

/// Checks the index of a place.
///
/// # Errors
/// There is no such element.
#[inline]
pub fn index(index: usize, length: usize, location: u32) -> Result<usize, Abort> {
    if index < length { Ok(index) } else { Err(Abort::fault(FaultCode::IndexOutOfRange, location)) }
}

/// `option.unwrap()`
///
/// # Errors
/// There is no value.
#[inline]
pub fn unwrap<T>(option: Option<T>, location: u32) -> Result<T, Abort> {
    option.ok_or_else(|| Abort::fault(FaultCode::Unwrap, location))
}

/// What an `Option` or a `Result` holds, if it holds what `unwrap` returns.
pub trait Held {
    /// The type of the value.
    type Value;

    #[doc(hidden)]
    fn held(self) -> Option<Self::Value>;
}

impl<T> Held for Option<T> {
    type Value = T;

    #[inline]
    fn held(self) -> Option<T> {
        self
    }
}

impl<T, E> Held for Result<T, E> {
    type Value = T;

    #[inline]
    fn held(self) -> Option<T> {
        self.ok()
    }
}

/// `held.unwrap()`, where only rustc knows whether it is an `Option`.
///
/// # Errors
/// There is no value.
#[inline]
pub fn unwrap_held<H: Held>(held: H, location: u32) -> Result<H::Value, Abort> {
    unwrap(held.held(), location)
}

/// An `Option`. The macro takes a value for one where a method of both `Option` and `Result` is called on it and only rustc knows its type.
#[diagnostic::on_unimplemented(
    message = "this method is called on a `Result` or an array whose type is not written down",
    label = "taken for an `Option` here",
    note = "write the type where the value is declared, as in `let checked: Result<u32, u8> = check(x);` or `let row: [u32; 4] = first(m);`, and call the method on that"
)]
pub trait IsOption<T> {
    #[doc(hidden)]
    fn option(self) -> Option<T>;
}

impl<T> IsOption<T> for Option<T> {
    #[inline]
    fn option(self) -> Option<T> {
        self
    }
}

/// Requires an `Option`.
#[inline]
pub fn an_option<T, O: IsOption<T>>(option: O) -> Option<T> {
    option.option()
}

/// Checks the step of a range.
///
/// # Errors
/// The step is 0.
#[inline]
pub fn step(step: usize, location: u32) -> Result<usize, Abort> {
    if step == 0 { Err(Abort::fault(FaultCode::Panic, location)) } else { Ok(step) }
}

/// Returns an array whose length the context says.
#[inline]
#[must_use]
pub fn repeated<T: Copy, const N: usize>(value: T) -> [T; N] {
    [value; N]
}

/// Returns the fault of a panic.
#[cold]
#[must_use]
pub fn fault(code: FaultCode, location: u32) -> Abort {
    Abort::fault(code, location)
}

/// A reference to a `T`, or a `T`: where a function returns a reference, its host version returns the value.
#[diagnostic::on_unimplemented(message = "expected `&{T}`, found `{Self}`", label = "expected `&{T}`")]
pub trait Lent<T> {
    #[doc(hidden)]
    fn lend(&self) -> &T;
}

impl<T> Lent<T> for T {
    #[inline(always)]
    fn lend(&self) -> &T {
        self
    }
}

impl<T> Lent<T> for &T {
    #[inline(always)]
    fn lend(&self) -> &T {
        self
    }
}

impl<T> Lent<T> for &mut T {
    #[inline(always)]
    fn lend(&self) -> &T {
        self
    }
}

/// The left side of `==` or `!=`, where only rustc knows its type. The closure has the pattern.
#[inline]
pub fn alike<T: GpuData>(value: T, _: impl FnOnce(Alike<T>)) -> T {
    value
}

/// A type whose values the device compares as Rust does, in a function with parameters for types: component by component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared in a function with parameters for types",
    label = "the device would compare it field by field, which its `PartialEq` may not do",
    note = "write a function for this type, or compare the fields"
)]
pub trait Comparable {}

/// The left side of `==` or `!=` in a function with parameters for types.
#[inline]
pub fn comparable<T: Comparable>(value: T) -> T {
    value
}

/// A type whose order the device knows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order in a transaction",
    label = "the device orders numbers, and what consists of them",
    note = "write `#[derive(PartialOrd, GpuData)]` before the type, or compare the parts, as in `(a.x, a.y) < (b.x, b.y)`"
)]
pub trait Ordered {}

/// The left side of `<` and the like, where only rustc knows its type.
#[inline]
pub fn ordered<T: Ordered>(value: T) -> T {
    value
}

/// A value that is compared with others by a method of `Ord`.
#[inline]
pub fn total<T: Ord>(value: T) -> T {
    value
}

/// A type whose methods are built in.
#[diagnostic::on_unimplemented(
    message = "transactions do not call this method of `{Self}` here",
    label = "a built-in method has this name",
    note = "call one of your own, with `#[gpu_fn]`, by its path: `Order::max(a, b)`; those of `Ord` are `Ord::cmp(&a, &b)` and `std::cmp::max(a, b)`"
)]
pub trait BuiltIn {}

/// The receiver of a built-in method, where only rustc knows its type.
#[inline]
pub fn built_in<T: BuiltIn + ?Sized>(value: &T) -> &T {
    value
}

/// The receiver of a built-in method in a function with parameters for types.
pub trait Receives {
    #[doc(hidden)]
    #[inline]
    fn stm_receiver(&self) -> &Self
    where
        Self: BuiltIn,
    {
        self
    }
}

impl<T: ?Sized> Receives for T {}

/// What a parameter for types with the bound `Ord` is: its methods are those of `Ord`, whatever the type has of its own.
pub trait OfOrd: Ordered {
    #[doc(hidden)]
    #[inline]
    fn stm_receiver(&self) -> &Self {
        self
    }
}

impl<T: Ordered> OfOrd for T {}

impl<T> BuiltIn for Option<T> {}
impl<T, E> BuiltIn for Result<T, E> {}
impl<T, const N: usize> BuiltIn for [T; N] {}
impl<T> BuiltIn for [T] {}

macro_rules! comparable {
    ($($type:ty),*) => { $(impl Comparable for $type {} impl Ordered for $type {} impl BuiltIn for $type {})* };
}

comparable!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, bool, ());

impl Comparable for char {}
impl Ordered for char {}
impl Ordered for std::cmp::Ordering {}
impl Comparable for std::cmp::Ordering {}
impl<T: Comparable> Comparable for Option<T> {}
impl<T: Comparable, E: Comparable> Comparable for Result<T, E> {}
impl<T: Comparable, const N: usize> Comparable for [T; N] {}
impl<T: Ordered> Ordered for Option<T> {}
impl<T: Ordered, E: Ordered> Ordered for Result<T, E> {}
impl<T: Ordered, const N: usize> Ordered for [T; N] {}

macro_rules! tuples {
    ($($($part:ident)*;)*) => { $(
        impl<$($part: Comparable),*> Comparable for ($($part,)*) {}
        impl<$($part: Ordered),*> Ordered for ($($part,)*) {}
        impl<$($part),*> BuiltIn for ($($part,)*) {}
    )* };
}

tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_panic_is_a_fault() {
        let mut array = [1, 2, 3];
        assert_eq!(*element(&array, 2, 0).unwrap(), 3);
        assert_eq!(element(&array, 3, 7).unwrap_err(), Abort::fault(FaultCode::IndexOutOfRange, 7));
        assert_eq!(
            (index(2, 3, 0).unwrap(), index(3, 3, 5).unwrap_err()),
            (2, Abort::fault(FaultCode::IndexOutOfRange, 5))
        );
        *element_mut(&mut array, 0, 0).unwrap() = 9;
        assert_eq!(array[0], 9);
        assert_eq!(unwrap::<u8>(None, 5).unwrap_err(), Abort::fault(FaultCode::Unwrap, 5));
        assert_eq!((step(2, 0).unwrap(), step(0, 3).unwrap_err()), (2, Abort::fault(FaultCode::Panic, 3)));
    }
}
