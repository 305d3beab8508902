//! The values that arrays, arguments and results can have, and how each becomes words.

use kernels_gen::spec::{Constant, Type};

use super::parts::Parts;
use crate::element::Word;

/// A type of values that arrays hold and that transactions take, keep and return.
///
/// These are: all integers of fixed width, `usize`, `isize`, `f32`, `f64`, `bool`; `()`; tuples of up to eight, arrays and
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
/// An array of records is a structure of arrays: transactions that use different fields of one element do not conflict.
///
/// The bits of a value that comes back are taken at their word where every pattern is a value. Where not, as on a device that
/// failed, the value is still one of its type: an enum whose bits are none of its discriminants is its first variant, and of a
/// `bool` only the lowest bit counts.
///
/// Derive it. What a derive generates beyond the items shown here is not for people, and may change.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a transaction",
    label = "not a type of the device",
    note = "use a scalar, a tuple, an array or an `Option`, or write `#[derive(Clone, Copy, GpuData)]` before the type"
)]
pub trait GpuData: Copy + Send + Sync + 'static {
    /// The type in the compiler's words.
    const TYPE: Type;
    /// How many scalars a value is; the greatest number where there are more. Made from those of the parts, because rustc would
    /// give up on counting the scalars of records in records one by one.
    const COMPONENTS: usize = Self::TYPE.components();
    /// What a `Shared<Self>` gives access to: a [`Shared`](crate::Shared) for each part of the elements. Scalars and enums
    /// have no parts.
    type Columns: Send + Sync + 'static;

    /// Gives the words of the components in order.
    #[doc(hidden)]
    fn stm_put(self, put: &mut impl FnMut(u64));

    /// The value of these words, of which as many are taken as there are components.
    #[doc(hidden)]
    fn stm_take(take: &mut impl FnMut() -> u64) -> Self;

    /// The parts of an array of such elements.
    #[doc(hidden)]
    fn stm_columns(parts: &mut Parts<'_>) -> Self::Columns;
}

/// What a `Shared` of scalars or enums gives access to: nothing, they have no parts.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoParts;

macro_rules! scalars {
    ($($type:ident),*) => {$(
        impl GpuData for $type {
            const TYPE: Type = Type::Scalar(<$type as Word>::SCALAR);
            type Columns = NoParts;

            #[inline]
            fn stm_put(self, put: &mut impl FnMut(u64)) {
                put(self.to_word());
            }

            #[inline]
            fn stm_take(take: &mut impl FnMut() -> u64) -> $type {
                <$type as Word>::from_word(take())
            }

            #[inline]
            fn stm_columns(_: &mut Parts<'_>) -> NoParts {
                NoParts
            }
        }
    )*};
}

scalars!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, bool);

/// The words of a value, in the order of its components.
#[doc(hidden)]
#[must_use]
pub fn words_of<T: GpuData>(value: T) -> Vec<u64> {
    let mut words = Vec::with_capacity(T::COMPONENTS);
    value.stm_put(&mut |word| words.push(word));
    words
}

/// A constant of the user's program, for the compiler.
#[doc(hidden)]
#[must_use]
pub fn constant<T: GpuData>(value: &T) -> Constant {
    Constant { ty: T::TYPE, words: words_of(*value) }
}

/// The value of the first words of an iterator; what is missing counts as 0.
pub(crate) fn value_of<T: GpuData>(words: impl IntoIterator<Item = u64>) -> T {
    let mut words = words.into_iter();
    T::stm_take(&mut || words.next().unwrap_or(0))
}
