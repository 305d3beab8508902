//! `value.into()`, where only rustc knows whether it makes a number, or a value of the user's program.

use kernels_gen::spec::Source;

use super::method::Run;
use super::{Plain, TakesNoTx};
use crate::tx::{Kind, Tx};

/// What `into` gives where its type has no `From` with `#[gpu_fn]`: a number from a number. rustc finds the functions of a type itself first.
#[allow(non_upper_case_globals, reason = "the names are those of generated ones")]
pub trait Converts: Sized {
    #[doc(hidden)]
    const stm_marker_from: Cast = Cast;

    #[doc(hidden)]
    fn stm_run_from<K: Kind, const CHECKED: bool>(value: impl Into<Self>) -> impl Run<K, Self> {
        move |_: u32, _: &mut Tx<'_, K>| Ok(value.into())
    }
}

impl<T> Converts for T {}

/// Stands for a cast of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Cast;

impl Cast {
    /// Returns what stands for it.
    #[must_use]
    pub const fn stm_get(self) -> &'static Source {
        static SOURCE: Source = Source::built_in_method("into");
        &SOURCE
    }
}

#[diagnostic::do_not_recommend]
impl Plain for Cast {}
#[diagnostic::do_not_recommend]
impl TakesNoTx for Cast {}
