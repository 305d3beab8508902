//! Methods of arrays and of `Option` that types of the user's program can have, too. Only rustc knows which one a call means: it finds
//! these where a type has none of its own. The device runs functions of the language, and CPU threads the methods of Rust.

use super::method::One;
use super::{Plain, TakesNoTx};
use crate::data::GpuData;
use crate::procedure::local::{Comparable, Lent};
use crate::tx::{Abort, Kind, Tx};

impl<F: Plain> Plain for One<F> {}
impl<F: TakesNoTx> TakesNoTx for One<F> {}

/// What the device runs.
#[allow(unreachable_pub)]
mod functions {
    use stm_macros::gpu_fn;

    #[gpu_fn]
    pub fn contains<T: PartialEq + Copy, const N: usize>(list: &[T; N], value: &T) -> bool {
        list.iter().any(|one| *one == *value)
    }

    #[gpu_fn]
    pub fn first<T: Copy, const N: usize>(list: &[T; N]) -> Option<T> {
        list.iter().copied().next()
    }

    #[gpu_fn]
    pub fn last<T: Copy, const N: usize>(list: &[T; N]) -> Option<T> {
        list.iter().copied().rev().next()
    }

    #[gpu_fn]
    pub fn get<T: Copy, const N: usize>(list: &[T; N], index: usize) -> Option<T> {
        if index < list.len() { Some(list[index]) } else { None }
    }

    #[gpu_fn]
    pub fn fill<T: Copy, const N: usize>(list: &mut [T; N], value: T) {
        for k in 0..list.len() {
            list[k] = value;
        }
    }

    #[gpu_fn]
    pub fn reverse<T: Copy, const N: usize>(list: &mut [T; N]) {
        for k in 0..list.len() / 2 {
            let other = list.len() - 1 - k;
            (list[k], list[other]) = (list[other], list[k]);
        }
    }

    #[gpu_fn]
    pub fn take<T: Copy>(option: &mut Option<T>) -> Option<T> {
        let old = *option;
        *option = None;
        old
    }

    #[gpu_fn]
    pub fn replace<T: Copy>(option: &mut Option<T>, value: T) -> Option<T> {
        let old = *option;
        *option = Some(value);
        old
    }

    #[gpu_fn]
    pub fn insert<T: Copy>(option: &mut Option<T>, value: T) -> T {
        *option = Some(value);
        value
    }
}

/// The end of a method on CPU threads.
fn given<K: Kind, R>(value: R) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<R, Abort> {
    move |_, _| Ok(value)
}

/// Methods of arrays that take `&self`.
pub trait Looks {
    /// The type of an element.
    type Element: GpuData;

    #[doc(hidden)]
    fn stm_run_contains<K: Kind, const CHECKED: bool>(
        &self,
        value: impl Lent<Self::Element>,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<bool, Abort>
    where
        Self::Element: PartialEq + Comparable;

    #[doc(hidden)]
    fn stm_run_first<K: Kind, const CHECKED: bool>(
        &self,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<Self::Element>, Abort>;

    #[doc(hidden)]
    fn stm_run_last<K: Kind, const CHECKED: bool>(
        &self,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<Self::Element>, Abort>;

    #[doc(hidden)]
    fn stm_run_get<K: Kind, const CHECKED: bool>(
        &self,
        index: usize,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<Self::Element>, Abort>;

    #[doc(hidden)]
    fn stm_find_contains(&self) -> One<functions::contains> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_first(&self) -> One<functions::first> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_last(&self) -> One<functions::last> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_get(&self) -> One<functions::get> {
        One::new()
    }
}

impl<T: GpuData, const N: usize> Looks for [T; N] {
    type Element = T;

    fn stm_run_contains<K: Kind, const CHECKED: bool>(
        &self,
        value: impl Lent<T>,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<bool, Abort>
    where
        T: PartialEq + Comparable,
    {
        given(self.contains(value.lend()))
    }

    fn stm_run_first<K: Kind, const CHECKED: bool>(
        &self,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<T>, Abort> {
        given(self.first().copied())
    }

    fn stm_run_last<K: Kind, const CHECKED: bool>(
        &self,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<T>, Abort> {
        given(self.last().copied())
    }

    fn stm_run_get<K: Kind, const CHECKED: bool>(
        &self,
        index: usize,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<T>, Abort> {
        given(self.get(index).copied())
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
    fn stm_run_fill<K: Kind, const CHECKED: bool>(
        &mut self,
        value: Self::Element,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<(), Abort>
    where
        Self: Filled,
    {
        self.stm_elements().fill(value);
        given(())
    }

    #[doc(hidden)]
    fn stm_run_reverse<K: Kind, const CHECKED: bool>(
        &mut self,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<(), Abort>
    where
        Self: Filled,
    {
        self.stm_elements().reverse();
        given(())
    }

    #[doc(hidden)]
    fn stm_run_take<K: Kind, const CHECKED: bool>(
        &mut self,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<Self::Inner>, Abort>
    where
        Self: Optional,
    {
        given(self.stm_option().take())
    }

    #[doc(hidden)]
    fn stm_run_replace<K: Kind, const CHECKED: bool>(
        &mut self,
        value: Self::Inner,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Option<Self::Inner>, Abort>
    where
        Self: Optional,
    {
        given(self.stm_option().replace(value))
    }

    #[doc(hidden)]
    fn stm_run_insert<K: Kind, const CHECKED: bool>(
        &mut self,
        value: Self::Inner,
    ) -> impl FnOnce(u32, &mut Tx<'_, K>) -> Result<Self::Inner, Abort>
    where
        Self: Optional,
    {
        given(*self.stm_option().insert(value))
    }

    #[doc(hidden)]
    fn stm_find_fill(&mut self) -> One<functions::fill> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_reverse(&mut self) -> One<functions::reverse> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_take(&mut self) -> One<functions::take> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_replace(&mut self) -> One<functions::replace> {
        One::new()
    }

    #[doc(hidden)]
    fn stm_find_insert(&mut self) -> One<functions::insert> {
        One::new()
    }
}

impl<T> Changes for T {}
