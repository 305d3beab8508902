//! Methods of arrays and of `Option` that types of the user's program can have, too. Only rustc knows which one a call means: it finds
//! these where a type has none of its own. The device runs functions of the language, and CPU threads the methods of Rust.

use std::marker::PhantomData;

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::Source;

use super::method::{Method, Run, never};
use super::{Plain, TakesNoTx};
use crate::data::GpuData;
use crate::procedure::local::{Comparable, Lent};
use crate::tx::{Abort, Kind, Tx};

/// Stands for one of the functions, as [`Method`] does for a method.
#[derive(Debug)]
pub struct One<F>(PhantomData<F>);

impl<F> Clone for One<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for One<F> {}

#[diagnostic::do_not_recommend]
impl<F: Plain> Plain for One<F> {}
#[diagnostic::do_not_recommend]
impl<F: TakesNoTx> TakesNoTx for One<F> {}

#[allow(unreachable_pub, reason = "the functions are in the signatures of public traits")]
#[allow(
    clippy::len_zero,
    clippy::manual_contains,
    clippy::manual_next_back,
    clippy::manual_unwrap_or_default,
    clippy::needless_range_loop,
    clippy::question_mark,
    reason = "on the device, what these lints ask for are calls of these functions"
)]
mod functions;

/// Stands for the result of a method.
#[must_use]
pub fn ran<K: Kind, R>(_: impl Run<K, R>) -> R {
    never()
}

/// The end of a method on CPU threads.
fn given<K: Kind, R>(value: R) -> impl Run<K, R> {
    move |_: u32, _: &mut Tx<'_, K>| Ok(value)
}

/// The end of a method for which the device makes that many iterations: they count here, too.
fn repeated<K: Kind, R>(iterations: usize, value: R) -> impl Run<K, R> {
    move |base: u32, tx: &mut Tx<'_, K>| {
        (0..iterations).try_for_each(|_| tx.iteration_at(base))?;
        Ok(value)
    }
}

/// The end of a method that changes nothing where one of its arguments is wrong. `refused`: which of the function's first locations faults.
fn ended<K: Kind>(refused: Option<usize>, code: FaultCode, iterations: usize) -> impl Run<K, ()> {
    move |base: u32, tx: &mut Tx<'_, K>| match refused {
        Some(location) => Err(Abort::fault(code, base + location as u32)),
        None => (0..iterations).try_for_each(|_| tx.iteration_at(base)),
    }
}

/// Returns the iterations of a rotation on the device, which turns the order of both parts and of the whole.
fn iterations_of_rotation(length: usize, by: usize) -> usize {
    by / 2 + length.saturating_sub(by) / 2 + length / 2
}

/// Declares what finds the functions.
macro_rules! finds {
    ($($find:ident $this:tt $name:ident;)*) => { $(
        #[doc(hidden)]
        fn $find $this -> One<functions::$name> {
            One(PhantomData)
        }
    )* };
}

macro_rules! sources {
    ($($name:ident)*) => { $(
        impl Method for One<functions::$name> {
            const SOURCE: &'static Source = <functions::$name>::stm_source();
        }
    )* };
}

sources! {
    contains first last get is_empty fill reverse swap rotate_left rotate_right take replace insert
    flatten unzip transpose transpose_back
}

/// Methods of arrays that take `&self`.
pub trait Looks {
    /// The type of an element.
    type Element: GpuData;

    #[doc(hidden)]
    fn stm_list(&self) -> &[Self::Element];

    #[doc(hidden)]
    fn stm_run_contains<K: Kind, const CHECKED: bool>(&self, value: impl Lent<Self::Element>) -> impl Run<K, bool>
    where
        Self::Element: PartialEq + Comparable,
    {
        let (list, value) = (self.stm_list(), value.lend());
        let found = list.iter().position(|one| one == value);
        repeated(found.map_or(list.len(), |at| at + 1), found.is_some())
    }

    #[doc(hidden)]
    fn stm_run_first<K: Kind, const CHECKED: bool>(&self) -> impl Run<K, Option<Self::Element>> {
        given(self.stm_list().first().copied())
    }

    #[doc(hidden)]
    fn stm_run_last<K: Kind, const CHECKED: bool>(&self) -> impl Run<K, Option<Self::Element>> {
        given(self.stm_list().last().copied())
    }

    #[doc(hidden)]
    fn stm_run_get<K: Kind, const CHECKED: bool>(&self, index: usize) -> impl Run<K, Option<Self::Element>> {
        given(self.stm_list().get(index).copied())
    }

    #[doc(hidden)]
    fn stm_run_is_empty<K: Kind, const CHECKED: bool>(&self) -> impl Run<K, bool> {
        given(self.stm_list().is_empty())
    }

    finds! {
        stm_find_contains(&self) contains;
        stm_find_first(&self) first;
        stm_find_last(&self) last;
        stm_find_get(&self) get;
        stm_find_is_empty(&self) is_empty;
    }
}

impl<T: GpuData, const N: usize> Looks for [T; N] {
    type Element = T;

    fn stm_list(&self) -> &[T] {
        self
    }
}

/// An array, whose methods take `&mut self`.
#[diagnostic::on_unimplemented(
    message = "there is no function of this name with `#[gpu_fn]` for `{Self}`",
    label = "a transaction calls methods and functions with `#[gpu_fn]`, and methods of arrays",
    note = "write `#[gpu_fn]` before the `impl` block that has it"
)]
pub trait Filled {
    /// The type of an element.
    type Element: GpuData;

    #[doc(hidden)]
    fn stm_elements(&mut self) -> &mut [Self::Element];
}

impl<T: GpuData, const N: usize> Filled for [T; N] {
    type Element = T;

    fn stm_elements(&mut self) -> &mut [T] {
        self
    }
}

