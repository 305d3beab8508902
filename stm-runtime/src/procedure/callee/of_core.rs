//! What stands for the functions of `core::cmp` that a program imports.

use kernels_gen::spec::Source;

use super::Annotated;

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

                /// Returns it for any arguments.
                pub const fn stm_at<A>(_: &impl FnOnce() -> A) -> &'static super::Source {
                    Self::stm_source()
                }

                /// Returns it for any arguments and result.
                pub const fn stm_given<A, R>(_: &impl FnOnce() -> A, _: &impl FnOnce() -> R) -> &'static super::Source {
                    Self::stm_source()
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
            impl super::super::Determined for stm_called {}
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
