//! How rustc finds the methods that a transaction calls, and what stands in for a function or a method without the attribute.

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
    note = "write `#[gpu_fn]` before the `impl` block that has it; a default method of a trait counts where an `impl` writes it out"
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

/// A method with `#[gpu_fn]`: a type that stands for it implements this.
pub trait Method: Copy {
    /// The method, as the macro describes it.
    const SOURCE: &'static Source;
}

/// Stands for a method without the attribute.
#[derive(Debug, Clone, Copy)]
pub struct NoAttribute;

impl NoAttribute {
    /// Returns the source of a function without a body.
    #[must_use]
    pub const fn stm_get(self) -> &'static Source {
        no_source()
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

/// Stands for an element of an array.
#[must_use]
pub fn element<T, const N: usize>(_: [T; N]) -> T {
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
            }

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

/// Functions of the user's program: what [`core_max`] and [`core_min`] check does not concern them.
pub trait OfProgram {
    /// Takes any function, for these arguments.
    fn stm_is<C, A, B, R, F: FnOnce(A, B) -> R>(_: C, _: F, _: A, _: B) {}
}

impl<T> OfProgram for T {}

/// Declares what stands for functions of `core::cmp`, where a program imports them.
macro_rules! of_core {
    ($($module:ident $name:ident;)*) => { $(
        /// Stands for the function of `core::cmp` where the program has none of this name with the attribute.
        pub mod $module {
            use super::super::{Callee, Plain, TakesNoTx};
            use crate::tx::{Abort, Kind, Tx};

            /// Its host version.
            pub trait HostVersion<T> {
                /// Calls it.
                fn stm_run<K: Kind, const CHECKED: bool>(a: T, b: T) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<T, Abort>;
            }

            /// What transactions call in place of the function.
            #[allow(non_camel_case_types)]
            #[derive(Debug)]
            pub struct stm_called {}

            impl stm_called {
                /// Returns the source that stands for the function.
                #[must_use]
                pub const fn stm_source() -> &'static super::Source {
                    const { &super::Source::built_in(stringify!($name)) }
                }

                /// Requires that the function is that of `core::cmp`.
                pub fn stm_is<F, A, B>(_: F, _: F, _: A, _: B) {}

            }

            impl<T: Ord> HostVersion<T> for stm_called {
                fn stm_run<K: Kind, const CHECKED: bool>(a: T, b: T) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<T, Abort> {
                    move |_, _| Ok(std::cmp::$name(a, b))
                }
            }

            #[diagnostic::do_not_recommend]
            impl super::Annotated for stm_called {}
            #[diagnostic::do_not_recommend]
            impl Callee for stm_called {}
            #[diagnostic::do_not_recommend]
            impl Plain for stm_called {}
            #[diagnostic::do_not_recommend]
            impl TakesNoTx for stm_called {}
        }
    )* };
}

of_core! {
    core_max max;
    core_min min;
}
