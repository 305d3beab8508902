//! How rustc finds the methods that a transaction calls, and what stands in for a function or a method without the attribute.

use std::marker::PhantomData;

use kernels_gen::spec::Source;

use super::{Plain, TakesNoTx, TakesTx, Tries};
use crate::data::{GpuData, Shared};
use crate::tx::{Abort, Kind, Tx};

/// A function or a transaction with an attribute of this project.
#[diagnostic::on_unimplemented(
    message = "this function has no `#[gpu_fn]`",
    label = "a transaction calls functions with `#[gpu_fn]`",
    note = "write `#[gpu_fn]` before the function, if there is one of this name"
)]
pub trait Annotated {
    #[doc(hidden)]
    const OK: () = ();
}

/// What the host version of a method returns. Where no method with the attribute was found, there is no such thing.
#[diagnostic::on_unimplemented(
    message = "there is no function of this name with `#[gpu_fn]` for this type",
    label = "a transaction calls methods and functions with `#[gpu_fn]`",
    note = "write `#[gpu_fn]` before the `impl` block that has it, and before the trait for a default method, or for a call on a parameter such as `T`",
    note = "where it is a method of arrays or of `Option`, give the value a name with its type first: `let mut keys: [u32; 4] = set.keys;`"
)]
pub trait Run<K: Kind, R>: Sized {
    /// Runs the method. Its locations begin at `base`.
    ///
    /// # Errors
    /// As the method.
    fn run(self, base: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort>;
}

#[diagnostic::do_not_recommend]
impl<K: Kind, R, F: FnOnce(u32, &mut Tx<'_, K>) -> Result<R, Abort>> Run<K, R> for F {
    #[inline(always)]
    fn run(self, base: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort> {
        self(base, tx)
    }
}

/// No type: one that has the tables of Unicode.
#[diagnostic::on_unimplemented(
    message = "there is no function of this name with `#[gpu_fn]` for `{Self}`",
    label = "of a `char`, this needs the tables of Unicode, which the device does not have",
    note = "for the letters of ASCII, write `is_ascii_alphabetic`, `is_ascii_digit`, `to_ascii_lowercase` and the like; for others, compute it before the call and pass it"
)]
pub trait HasTables {}

/// Stands for a method of `char` that needs these tables.
#[derive(Debug, Clone, Copy)]
pub struct NeedsTables;

#[diagnostic::do_not_recommend]
impl<K: Kind, R> Run<K, R> for NeedsTables {
    fn run(self, _: u32, _: &mut Tx<'_, K>) -> Result<R, Abort> {
        Err(Abort::fault(kernels_gen::fault::FaultCode::Panic, 0))
    }
}

/// A method with `#[gpu_fn]`: a type that stands for it implements this.
pub trait Method: Copy {
    /// The method, as the macro describes it.
    const SOURCE: &'static Source;
}

/// A type whose `impl` of a trait has a method with `#[gpu_fn]`; `METHOD` is the [`identity`](kernels_gen::spec::identity) of the names of
/// trait and method.
pub trait Implements<const METHOD: u64> {
    /// Stands for the method.
    type Marker: Method;
}

/// The same with the types of its arguments, as the trait has them.
#[diagnostic::on_unimplemented(
    message = "the `impl` of this trait for `{Self}` has no `#[gpu_fn]`",
    label = "write `#[gpu_fn]` before this `impl`",
    note = "the trait has `#[gpu_fn]`, so that functions with a parameter for such types can call its methods"
)]
pub trait Runs<const METHOD: u64, A, R>: Implements<METHOD> {
    /// Runs the method. Its locations begin at `base`.
    ///
    /// # Errors
    /// As the method.
    fn run<K: Kind, const CHECKED: bool>(args: A, base: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort>;
}

/// A type whose `impl` of a trait has `#[gpu_fn]`; `TRAIT` is the number of the name.
#[diagnostic::on_unimplemented(
    message = "the `impl` of this trait for `{Self}` has no `#[gpu_fn]`",
    label = "write `#[gpu_fn]` before this `impl`",
    note = "the trait has `#[gpu_fn]`, and the `impl` can have a method in place of a default one"
)]
pub trait Attributed<const TRAIT: u64> {
    /// The methods that the `impl` has, with their sources.
    const METHODS: &'static [(u64, &'static Source)];

    /// Runs one of them; `None` where the `impl` does not have it. Types are not known here: for others it also returns `None`.
    fn run_own<const METHOD: u64, K: Kind, const CHECKED: bool, A: 'static, R: 'static>(
        args: A,
        base: u32,
        tx: &mut Tx<'_, K>,
    ) -> Option<Result<R, Abort>>;
}

