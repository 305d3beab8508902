//! Which of the traits that the compiler uses a type of the user's program implements.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use kernels_gen::spec::{DefaultOf, EqualOf, Format, OrderOf, Traits};

use super::value::{GpuData, value_of, words_of};

/// The traits of a type: its own constants where it implements them, and those of [`NoTraits`] otherwise.
#[doc(hidden)]
#[derive(Debug)]
pub struct TraitsOf<T>(PhantomData<T>);

/// What a type has that implements none of them.
#[doc(hidden)]
pub trait NoTraits {
    /// No `Debug`.
    const DEBUG: Option<Format> = Traits::NONE.debug;
    /// No `Display`.
    const DISPLAY: Option<Format> = Traits::NONE.display;
    /// No `Default`.
    const DEFAULT: Option<DefaultOf> = Traits::NONE.default;
    /// No `PartialEq`.
    const EQUAL: Option<EqualOf> = Traits::NONE.equal;
    /// No `PartialOrd`.
    const ORDER: Option<OrderOf> = Traits::NONE.order;
}

impl<T> NoTraits for TraitsOf<T> {}

impl<T: GpuData + Debug> TraitsOf<T> {
    /// Its `Debug`.
    pub const DEBUG: Option<Format> = Some(|words, f| Debug::fmt(&value_of::<T>(words.iter().copied()), f));
}

impl<T: GpuData + Default> TraitsOf<T> {
    /// Its `Default`.
    pub const DEFAULT: Option<DefaultOf> = Some(|_| words_of(T::default()));
}

impl<T: GpuData + Display> TraitsOf<T> {
    /// Its `Display`.
    pub const DISPLAY: Option<Format> = Some(|words, f| Display::fmt(&value_of::<T>(words.iter().copied()), f));
}

impl<T: GpuData + PartialEq> TraitsOf<T> {
    /// Its `PartialEq`.
    pub const EQUAL: Option<EqualOf> =
        Some(|a, b| value_of::<T>(a.iter().copied()) == value_of::<T>(b.iter().copied()));
}

impl<T: GpuData + PartialOrd> TraitsOf<T> {
    /// Its `PartialOrd`.
    pub const ORDER: Option<OrderOf> =
        Some(|a, b| value_of::<T>(a.iter().copied()).partial_cmp(&value_of::<T>(b.iter().copied())));
}
