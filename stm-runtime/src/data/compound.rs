//! `()`, tuples, arrays and `Option`.

use std::cmp::Ordering;

use kernels_gen::spec::{Enum, Scalar, Traits, Type};

use super::alike::{MOST_VALUES, longest, values};
use super::compared::value;
use super::parts::Parts;
use super::shared::Shared;
use super::traits::TraitsOf;
use super::value::{GpuData, NoParts};

impl GpuData for () {
    const TYPE: Type = Type::Unit;
    type Columns = NoParts;
    const STM_VALUES: [Option<()>; MOST_VALUES] = values!(k, 1 => ());

    #[inline]
    fn stm_put(self, _: &mut impl FnMut(u64)) {}

    #[inline]
    fn stm_take(_: &mut impl FnMut() -> u64) {}

    #[inline]
    fn stm_columns(_: &mut Parts<'_>) -> NoParts {
        NoParts
    }
}

/// A `char` is an enum whose values are not listed, because only rustc knows how it is formatted.
impl GpuData for char {
    const TYPE: Type = Type::Enum(&Enum {
        name: "char",
        module: "core",
        repr: Scalar::U32,
        variants: &[],
        traits: Traits {
            debug: TraitsOf::<char>::DEBUG,
            display: TraitsOf::<char>::DISPLAY,
            default: TraitsOf::<char>::DEFAULT,
            ..Traits::NONE
        },
    });
    type Columns = NoParts;
    const STM_VALUES: [Option<char>; MOST_VALUES] = values!(k, 1 => '0');

    #[inline]
    fn stm_put(self, put: &mut impl FnMut(u64)) {
        put(u64::from(u32::from(self)));
    }

