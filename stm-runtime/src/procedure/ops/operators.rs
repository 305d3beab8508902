//! Operators where only rustc knows the type: generated code calls `a.stm_run_op_add(b)` for `a + b`. For a type whose `impl Add` has
//! `#[gpu_fn]` that is its own function; for all others rustc finds the functions here, which are those of numbers.

use std::marker::PhantomData;

use kernels_gen::spec::Source;

use super::{Arith, Signed};
use crate::procedure::callee::Method;
use crate::tx::{Abort, Kind, Tx};

/// An operator with its operands.
pub trait Operation<K: Kind, R> {
    /// Runs it. The locations of a function begin at `base`; the operator itself is at `location`.
    ///
    /// # Errors
    /// As the operator.
    fn operate(self, base: u32, location: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort>;
}

impl<K: Kind, R, F: FnOnce(u32, &mut Tx<'_, K>) -> Result<R, Abort>> Operation<K, R> for F {
    #[inline(always)]
    fn operate(self, base: u32, _: u32, tx: &mut Tx<'_, K>) -> Result<R, Abort> {
        self(base, tx)
    }
}

/// An operator of numbers with its operands: two, a place and a value, or one.
#[derive(Debug)]
pub struct OfNumbers<K, const FORM: usize, L, T>(L, T, fn(T, T, u32) -> Result<T, Abort>, PhantomData<K>);

impl<K: Kind, T> Operation<K, T> for OfNumbers<K, 2, T, T> {
    #[inline(always)]
    fn operate(self, _: u32, location: u32, _: &mut Tx<'_, K>) -> Result<T, Abort> {
        (self.2)(self.0, self.1, location)
    }
}

impl<K: Kind, T: Copy> Operation<K, ()> for OfNumbers<K, 3, &mut T, T> {
    #[inline(always)]
    fn operate(self, _: u32, location: u32, _: &mut Tx<'_, K>) -> Result<(), Abort> {
        *self.0 = (self.2)(*self.0, self.1, location)?;
        Ok(())
    }
}

impl<K: Kind, T: Copy> Operation<K, T> for OfNumbers<K, 1, (), T> {
    #[inline(always)]
    fn operate(self, _: u32, location: u32, _: &mut Tx<'_, K>) -> Result<T, Abort> {
        (self.2)(self.1, self.1, location)
    }
}

/// Stands for an operator of numbers.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn<const OPERATOR: usize>;

const NAMES: [&str; 11] = ["+", "-", "*", "/", "%", "+=", "-=", "*=", "/=", "%=", "neg"];

impl<const OPERATOR: usize> Method for BuiltIn<OPERATOR> {
    const SOURCE: &'static Source = &Source::built_in(NAMES[OPERATOR]);
}

macro_rules! operators {
    ($($number:literal $call:ident: $find:ident $run:ident, $assign:literal $find_assign:ident $run_assign:ident;)*) => {
        /// The operators of every type: those of numbers.
        #[allow(missing_docs, reason = "they are named after the operators")]
        pub trait Operators: Sized {
            $(
                fn $find(&self) -> BuiltIn<$number> {
                    BuiltIn
                }

                fn $find_assign(&self) -> BuiltIn<$assign> {
                    BuiltIn
                }

                #[inline(always)]
                fn $run<K: Kind, const CHECKED: bool>(self, other: Self) -> OfNumbers<K, 2, Self, Self>
                where
                    Self: Arith,
                {
                    OfNumbers(self, other, super::$call::<Self, CHECKED>, PhantomData)
                }

                #[inline(always)]
                fn $run_assign<K: Kind, const CHECKED: bool>(&mut self, other: Self) -> OfNumbers<K, 3, &mut Self, Self>
                where
                    Self: Arith,
                {
                    OfNumbers(self, other, super::$call::<Self, CHECKED>, PhantomData)
                }
            )*

            fn stm_find_op_neg(&self) -> BuiltIn<10> {
                BuiltIn
            }

            #[inline(always)]
            fn stm_run_op_neg<K: Kind, const CHECKED: bool>(self) -> OfNumbers<K, 1, (), Self>
            where
                Self: Signed,
            {
                OfNumbers((), self, |value, _, location| super::neg::<Self, CHECKED>(value, location), PhantomData)
            }
        }
    };
}

operators! {
    0 add: stm_find_op_add stm_run_op_add, 5 stm_find_op_add_assign stm_run_op_add_assign;
    1 sub: stm_find_op_sub stm_run_op_sub, 6 stm_find_op_sub_assign stm_run_op_sub_assign;
    2 mul: stm_find_op_mul stm_run_op_mul, 7 stm_find_op_mul_assign stm_run_op_mul_assign;
    3 div: stm_find_op_div stm_run_op_div, 8 stm_find_op_div_assign stm_run_op_div_assign;
    4 rem: stm_find_op_rem stm_run_op_rem, 9 stm_find_op_rem_assign stm_run_op_rem_assign;
}

impl<T> Operators for T {}