/// A type of the user's program, and no parameter of a function.
#[diagnostic::on_unimplemented(
    message = "a default method that takes shared arrays is called on a parameter, `{Self}`",
    label = "here the type has to be known, because its `impl` can have a method of its own",
    note = "write the method in each `impl`, and not in the trait; or write a function with `#[gpu_fn]`"
)]
pub trait Known {}

/// Stands for a method where only its trait is known. It returns a `TxResult`, and takes the handle, as `TRIES` and `TAKES` say.
#[derive(Debug)]
pub struct OfTrait<M, const TRIES: bool, const TAKES: bool>(PhantomData<M>);

impl<M: Method, const TRIES: bool, const TAKES: bool> OfTrait<M, TRIES, TAKES> {
    /// The only value.
    pub const VALUE: Self = OfTrait(PhantomData);

    /// Returns the source of the method.
    #[must_use]
    pub const fn stm_get(self) -> &'static Source {
        M::SOURCE
    }

    /// Returns the same.
    pub const fn stm_get_or<O>(self, _: &impl FnOnce() -> O) -> &'static Source {
        M::SOURCE
    }
}

impl<M, const TRIES: bool, const TAKES: bool> Clone for OfTrait<M, TRIES, TAKES> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, const TRIES: bool, const TAKES: bool> Copy for OfTrait<M, TRIES, TAKES> {}

impl<M: Method, const TRIES: bool, const TAKES: bool> Method for OfTrait<M, TRIES, TAKES> {
    const SOURCE: &'static Source = M::SOURCE;
}

#[diagnostic::do_not_recommend]
impl<M, const TAKES: bool> Tries for OfTrait<M, true, TAKES> {}
#[diagnostic::do_not_recommend]
impl<M, const TAKES: bool> Plain for OfTrait<M, false, TAKES> {}
#[diagnostic::do_not_recommend]
impl<M, const TRIES: bool> TakesTx for OfTrait<M, TRIES, true> {}
#[diagnostic::do_not_recommend]
impl<M, const TRIES: bool> TakesNoTx for OfTrait<M, TRIES, false> {}

/// Stands for a method without the attribute.
#[derive(Debug, Clone, Copy)]
pub struct NoAttribute;

impl NoAttribute {
    /// Returns the source of a function without a body.
    #[must_use]
    pub const fn stm_get(self) -> &'static Source {
        no_source()
    }

    /// Returns the source of what the closure finds instead: a default method of a trait.
    pub const fn stm_get_or<M: Method>(self, _: &impl FnOnce() -> M) -> &'static Source {
        M::SOURCE
    }
}

const fn no_source() -> &'static Source {
    static SOURCE: Source = Source::EMPTY;
    &SOURCE
}

impl Method for NoAttribute {
    const SOURCE: &'static Source = no_source();
}

#[diagnostic::do_not_recommend]
impl Tries for NoAttribute {}
#[diagnostic::do_not_recommend]
impl Plain for NoAttribute {}
#[diagnostic::do_not_recommend]
impl TakesTx for NoAttribute {}
#[diagnostic::do_not_recommend]
impl TakesNoTx for NoAttribute {}

/// Returns the source of the method that the closure finds. The closure is never called: rustc infers its result.
pub const fn source_of<M: Method>(_: &impl FnOnce() -> M) -> &'static Source {
    M::SOURCE
}

/// Returns the type of what the closure returns, which is never called.
pub const fn type_of<T: GpuData>(_: &impl FnOnce() -> T) -> kernels_gen::spec::Type {
    T::TYPE
}

/// Requires a method that returns a `TxResult`.
pub const fn tries<M: Tries + Copy>(method: M) -> M {
    method
}

/// Requires a method that returns no `TxResult`.
pub const fn plain<M: Plain + Copy>(method: M) -> M {
    method
}

/// Requires a method that takes the handle.
pub const fn takes_tx<M: TakesTx + Copy>(method: M) -> M {
    method
}

/// Requires a method that takes no handle.
pub const fn takes_no_tx<M: TakesNoTx + Copy>(method: M) -> M {
    method
}

/// Stands for a value of a type, in closures that are never called.
///
/// # Panics
/// Always.
#[must_use]
pub fn never<T>() -> T {
    unreachable!("a value that stands for its type")
}