    #[inline]
    fn stm_take(take: &mut impl FnMut() -> u64) -> char {
        char::from_u32(take() as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    #[inline]
    fn stm_columns(_: &mut Parts<'_>) -> NoParts {
        NoParts
    }
}

impl GpuData for Ordering {
    const TYPE: Type = Type::Enum(&Enum {
        name: "Ordering",
        module: "core::cmp",
        repr: Scalar::I8,
        variants: &[("Less", -1), ("Equal", 0), ("Greater", 1)],
        traits: Traits { debug: TraitsOf::<Ordering>::DEBUG, ..Traits::NONE },
    });
    type Columns = NoParts;
    const STM_VALUES: [Option<Ordering>; MOST_VALUES] = values!(k, 1 => Ordering::Less);

    #[inline]
    fn stm_put(self, put: &mut impl FnMut(u64)) {
        (self as i8).stm_put(put);
    }

    #[inline]
    fn stm_take(take: &mut impl FnMut() -> u64) -> Ordering {
        i8::stm_take(take).cmp(&0)
    }

    #[inline]
    fn stm_columns(_: &mut Parts<'_>) -> NoParts {
        NoParts
    }
}

macro_rules! tuples {
    ($($($part:ident $at:tt)*;)*) => {$(
        impl<$($part: GpuData),*> GpuData for ($($part,)*) {
            const TYPE: Type = Type::Tuple(&[$($part::TYPE),*]);
            const COMPONENTS: usize = 0_usize $(.saturating_add($part::COMPONENTS))*;
            type Columns = ($(Shared<$part>,)*);
            const STM_LENGTH: usize = longest(&[$($part::STM_LENGTH),*]);
            const STM_VALUES: [Option<Self>; MOST_VALUES] = values!(k, Self::STM_LENGTH => ($(value::<$part>(k),)*));

            #[inline]
            fn stm_put(self, put: &mut impl FnMut(u64)) {
                $(self.$at.stm_put(put);)*
            }

            #[inline]
            fn stm_take(take: &mut impl FnMut() -> u64) -> Self {
                ($($part::stm_take(take),)*)
            }

            fn stm_columns(parts: &mut Parts<'_>) -> Self::Columns {
                ($(parts.part::<$part>(),)*)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

impl<T: GpuData, const N: usize> GpuData for [T; N] {
    const TYPE: Type = Type::Array(&T::TYPE, N as u64);
    const COMPONENTS: usize = T::COMPONENTS.saturating_mul(N);
    type Columns = [Shared<T>; N];
    const STM_LENGTH: usize = T::STM_LENGTH;
    const STM_VALUES: [Option<Self>; MOST_VALUES] = values!(k, Self::STM_LENGTH => [value::<T>(k); N]);

    #[inline]
    fn stm_put(self, put: &mut impl FnMut(u64)) {
        // Not with an iterator, which would copy the array.
        for element in &self {
            element.stm_put(put);
        }
    }

    #[inline]
    fn stm_take(take: &mut impl FnMut() -> u64) -> Self {
        std::array::from_fn(|_| T::stm_take(take))
    }

    fn stm_columns(parts: &mut Parts<'_>) -> Self::Columns {
        std::array::from_fn(|_| parts.part::<T>())
    }
}

/// The component arrays of a `Shared<Option<T>>`.
#[derive(Debug)]
pub struct OptionColumns<T: GpuData> {
    /// Whether there is a value.
    pub is_some: Shared<bool>,
    /// The values; for `None`, the value whose bits are all 0.
    pub some: Shared<T>,
}

impl<T: GpuData> GpuData for Option<T> {
    const TYPE: Type = Type::Option(&T::TYPE);
    const COMPONENTS: usize = T::COMPONENTS.saturating_add(1);
    type Columns = OptionColumns<T>;
    const STM_LENGTH: usize = T::STM_LENGTH;
    const STM_VALUES: [Option<Self>; MOST_VALUES] = values!(k, Self::STM_LENGTH => Some(value::<T>(k)));

    #[inline]
    fn stm_put(self, put: &mut impl FnMut(u64)) {
        put(u64::from(self.is_some()));
        match self {
            Some(value) => value.stm_put(put),
            None => (0..T::COMPONENTS).for_each(|_| put(0)),
        }
    }

    #[inline]
    fn stm_take(take: &mut impl FnMut() -> u64) -> Self {
        let is_some = bool::stm_take(take);
        let value = T::stm_take(take);
        is_some.then_some(value)
    }

    fn stm_columns(parts: &mut Parts<'_>) -> Self::Columns {
        OptionColumns { is_some: parts.part(), some: parts.part() }
    }
}

/// The component arrays of a `Shared<Result<T, E>>`.
#[derive(Debug)]
pub struct ResultColumns<T: GpuData, E: GpuData> {
    /// Whether it is `Ok`.
    pub is_ok: Shared<bool>,
    /// The values of `Ok`; for `Err`, the value whose bits are all 0.
    pub ok: Shared<T>,
    /// The values of `Err`; for `Ok`, the value whose bits are all 0.
    pub err: Shared<E>,
}

impl<T: GpuData, E: GpuData> GpuData for Result<T, E> {
    const TYPE: Type = Type::Result(&T::TYPE, &E::TYPE);
    const COMPONENTS: usize = T::COMPONENTS.saturating_add(E::COMPONENTS).saturating_add(1);
    type Columns = ResultColumns<T, E>;
    const STM_LENGTH: usize = longest(&[T::STM_LENGTH, E::STM_LENGTH]) * 2;
    const STM_VALUES: [Option<Self>; MOST_VALUES] =
        values!(k, Self::STM_LENGTH => if k % 2 == 0 { Ok(value::<T>(k / 2)) } else { Err(value::<E>(k / 2)) });

    #[inline]
    fn stm_put(self, put: &mut impl FnMut(u64)) {
        put(u64::from(self.is_ok()));
        match self {
            Ok(value) => {
                value.stm_put(put);
                (0..mutant!("data: an `Ok` ends with its value", E::COMPONENTS, 0)).for_each(|_| put(0));
            }
            Err(error) => {
                (0..mutant!("data: an `Err` lies over the value of `Ok`", T::COMPONENTS, 0)).for_each(|_| put(0));
                error.stm_put(put);
            }
        }
    }

    #[inline]
    fn stm_take(take: &mut impl FnMut() -> u64) -> Self {
        let is_ok = bool::stm_take(take);
        let (value, error) = (T::stm_take(take), E::stm_take(take));
        if is_ok { Ok(value) } else { Err(error) }
    }

    fn stm_columns(parts: &mut Parts<'_>) -> Self::Columns {
        ResultColumns { is_ok: parts.part(), ok: parts.part(), err: parts.part() }
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;
    use crate::data::format::Shown;
    use crate::data::{value_of, words_of};

    hunted! {
        both_values_of_a_result_have_their_places
    }

    #[cfg_attr(test, test)]
    fn both_values_of_a_result_have_their_places() {
        let values: [Result<(u8, bool), u16>; 2] = [Ok((3, true)), Err(7)];
        for (value, words) in values.into_iter().zip([[1, 3, 1, 0], [0, 0, 0, 7]]) {
            assert_eq!((words_of(value), value_of(words)), (words.to_vec(), value));
            let shown = Shown { ty: <Result<(u8, bool), u16>>::TYPE, words: &words };
            assert_eq!(format!("{shown:?}"), format!("{value:?}"));
        }
    }
}
