//! Methods of the user's traits where only the trait is known, and for types of the language.

use std::any::Any;

use kernels_gen::spec::Source;

use super::method::{Attributed, Implements, Method, Runs, never};
use crate::tx::{Abort, Kind, Tx};

/// Returns the source of a type's own method, or that of the default one.
pub const fn own_or(own: &'static [(u64, &'static Source)], method: u64, default: &'static Source) -> &'static Source {
    let mut k = 0;
    while k < own.len() {
        if own[k].0 == method {
            return own[k].1;
        }
        k += 1;
    }
    default
}

/// Refuses a call of a default method that names the trait, where the type has one of its own, and an argument is a shared array: only
/// the type's own functions take one there.
///
/// # Panics
/// At compile time, if it has.
pub const fn refuse_own(own: &'static [(u64, &'static Source)], method: u64) {
    let mut k = 0;
    while k < own.len() {
        assert!(
            own[k].0 != method,
            "STM0005: the type has its own method in place of this default one, which takes shared arrays, and the call names the trait; \
             call it on the value, as in `value.method(..)`"
        );
        k += 1;
    }
}

/// Returns the value as one of its own type, for which its caller knows another name.
fn same<A: 'static, B: 'static>(value: A) -> Option<B> {
    (&mut Some(value) as &mut dyn Any).downcast_mut::<Option<B>>()?.take()
}

/// Runs a type's own method.
#[inline]
pub fn run_as<A: 'static, R: 'static, B: 'static, S: 'static>(
    args: A,
    run: impl FnOnce(B) -> Result<S, Abort>,
) -> Option<Result<R, Abort>> {
    match run(same(args)?) {
        Ok(value) => same(value).map(Ok),
        Err(abort) => Some(Err(abort)),
    }
}

/// A type of the language. The `impl` of a trait for one says in the trait's own items how methods run, because no other trait of this
/// crate can be implemented for it there.
pub trait OfLanguage {}

const UNANNOTATED: &str =
    "the `impl` of a trait for a type of the language has no `#[gpu_fn]`; write it before the `impl`";

/// Stands for a method of such a type.
#[derive(Debug, Clone, Copy)]
pub struct Unannotated;

impl Method for Unannotated {
    const SOURCE: &'static Source = panic!("{}", UNANNOTATED);
}

#[diagnostic::do_not_recommend]
impl<const METHOD: u64, T: OfLanguage> Implements<METHOD> for T {
    type Marker = Unannotated;
}

#[diagnostic::do_not_recommend]
impl<const METHOD: u64, A, R, T: OfLanguage> Runs<METHOD, A, R> for T {
    fn run<K: Kind, const CHECKED: bool>(_: A, _: u32, _: &mut Tx<'_, K>) -> Result<R, Abort> {
        never()
    }
}

#[diagnostic::do_not_recommend]
impl<const TRAIT: u64, T: OfLanguage> Attributed<TRAIT> for T {
    const METHODS: &'static [(u64, &'static Source)] = panic!("{}", UNANNOTATED);

    fn run_own<const METHOD: u64, K: Kind, const CHECKED: bool, A: 'static, R: 'static>(
        _: A,
        _: u32,
        _: &mut Tx<'_, K>,
    ) -> Option<Result<R, Abort>> {
        None
    }
}

macro_rules! of_language {
    ($($type:ty),*; $($($part:ident)*;)*) => {
        $(impl OfLanguage for $type {})*
        $(impl<$($part),*> OfLanguage for ($($part,)*) {})*
    };
}

of_language! {
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, bool, char, (), std::cmp::Ordering;
    A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
}

impl<T> OfLanguage for Option<T> {}
impl<T, E> OfLanguage for Result<T, E> {}
impl<T, const N: usize> OfLanguage for [T; N] {}

#[cfg(test)]
mod tests {
    use super::*;

    static OWN: Source = Source::EMPTY;
    static DEFAULT: Source = Source { recursion: "default", ..Source::EMPTY };
    const ONE: &[(u64, &Source)] = &[(3, &OWN)];
    const TWO: &[(u64, &Source)] = &[(3, &OWN), (5, &OWN)];

    #[test]
    fn a_method_of_the_type_stands_in_place_of_the_default_one() {
        assert!(std::ptr::eq(own_or(TWO, 5, &DEFAULT), &raw const OWN));
        assert!(std::ptr::eq(own_or(ONE, 5, &DEFAULT), &raw const DEFAULT));
    }

    #[test]
    fn a_default_method_with_arrays_is_not_taken_for_the_types_own() {
        refuse_own(ONE, 5);
        let refused = std::panic::catch_unwind(|| refuse_own(TWO, 5));
        let message = refused.expect_err("the type has its own method").downcast::<&str>().map(|text| text.to_string());
        assert!(message.is_ok_and(|text| text.contains("call it on the value")));
    }
}
