//! The requirements of generated code on a function that a transaction calls, checked at compile time, so that rustc reports an
//! error at the call.

use kernels_gen::spec::MOST_COMPONENTS;

mod applied;
mod built_in;
mod converts;
mod either;
mod exclusive;
mod method;
mod of_core;
mod of_trait;
mod recursion;
mod returns;

pub use applied::{Applied, ByOther, ByReference, ByValue, applied};
pub use built_in::{Changes, Filled, Looks, Opens, Optional, Parts, Turns, ran};
pub use converts::{Cast, Converts};
pub use either::{BuiltInMethod, Found, NotRun, Pass, is_own, pass, signed, source_of_either, unsigned};
pub use exclusive::{Deferred, Direct, Finds, OfMethod, RunsExclusive};
pub use method::{
    Annotated, Attributed, HasTables, Implements, Known, Method, NeedsTables, NoAttribute, OfTrait, Run, Runs,
    committed, each, element, err, inner, lent, lent_mut, never, ok, plain, repeated, returned, returned_open, shared,
    source_of, takes_no_tx, takes_tx, tries, type_of, unknown, without_attribute_0, without_attribute_1,
    without_attribute_2, without_attribute_3, without_attribute_4, without_attribute_5, without_attribute_6,
    without_attribute_7, without_attribute_8,
};
pub use of_core::{OfProgram, core_max, core_min};
pub use of_trait::{OfLanguage, own_or, refuse_own, run_as};
pub use recursion::refuse_recursion;
pub use returns::Returns;

/// A function with `#[gpu_fn]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `#[gpu_fn]`",
    label = "a transaction calls functions with `#[gpu_fn]`",
    note = "a transaction cannot call another one: move the common code into a function with `#[gpu_fn]`"
)]
pub trait Callee {
    #[doc(hidden)]
    const OK: () = ();
}

/// A function that is the same whatever its parameters for types are, where a call does not say what they are.
#[diagnostic::on_unimplemented(
    message = "the types for which `{Self}` is called are not known here",
    label = "write them, as in `name::<Order>(..)`",
    note = "it uses what depends on its parameters, and neither the arguments nor the result say what these are"
)]
pub trait Determined {
    #[doc(hidden)]
    const OK: () = ();
}

/// A function that returns a `TxResult`, as the `?` after the call requires.
#[diagnostic::on_unimplemented(
    message = "`{Self}` returns no `TxResult`",
    label = "remove the `?`; at the end of a function, write `Ok(..)` around the call",
    note = "where it returns a `Result` of its own, write `let Ok(value) = .. else {{ return tx.reject(1) }};`"
)]
pub trait Tries {
    #[doc(hidden)]
    const OK: () = ();
}

/// A function that returns no `TxResult`: there is no `?` after the call.
#[diagnostic::on_unimplemented(
    message = "the result of `{Self}` is not passed on",
    label = "write `?` after the call",
    note = "it returns a `TxResult`, and without `?` the attempt would go on after a conflict"
)]
pub trait Plain {
    #[doc(hidden)]
    const OK: () = ();
}

/// A function whose first parameter is the handle, as in the call.
#[diagnostic::on_unimplemented(message = "`{Self}` takes no handle", label = "leave out the first argument")]
pub trait TakesTx {
    #[doc(hidden)]
    const OK: () = ();
}

/// A function without the handle, as in the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes the handle",
    label = "pass it as the first argument, as in `{Self}(tx, ..)`"
)]
pub trait TakesNoTx {
    #[doc(hidden)]
    const OK: () = ();
}

/// A type in the attribute of a generic transaction.
#[diagnostic::on_unimplemented(
    message = "the transaction is not compiled for `{Self}`",
    label = "not one of the types that its attribute lists",
    note = "add it there: `#[gpu_transaction(instantiate(.., {Self}))]`"
)]
pub trait Listed<Transaction> {}

/// A transaction with these types, for calls with these arguments.
#[diagnostic::on_unimplemented(
    message = "the transaction is not compiled for the types of these arguments",
    label = "its attribute lists the types that it is compiled for",
    note = "add them there, as in `#[gpu_transaction(instantiate(u32, i64))]`, or convert the arguments"
)]
pub trait Instance<A> {
    /// The call.
    type Call;

    #[doc(hidden)]
    fn called(args: A) -> Self::Call;
}

/// Refuses a parameter, an array element or a result of a transaction with too many scalars: a call holds all of them.
///
/// # Panics
/// At compile time, at the type, if there are too many.
#[track_caller]
pub const fn refuse_large(components: usize) {
    assert!(
        components <= MOST_COMPONENTS,
        "STM0052: an argument, a result or an element of an array is at most 4096 scalars; keep large arrays in a shared array of scalars"
    );
}

/// The most bytes of a constant: its value is on the stack a few times while the transaction is compiled, and once for
/// each use on a CPU thread. The compilation checks the number of scalars.
const MOST_CONSTANT_BYTES: usize = 64 * 1024;

/// Refuses a constant that takes too many bytes.
///
/// # Panics
/// At compile time, at the constant, if it is too large.
#[track_caller]
pub const fn refuse_large_constant(bytes: usize) {
    assert!(
        bytes <= MOST_CONSTANT_BYTES,
        "STM0052: a constant takes at most 64 KiB, because it is a part of the kernel; keep large batches in an array, `&Shared<..>`"
    );
}