/// Stands for an argument whose type the macro does not know.
#[must_use]
pub fn unknown<T>() -> T {
    never()
}

/// Marks what a function returns.
#[must_use]
pub fn returned<T>(value: T) -> T {
    value
}

/// Marks what a function returns whose arguments do not say for which types it is called.
#[must_use]
pub fn returned_open<T>(value: T) -> T {
    value
}

/// Stands for a reference to such a value, for as long as is needed.
#[must_use]
pub fn lent<'a, T>(_: T) -> &'a T {
    never()
}

/// Stands for an exclusive reference to such a value.
#[must_use]
pub fn lent_mut<'a, T>(_: T) -> &'a mut T {
    never()
}

/// Stands for a shared array of such elements.
#[must_use]
pub fn shared<T: GpuData>(_: T) -> &'static Shared<T> {
    never()
}

/// Stands for the value in an `Option`.
#[must_use]
pub fn inner<T>(_: Option<T>) -> T {
    never()
}

/// Stands for the value in an `Ok`.
#[must_use]
pub fn ok<T, E>(_: Result<T, E>) -> T {
    never()
}

/// Stands for the value in an `Err`.
#[must_use]
pub fn err<T, E>(_: Result<T, E>) -> E {
    never()
}

/// Stands for an array of that many such elements.
#[must_use]
pub fn repeated<T, const N: usize>(_: T) -> [T; N] {
    never()
}

/// Stands for an element of an array.
#[must_use]
pub fn element<T, const N: usize>(_: [T; N]) -> T {
    never()
}

/// Stands for what an array or an `Option` gives one by one.
#[must_use]
pub fn each<I: IntoIterator>(_: I) -> I::Item {
    never()
}

/// Stands for the value in a `TxResult`.
#[must_use]
pub fn committed<T>(_: Result<T, Abort>) -> T {
    never()
}

/// Declares what stands for functions without the attribute, for each number of arguments.
macro_rules! without_attribute {
    ($($module:ident: $($arg:ident)*;)*) => { $(
        /// Stands for a function with this number of arguments and without the attribute.
        pub mod $module {
            use super::super::{Callee, Plain, TakesNoTx, TakesTx, Tries};
            use crate::tx::{Abort, Kind, Tx};

            /// What transactions call in place of the function.
            #[allow(non_camel_case_types)]
            #[derive(Debug)]
            pub struct stm_called {}

            impl stm_called {
                /// Returns the source of a function without a body.
                #[must_use]
                pub const fn stm_source() -> &'static super::Source {
                    super::no_source()
                }

                /// Returns it for any arguments.
                pub const fn stm_at<A>(_: &impl FnOnce() -> A) -> &'static super::Source {
                    Self::stm_source()
                }

                /// Returns it for any arguments and result.
                pub const fn stm_given<A, R>(_: &impl FnOnce() -> A, _: &impl FnOnce() -> R) -> &'static super::Source {
                    Self::stm_source()
                }
            }

            #[diagnostic::do_not_recommend]
            impl super::super::Determined for stm_called {}

            #[diagnostic::do_not_recommend]
            impl Callee for stm_called {}
            #[diagnostic::do_not_recommend]
            impl Tries for stm_called {}
            #[diagnostic::do_not_recommend]
            impl Plain for stm_called {}
            #[diagnostic::do_not_recommend]
            impl TakesTx for stm_called {}
            #[diagnostic::do_not_recommend]
            impl TakesNoTx for stm_called {}

            /// Its host version, whose result has any type.
            pub trait HostVersion<R> {
                /// Is never called.
                #[allow(clippy::too_many_arguments)]
                fn stm_run<K: Kind, const CHECKED: bool>(
                    $($arg: impl Sized),*
                ) -> fn(u32, &mut Tx<'_, K>) -> Result<R, Abort>;
            }

            impl<R> HostVersion<R> for stm_called {
                fn stm_run<K: Kind, const CHECKED: bool>(
                    $($arg: impl Sized),*
                ) -> fn(u32, &mut Tx<'_, K>) -> Result<R, Abort> {
                    $(_ = $arg;)*
                    unreachable!("a function without the attribute is not called")
                }
            }
        }
    )* };
}

without_attribute! {
    without_attribute_0: ;
    without_attribute_1: a;
    without_attribute_2: a b;
    without_attribute_3: a b c;
    without_attribute_4: a b c d;
    without_attribute_5: a b c d e;
    without_attribute_6: a b c d e f;
    without_attribute_7: a b c d e f g;
    without_attribute_8: a b c d e f g h;
}
