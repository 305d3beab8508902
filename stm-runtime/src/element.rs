//! The scalars: their conversion to 64-bit words, and those that can index an array.

use std::borrow::Cow;

use kernels_gen::spec::Scalar;

use crate::columns::{Column, cells_of};

mod sealed {
    pub trait Sealed {}
}

/// A scalar and its word: the value's own bits, zero-extended. `-1_i8` is `0xff`, floats by their bits, `true` is 1.
#[doc(hidden)]
pub trait Word: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The type for the compiler.
    const SCALAR: Scalar;
    /// Returns the value's bits.
    fn to_word(self) -> u64;
    /// Returns the value of these bits; bits past the type's width are ignored.
    fn from_word(word: u64) -> Self;
    /// Returns values as a column, without a copy. Returns the values where this host stores them in another way than the device.
    fn column(values: Cow<'_, [Self]>) -> Result<Column<'_>, Cow<'_, [Self]>>;
    /// Returns words as values, where both are the same in memory.
    fn values(_words: &[u64]) -> Option<&[Self]> {
        None
    }
}

/// A type that can index an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot index an array",
    label = "not an index",
    note = "use any integer type"
)]
pub trait Index: sealed::Sealed + Copy {
    /// Returns the index; `None` for a negative one, which is out of range of every array.
    fn to_index(self) -> Option<u64>;
}

macro_rules! word {
    ($type:ty, $scalar:ident, $cells:ident, |$value:ident| $to:expr, |$word:ident| $from:expr $(, $same:ty)?) => {
        impl sealed::Sealed for $type {}
        impl Word for $type {
            const SCALAR: Scalar = Scalar::$scalar;
            #[inline]
            fn to_word(self) -> u64 {
                let $value = self;
                $to
            }
            #[inline]
            fn from_word($word: u64) -> $type {
                $from
            }
            #[inline]
            fn column(values: Cow<'_, [$type]>) -> Result<Column<'_>, Cow<'_, [$type]>> {
                cells_of(values).map(Column::$cells)
            }
            $(#[inline]
            fn values(words: &[u64]) -> Option<&[$same]> {
                bytemuck::try_cast_slice(words).ok()
            })?
        }
    };
}

macro_rules! integers {
    ($($type:ident as $bits:ident, $scalar:ident $cells:ident $($same:ident)?;)*) => {$(
        word!($type, $scalar, $cells, |value| u64::from(value as $bits), |word| word as $type $(, $same)?);
        impl Index for $type {
            #[inline]
            fn to_index(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        }
    )*};
}

integers! {
    i8 as u8, I8 U8;
    i16 as u16, I16 U16;
    i32 as u32, I32 U32;
    i64 as u64, I64 U64 i64;
    u8 as u8, U8 U8;
    u16 as u16, U16 U16;
    u32 as u32, U32 U32;
    u64 as u64, U64 U64 u64;
}

// The device has 64-bit words for these, like every host with a CUDA driver.
word!(isize, Isize, U64, |value| value as i64 as u64, |word| word as isize);
word!(usize, Usize, U64, |value| value as u64, |word| word as usize);
word!(f32, F32, U32, |value| u64::from(value.to_bits()), |word| f32::from_bits(word as u32));
word!(f64, F64, U64, |value| value.to_bits(), |word| f64::from_bits(word), f64);
word!(bool, Bool, U8, |value| u64::from(value), |word| word & 1 != 0);

impl Index for isize {
    #[inline]
    fn to_index(self) -> Option<u64> {
        u64::try_from(self).ok()
    }
}

impl Index for usize {
    #[inline]
    fn to_index(self) -> Option<u64> {
        u64::try_from(self).ok()
    }
}

/// Formats the value of a word as Rust prints it, for reports.
pub(crate) fn show(scalar: Scalar, word: u64) -> String {
    match scalar {
        Scalar::I8 => i8::from_word(word).to_string(),
        Scalar::I16 => i16::from_word(word).to_string(),
        Scalar::I32 => i32::from_word(word).to_string(),
        Scalar::I64 => i64::from_word(word).to_string(),
        Scalar::Isize => isize::from_word(word).to_string(),
        Scalar::U8 => u8::from_word(word).to_string(),
        Scalar::U16 => u16::from_word(word).to_string(),
        Scalar::U32 => u32::from_word(word).to_string(),
        // A component is never wide.
        Scalar::U64 | Scalar::I128 | Scalar::U128 => word.to_string(),
        Scalar::Usize => usize::from_word(word).to_string(),
        Scalar::F32 => format!("{:?}", f32::from_word(word)),
        Scalar::F64 => format!("{:?}", f64::from_word(word)),
        Scalar::Bool => bool::from_word(word).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_values_own_bits() {
        assert_eq!((-1_i8).to_word(), 0xff);
        assert_eq!((-2_i64).to_word(), u64::MAX - 1);
        assert_eq!((-1_isize).to_word(), u64::MAX);
        assert_eq!(1.5_f32.to_word(), 0x3fc0_0000);
        assert_eq!(true.to_word(), 1);
    }

    #[test]
    fn words_come_back() {
        assert_eq!(i8::from_word(0xff), -1);
        assert_eq!(i16::from_word((-300_i16).to_word()), -300);
        assert_eq!(f64::from_word((-0.0_f64).to_word()).to_bits(), (-0.0_f64).to_bits());
        assert!(f32::from_word(f32::NAN.to_word()).is_nan());
    }

    #[test]
    fn negative_indices_are_none() {
        assert_eq!((-1_i32).to_index(), None);
        assert_eq!(i64::MIN.to_index(), None);
        assert_eq!(7_u8.to_index(), Some(7));
    }

    #[test]
    fn values_print_as_in_rust() {
        assert_eq!(show(Scalar::I8, 0xff), "-1");
        assert_eq!(show(Scalar::F32, 1.0_f32.to_word()), "1.0");
        assert_eq!(show(Scalar::Bool, 1), "true");
    }
}