/// An `Option`, whose methods take `&mut self`.
#[diagnostic::on_unimplemented(
    message = "there is no function of this name with `#[gpu_fn]` for `{Self}`",
    label = "a transaction calls methods and functions with `#[gpu_fn]`, and methods of `Option`",
    note = "write `#[gpu_fn]` before the `impl` block that has it"
)]
pub trait Optional {
    /// The type of the value.
    type Inner: GpuData;

    #[doc(hidden)]
    fn stm_option(&mut self) -> &mut Option<Self::Inner>;
}

impl<T: GpuData> Optional for Option<T> {
    type Inner = T;

    fn stm_option(&mut self) -> &mut Option<T> {
        self
    }
}

/// Methods that take `&mut self`. All types have them, because rustc finds these last, and then says which types really do.
pub trait Changes {
    #[doc(hidden)]
    fn stm_run_fill<K: Kind, const CHECKED: bool>(&mut self, value: Self::Element) -> impl Run<K, ()>
    where
        Self: Filled,
    {
        let list = self.stm_elements();
        list.fill(value);
        repeated(list.len(), ())
    }

    #[doc(hidden)]
    fn stm_run_reverse<K: Kind, const CHECKED: bool>(&mut self) -> impl Run<K, ()>
    where
        Self: Filled,
    {
        let list = self.stm_elements();
        list.reverse();
        repeated(list.len() / 2, ())
    }

    #[doc(hidden)]
    fn stm_run_swap<K: Kind, const CHECKED: bool>(&mut self, a: usize, b: usize) -> impl Run<K, ()>
    where
        Self: Filled,
    {
        let list = self.stm_elements();
        let refused = [a, b].iter().position(|at| *at >= list.len());
        if refused.is_none() {
            list.swap(a, b);
        }
        ended(refused, FaultCode::IndexOutOfRange, 0)
    }

    #[doc(hidden)]
    fn stm_run_rotate_left<K: Kind, const CHECKED: bool>(&mut self, by: usize) -> impl Run<K, ()>
    where
        Self: Filled,
    {
        let list = self.stm_elements();
        let refused = (by > list.len()).then_some(0);
        if refused.is_none() {
            list.rotate_left(by);
        }
        ended(refused, FaultCode::Panic, iterations_of_rotation(list.len(), by))
    }

    #[doc(hidden)]
    fn stm_run_rotate_right<K: Kind, const CHECKED: bool>(&mut self, by: usize) -> impl Run<K, ()>
    where
        Self: Filled,
    {
        let list = self.stm_elements();
        let refused = (by > list.len()).then_some(0);
        if refused.is_none() {
            list.rotate_right(by);
        }
        ended(refused, FaultCode::Panic, iterations_of_rotation(list.len(), list.len().saturating_sub(by)))
    }

    #[doc(hidden)]
    fn stm_run_take<K: Kind, const CHECKED: bool>(&mut self) -> impl Run<K, Option<Self::Inner>>
    where
        Self: Optional,
    {
        given(self.stm_option().take())
    }

    #[doc(hidden)]
    fn stm_run_replace<K: Kind, const CHECKED: bool>(&mut self, value: Self::Inner) -> impl Run<K, Option<Self::Inner>>
    where
        Self: Optional,
    {
        given(self.stm_option().replace(value))
    }

    #[doc(hidden)]
    fn stm_run_insert<K: Kind, const CHECKED: bool>(&mut self, value: Self::Inner) -> impl Run<K, Self::Inner>
    where
        Self: Optional,
    {
        given(*self.stm_option().insert(value))
    }

    finds! {
        stm_find_fill(&mut self) fill;
        stm_find_reverse(&mut self) reverse;
        stm_find_swap(&mut self) swap;
        stm_find_rotate_left(&mut self) rotate_left;
        stm_find_rotate_right(&mut self) rotate_right;
        stm_find_take(&mut self) take;
        stm_find_replace(&mut self) replace;
        stm_find_insert(&mut self) insert;
    }
}

impl<T> Changes for T {}

/// Declares a trait with one method of `Option` or `Result`, which takes the value.
macro_rules! of_value {
    ($(#[$doc:meta])* $trait:ident: $run:ident $find:ident; $([$($param:ident)*] $of:ty => $given:ty, $method:ident $function:ident;)*) => {
        $(#[$doc])*
        pub trait $trait {
            /// The type of the result.
            type Given;
            /// Stands for the function.
            type Function: Method;

            #[doc(hidden)]
            fn $run<K: Kind, const CHECKED: bool>(self) -> impl Run<K, Self::Given>;

            #[doc(hidden)]
            fn $find(&self) -> Self::Function;
        }

        $(
            impl<$($param: GpuData),*> $trait for $of {
                type Given = $given;
                type Function = One<functions::$function>;

                fn $run<K: Kind, const CHECKED: bool>(self) -> impl Run<K, Self::Given> {
                    given(self.$method())
                }

                fn $find(&self) -> Self::Function {
                    One(PhantomData)
                }
            }
        )*
    };
}

of_value! {
    /// An `Option` of `Option`s.
    Opens: stm_run_flatten stm_find_flatten;
    [T] Option<Option<T>> => Option<T>, flatten flatten;
}

of_value! {
    /// An `Option` of pairs.
    Parts: stm_run_unzip stm_find_unzip;
    [A B] Option<(A, B)> => (Option<A>, Option<B>), unzip unzip;
}

of_value! {
    /// An `Option` of `Result`s, or a `Result` of `Option`s.
    Turns: stm_run_transpose stm_find_transpose;
    [T E] Option<Result<T, E>> => Result<Option<T>, E>, transpose transpose;
    [T E] Result<Option<T>, E> => Option<Result<T, E>>, transpose transpose_back;
}
