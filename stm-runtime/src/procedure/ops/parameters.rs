//! Operators on a parameter for types: what stands for the bound `Add` and the like. Numbers have these, and types whose `impl` of the
//! operator has `#[gpu_fn]`. rustc prefers what the bounds of a parameter say to the trait of all types, whose functions have the same
//! names.

use super::operators::{BuiltIn, OfNumbers, Operation, Operators};
use super::{Arith, Signed};
use crate::procedure::callee::Method;
use crate::tx::Kind;

macro_rules! binary {
    ($($of:ident: $operator:ident $number:literal $find:ident $run:ident;)*) => { $(
        /// What stands for the bound of this operator.
        #[diagnostic::on_unimplemented(
            message = "`{Self}` has no arithmetic in a transaction",
            label = "operators are for numbers, and for types whose `impl` of the operator has `#[gpu_fn]`",
            note = "write `#[gpu_fn]` before the `impl` of the operator, as in `#[gpu_fn] impl Add for Money`"
        )]
        pub trait $of<Rhs = Self>: std::ops::$operator<Rhs> + Sized {
            /// Stands for the function.
            type StmMarker: Method;

            #[doc(hidden)]
            fn $find(&self) -> Self::StmMarker;

            #[doc(hidden)]
            fn $run<K: Kind, const CHECKED: bool>(
                self, other: Rhs
            ) -> impl Operation<K, <Self as std::ops::$operator<Rhs>>::Output>;
        }

        impl<T: Arith + std::ops::$operator<T, Output = T>> $of for T {
            type StmMarker = BuiltIn<$number>;

            fn $find(&self) -> BuiltIn<$number> {
                BuiltIn
            }

            #[inline(always)]
            #[allow(refining_impl_trait)]
            fn $run<K: Kind, const CHECKED: bool>(self, other: T) -> OfNumbers<K, 2, T, T> {
                Operators::$run::<K, CHECKED>(self, other)
            }
        }
    )* };
}

binary! {
    OfAdd: Add 0 stm_find_op_add stm_run_op_add;
    OfSub: Sub 1 stm_find_op_sub stm_run_op_sub;
    OfMul: Mul 2 stm_find_op_mul stm_run_op_mul;
    OfDiv: Div 3 stm_find_op_div stm_run_op_div;
    OfRem: Rem 4 stm_find_op_rem stm_run_op_rem;
}

macro_rules! assigning {
    ($($of:ident: $operator:ident $number:literal $find:ident $run:ident;)*) => { $(
        /// What stands for the bound of this operator.
        #[diagnostic::on_unimplemented(
            message = "`{Self}` has no arithmetic in a transaction",
            label = "operators are for numbers, and for types whose `impl` of the operator has `#[gpu_fn]`",
            note = "write `#[gpu_fn]` before the `impl` of the operator, as in `#[gpu_fn] impl AddAssign for Money`"
        )]
        pub trait $of<Rhs = Self>: std::ops::$operator<Rhs> {
            /// Stands for the function.
            type StmMarker: Method;

            #[doc(hidden)]
            fn $find(&self) -> Self::StmMarker;

            #[doc(hidden)]
            fn $run<K: Kind, const CHECKED: bool>(&mut self, other: Rhs) -> impl Operation<K, ()>;
        }

        impl<T: Arith + std::ops::$operator<T>> $of for T {
            type StmMarker = BuiltIn<$number>;

            fn $find(&self) -> BuiltIn<$number> {
                BuiltIn
            }

            #[inline(always)]
            #[allow(refining_impl_trait)]
            fn $run<K: Kind, const CHECKED: bool>(&mut self, other: T) -> OfNumbers<K, 3, &mut T, T> {
                Operators::$run::<K, CHECKED>(self, other)
            }
        }
    )* };
}

assigning! {
    OfAddAssign: AddAssign 5 stm_find_op_add_assign stm_run_op_add_assign;
    OfSubAssign: SubAssign 6 stm_find_op_sub_assign stm_run_op_sub_assign;
    OfMulAssign: MulAssign 7 stm_find_op_mul_assign stm_run_op_mul_assign;
    OfDivAssign: DivAssign 8 stm_find_op_div_assign stm_run_op_div_assign;
    OfRemAssign: RemAssign 9 stm_find_op_rem_assign stm_run_op_rem_assign;
}

/// What stands for the bound `Neg`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no negation in a transaction",
    label = "it is for numbers, and for types whose `impl` of it has `#[gpu_fn]`",
    note = "write `#[gpu_fn]` before the `impl`, as in `#[gpu_fn] impl Neg for Money`"
)]
pub trait OfNeg: std::ops::Neg + Sized {
    /// Stands for the function.
    type StmMarker: Method;

    #[doc(hidden)]
    fn stm_find_op_neg(&self) -> Self::StmMarker;

    #[doc(hidden)]
    fn stm_run_op_neg<K: Kind, const CHECKED: bool>(self) -> impl Operation<K, <Self as std::ops::Neg>::Output>;
}

impl<T: Signed + std::ops::Neg<Output = T>> OfNeg for T {
    type StmMarker = BuiltIn<10>;

    fn stm_find_op_neg(&self) -> BuiltIn<10> {
        BuiltIn
    }

    #[inline(always)]
    #[allow(refining_impl_trait)]
    fn stm_run_op_neg<K: Kind, const CHECKED: bool>(self) -> OfNumbers<K, 1, (), T> {
        Operators::stm_run_op_neg::<K, CHECKED>(self)
    }
}
