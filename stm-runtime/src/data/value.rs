//! The values of arrays, arguments and results, and their conversion to words.

use std::borrow::Cow;

use kernels_gen::spec::{Constant, Scalar, Type};

use super::alike::{MOST_VALUES, values};
use super::parts::Parts;
use crate::backend::COPY;
use crate::columns::Column;
use crate::element::Word;
use crate::error::Error;
use crate::memory;
use crate::new_rows::CellsMut;

/// A type of the values that arrays hold and that transactions take, keep and return.
///
/// These are: all integers, `usize`, `isize`, `f32`, `f64`, `bool`; `()`; tuples of up to eight, arrays and
/// `Option`s of such types; and structs, and enums without fields, that derive it:
///
/// ```
/// use stm_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
/// struct Room {
///     free: u32,
///     price: i64,
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(1);
/// let rooms = device.shared(&[Room { free: 2, price: 80 }, Room { free: 0, price: 120 }])?;
/// assert_eq!(rooms.free.to_vec()?, [2, 0]); // a field is an array of its own
/// assert_eq!(rooms.to_vec()?[1], Room { free: 0, price: 120 });
/// # Ok(())
/// # }
/// ```
///
/// Each field of an array of records is an array too. Transactions that use different fields of one element conflict, unless the
/// array was made by [`Device::shared_by_field`](crate::Device::shared_by_field).
///
/// A returned value is decoded without checks where every bit pattern is a value. Otherwise, even after a device
/// failure, the result is a value of its type: an unknown discriminant gives the enum's first variant, and of a
/// `bool` only the lowest bit counts.
///
/// Derive this trait. Items that a derive generates beyond those shown here are internal, and may change.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a transaction",
    label = "not a type of the device",
    note = "use a scalar, a tuple, an array or an `Option`, or write `#[derive(Clone, Copy, GpuData)]` before the type"
)]
pub trait GpuData: Copy + Send + Sync + 'static {
    /// The type for the compiler.
    const TYPE: Type;
    /// The number of scalars of a value, at most the greatest number. It is the sum over the parts, because rustc would
    /// reach its limit if it counted the scalars of nested records one by one.
    const COMPONENTS: usize = Self::TYPE.components();
    /// The parts of a `Shared<Self>`: a [`Shared`](crate::Shared) for each part of the elements. Scalars and enums
    /// have no parts.
    type Columns: Send + Sync + 'static;

    /// The length of [`GpuData::STM_VALUES`].
    #[doc(hidden)]
    const STM_LENGTH: usize = 1;
    /// Values with every variant of an enum in them: as a pattern they make rustc check that all `PartialEq` are derived.
    #[doc(hidden)]
    const STM_VALUES: [Option<Self>; MOST_VALUES] = panic!("the type does not exist on the device");

    /// Calls `put` with the words of the components in order.
    #[doc(hidden)]
    fn stm_put(self, put: &mut impl FnMut(u64));

    /// Returns the value of these words; takes one for each component.
    #[doc(hidden)]
    fn stm_take(take: &mut impl FnMut() -> u64) -> Self;

    /// Returns the parts of an array of such elements.
    #[doc(hidden)]
    fn stm_columns(parts: &mut Parts<'_>) -> Self::Columns;

    /// Returns values as one argument column, without a copy. Returns the values where that is impossible: a compound value has
    /// several columns.
    #[doc(hidden)]
    fn stm_column(values: Cow<'_, [Self]>) -> Result<Column<'_>, Cow<'_, [Self]>> {
        Err(values)
    }

    /// Returns words as values, where both are the same in memory.
    #[doc(hidden)]
    fn stm_values(_words: &[u64]) -> Option<&[Self]> {
        None
    }

    /// Returns that many values whose cells are written in one step; `None` where not all cells are values.
    #[doc(hidden)]
    fn stm_filled(_len: usize, _fill: Fill<'_>) -> Option<Result<Vec<Self>, Error>> {
        None
    }
}

/// The parts of a `Shared` of scalars or enums: there are none.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoParts;

