//! Methods of a trait that take `&mut self`, where the type has none of its own.
//!
//! Every type has a method that stands for one without the attribute. rustc would find it together with the method of the trait, and could
//! not choose. So rustc finds only the first, which gives a [`Deferred`] call. The type that stands for the method of the trait runs that call.

use std::marker::PhantomData;

use super::method::{NoAttribute, OfTrait, Run};
use crate::tx::{Abort, Kind, Tx};

/// A call of a method with `&mut self` that the type itself does not have.
#[derive(Debug)]
pub struct Deferred<'a, T, A, K, const CHECKED: bool> {
    this: &'a mut T,
    args: A,
    kind: PhantomData<K>,
}

impl<'a, T, A, K: Kind, const CHECKED: bool> Deferred<'a, T, A, K, CHECKED> {
    /// Returns the call. `args`: those beside the receiver.
    #[inline(always)]
    pub fn new(this: &'a mut T, args: A) -> Self {
        Deferred { this, args, kind: PhantomData }
    }

    /// Adds what the closure finds for the receiver. The closure is never called.
    #[inline(always)]
    pub fn stm_found<M: Finds<Self>>(self, _: impl FnOnce(&mut T) -> M) -> M::Call {
        M::stm_call(self)
    }
}

/// A call of a method that the type itself has.
pub trait Direct: Sized {
    /// Returns the same call.
    #[inline(always)]
    #[must_use]
    fn stm_found<M>(self, _: impl FnOnce(&mut ()) -> M) -> Self {
        self
    }
}

impl<D> Direct for D {}

/// What stands for a method, or for one without the attribute.
pub trait Finds<D> {
    /// The call, once the method is known.
    type Call;

    #[doc(hidden)]
    fn stm_call(deferred: D) -> Self::Call;
}

impl<D> Finds<D> for NoAttribute {
    type Call = NoAttribute;

    fn stm_call(_: D) -> NoAttribute {
        NoAttribute
    }
}

impl<D, M, const TRIES: bool, const TAKES: bool> Finds<D> for OfTrait<M, TRIES, TAKES> {
    type Call = OfMethod<M, D>;

    #[inline(always)]
    fn stm_call(deferred: D) -> OfMethod<M, D> {
        OfMethod::new(deferred)
    }
}

/// The call of a known method of a trait.
#[derive(Debug)]
pub struct OfMethod<M, D> {
    deferred: D,
    method: PhantomData<M>,
}

impl<M, D> OfMethod<M, D> {
    /// Returns the call.
    #[inline(always)]
    pub fn new(deferred: D) -> Self {
        OfMethod { deferred, method: PhantomData }
    }
}

/// Stands for a method of a trait that takes `&mut self`, with these arguments.
pub trait RunsExclusive<'a, T, A, R> {
    /// Runs the method. Its locations begin at `base`.
    ///
    /// # Errors
    /// As the method.
    fn run<K: Kind, const CHECKED: bool>(this: &'a mut T, args: A, base: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort>;
}

#[diagnostic::do_not_recommend]
impl<'a, K, R, M, T, A, const CHECKED: bool> Run<K, R> for OfMethod<M, Deferred<'a, T, A, K, CHECKED>>
where
    K: Kind,
    M: RunsExclusive<'a, T, A, R>,
{
    #[inline(always)]
    fn run(self, base: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort> {
        M::run::<K, CHECKED>(self.deferred.this, self.deferred.args, base, tx)
    }
}
