//! What generated code asks of a function that a transaction calls: at compile time, so that rustc says at the call what is
//! wrong with it.

use kernels_gen::spec::MOST_COMPONENTS;

mod recursion;

pub use recursion::refuse_recursion;

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

/// It returns a `TxResult`, as `?` behind the call says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` returns no `TxResult`",
    label = "remove the `?`; at the end of a function, write `Ok(..)` around the call"
)]
pub trait Tries {
    #[doc(hidden)]
    const OK: () = ();
}

/// It returns no `TxResult`: there is no `?` behind the call.
#[diagnostic::on_unimplemented(
    message = "the result of `{Self}` is not passed on",
    label = "write `?` after the call",
    note = "it returns a `TxResult`, and without `?` the attempt would go on after a conflict"
)]
pub trait Plain {
    #[doc(hidden)]
    const OK: () = ();
}

/// Its first parameter is the handle, as the call has it.
#[diagnostic::on_unimplemented(message = "`{Self}` takes no handle", label = "leave out the first argument")]
pub trait TakesTx {
    #[doc(hidden)]
    const OK: () = ();
}

/// It has no handle, as the call has none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes the handle",
    label = "pass it as the first argument, as in `{Self}(tx, ..)`"
)]
pub trait TakesNoTx {
    #[doc(hidden)]
    const OK: () = ();
}

/// A type that the attribute of a generic transaction lists.
#[diagnostic::on_unimplemented(
    message = "the transaction is not compiled for `{Self}`",
    label = "not one of the types that its attribute lists",
    note = "add it there: `#[gpu_transaction(instantiate(.., {Self}))]`"
)]
pub trait Listed<Transaction> {}

/// Refuses a parameter, an element of an array or a result of a transaction that has so many scalars: a call holds all of them.
///
/// # Panics
/// At compile time, where its type stands, if they are too many.
#[track_caller]
pub const fn refuse_large(components: usize) {
    assert!(
        components <= MOST_COMPONENTS,
        "STM0052: an argument, a result or an element of an array is at most 4096 scalars; keep large arrays in a shared array of scalars"
    );
}

/// A constant takes at most so many bytes: its value is on the stack a few times while the transaction is compiled, and once for
/// each use on a CPU thread. How many scalars it may have, the compilation checks.
const MOST_CONSTANT_BYTES: usize = 64 * 1024;

/// Refuses a constant that takes so many bytes.
///
/// # Panics
/// At compile time, where the constant stands, if it is too large.
#[track_caller]
pub const fn refuse_large_constant(bytes: usize) {
    assert!(
        bytes <= MOST_CONSTANT_BYTES,
        "STM0052: a constant takes at most 64 KiB, because it is a part of the kernel; keep large batches in an array, `&Shared<..>`"
    );
}