/// Writes the cells of new values, which are 0.
type Fill<'f> = &'f mut dyn FnMut(CellsMut<'_>) -> Result<(), Error>;

/// See [`GpuData::stm_filled`].
fn filled<T: bytemuck::Pod + Word>(len: usize, fill: Fill<'_>) -> Option<Result<Vec<T>, Error>> {
    // A host of 32 bits has another `usize` than the device.
    if size_of::<T>() != T::SCALAR.size() {
        return None;
    }
    let mut values = match memory::zeroed::<T>(COPY, len) {
        Ok(zeros) => zeros,
        Err(short) => return Some(Err(short.into())),
    };
    let cells = match size_of::<T>() {
        1 => CellsMut::U8(bytemuck::cast_slice_mut(&mut values)),
        2 => CellsMut::U16(bytemuck::cast_slice_mut(&mut values)),
        4 => CellsMut::U32(bytemuck::cast_slice_mut(&mut values)),
        8 => CellsMut::U64(bytemuck::try_cast_slice_mut(&mut values).ok()?),
        _ => return None,
    };
    Some(fill(cells).map(|()| values))
}

/// The same for a type of which not every byte is a value.
fn not_filled<T>(_len: usize, _fill: Fill<'_>) -> Option<Result<Vec<T>, Error>> {
    None
}

macro_rules! scalars {
    ($zero:literal, $filled:ident: $($type:ident),*) => {$(
        impl GpuData for $type {
            const TYPE: Type = Type::Scalar(<$type as Word>::SCALAR);
            type Columns = NoParts;
            const STM_VALUES: [Option<Self>; MOST_VALUES] = values!(k, 1 => $zero);

            #[inline(always)]
            fn stm_put(self, put: &mut impl FnMut(u64)) {
                put(self.to_word());
            }

            #[inline(always)]
            fn stm_take(take: &mut impl FnMut() -> u64) -> $type {
                <$type as Word>::from_word(take())
            }

            #[inline(always)]
            fn stm_columns(_: &mut Parts<'_>) -> NoParts {
                NoParts
            }

            #[inline]
            fn stm_column(values: Cow<'_, [$type]>) -> Result<Column<'_>, Cow<'_, [$type]>> {
                <$type as Word>::column(values)
            }

            #[inline]
            fn stm_values(words: &[u64]) -> Option<&[$type]> {
                <$type as Word>::values(words)
            }

            fn stm_filled(len: usize, fill: Fill<'_>) -> Option<Result<Vec<$type>, Error>> {
                $filled(len, fill)
            }
        }
    )*};
}

scalars!(0, filled: i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
scalars!(0.0, filled: f32, f64);
scalars!(false, not_filled: bool);

macro_rules! wide {
    ($($type:ident $scalar:ident),*) => {$(
        impl GpuData for $type {
            const TYPE: Type = Type::Scalar(Scalar::$scalar);
            type Columns = NoParts;
            const STM_VALUES: [Option<Self>; MOST_VALUES] = values!(k, 1 => 0);

            #[inline]
            fn stm_put(self, put: &mut impl FnMut(u64)) {
                put(self as u64);
                put((self >> 64) as u64);
            }

            #[inline]
            fn stm_take(take: &mut impl FnMut() -> u64) -> $type {
                let low = $type::from(take());
                $type::from(take()) << 64 | low
            }

            #[inline]
            fn stm_columns(_: &mut Parts<'_>) -> NoParts {
                NoParts
            }
        }
    )*};
}

wide!(i128 I128, u128 U128);

/// Returns the words of a value, in the order of its components.
#[doc(hidden)]
#[must_use]
pub fn words_of<T: GpuData>(value: T) -> Vec<u64> {
    let mut words = Vec::with_capacity(T::COMPONENTS);
    value.stm_put(&mut |word| words.push(word));
    words
}

/// Returns a constant of the user's program, for the compiler.
#[doc(hidden)]
#[must_use]
pub fn constant<T: GpuData>(value: &T) -> Constant {
    Constant { ty: T::TYPE, words: words_of(*value) }
}

/// Returns the value of the first words of an iterator; missing words count as 0.
pub(crate) fn value_of<T: GpuData>(words: impl IntoIterator<Item = u64>) -> T {
    let mut words = words.into_iter();
    T::stm_take(&mut || words.next().unwrap_or(0))
}
