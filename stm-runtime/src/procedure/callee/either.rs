//! Methods with the names of built-in ones, where only rustc knows the type: which of the two a call leads to.

use std::marker::PhantomData;

use kernels_gen::spec::Source;

use super::method::{Method, Run, never};
use crate::tx::{Abort, Kind, Tx};

/// What rustc finds for the name of a built-in method: a method of the user's own, or that one.
pub trait Found: Copy {
    /// It is the user's own.
    const OWN: bool;
    /// The method, as the macro describes it.
    const EITHER: &'static Source;
    /// The type of the receiver of the built-in method, where it is not called a signed integer.
    type Signed<T>;
    /// The same, an unsigned integer.
    type Unsigned<T>;
}

#[diagnostic::do_not_recommend]
impl<M: Method> Found for M {
    const OWN: bool = true;
    const EITHER: &'static Source = M::SOURCE;
    type Signed<T> = i32;
    type Unsigned<T> = u32;
}

/// Stands for a built-in method.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInMethod<const METHOD: usize>;

impl<const METHOD: usize> Found for BuiltInMethod<METHOD> {
    const OWN: bool = false;
    const EITHER: &'static Source = &Source::built_in_method(kernels_gen::methods::name_of(METHOD));
    type Signed<T> = T;
    type Unsigned<T> = T;
}

/// Stands in for a method of the user's own where it is a built-in one.
#[derive(Debug)]
pub struct NotRun<K>(PhantomData<K>);

impl<K> NotRun<K> {
    /// The only value.
    pub const VALUE: NotRun<K> = NotRun(PhantomData);
}

#[diagnostic::do_not_recommend]
impl<K: Kind, R> Run<K, R> for NotRun<K> {
    fn run(self, _: u32, _: &mut Tx<'_, K>) -> Result<R, Abort> {
        never()
    }
}

/// Passes a value to or from a built-in method. Where that is not called, a value of any type stands for it.
pub trait Pass<A, B>: Found {
    #[doc(hidden)]
    fn passed(self, value: A) -> B;
}

#[diagnostic::do_not_recommend]
impl<M: Method, A, B> Pass<A, B> for M {
    fn passed(self, _: A) -> B {
        never()
    }
}

#[diagnostic::do_not_recommend]
impl<const METHOD: usize, A> Pass<A, A> for BuiltInMethod<METHOD> {
    #[inline(always)]
    fn passed(self, value: A) -> A {
        value
    }
}

/// Does so.
#[inline(always)]
pub fn pass<M: Pass<A, B>, A, B>(found: M, value: A) -> B {
    found.passed(value)
}

/// Passes the receiver of a method of integers.
#[inline(always)]
pub fn signed<M: Pass<T, <M as Found>::Signed<T>>, T>(found: M, value: T) -> M::Signed<T> {
    found.passed(value)
}

/// Passes the receiver of a method of unsigned integers.
#[inline(always)]
pub fn unsigned<M: Pass<T, <M as Found>::Unsigned<T>>, T>(found: M, value: T) -> M::Unsigned<T> {
    found.passed(value)
}

/// Returns whether rustc has found a method of the user's own.
#[inline(always)]
pub const fn is_own<M: Found>(_: M) -> bool {
    M::OWN
}

/// Returns the source of what the closure finds, which is never called.
pub const fn source_of_either<M: Found>(_: &impl FnOnce() -> M) -> &'static Source {
    M::EITHER
}
