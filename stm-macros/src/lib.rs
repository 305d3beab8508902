//! The attributes, the derive and the macro of GPU transactions: their declarations and their documentation. The compiler is
//! `kernels-gen`.

use proc_macro::TokenStream;

/// Makes a function a transaction: something that runs as a whole or not at all, on a GPU or on CPU threads.
///
/// ```ignore
/// use stm_runtime::prelude::*;
///
/// /// Moves `amount` once the funds are there.
/// #[gpu_transaction]
/// fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
///     let balance = tx.read(accounts, from)?;
///     tx.guard(balance >= amount)?;
///     tx.write(accounts, from, balance - amount)?;
///     let target = tx.read(accounts, to)?;
///     tx.write(accounts, to, target + amount)
/// }
/// ```
///
/// The function stays a function. In addition there is a type of the same name: `transfer::call(&accounts, 1, 2, 10)`
/// makes a call for a batch, and `transfer::kernel()` shows the generated CUDA C and the facts that the compiler found. The
/// guide (`docs/guide` of the repository) has a page for each part of the language, and `docs/errors` one for each error code.
///
/// # Forms
///
/// - `#[gpu_transaction] fn transfer(tx: &mut Tx, ..) -> TxResult { .. }`
/// - `#[gpu_transaction] const transfer: _ = |tx: &mut Tx, ..| -> TxResult { .. };`
/// - `#[gpu_transaction(instantiate(u32, i64))] fn add<T>(tx: &mut Tx, ..) -> TxResult { .. }`: one procedure for each type,
///   called as `add::<u32>::call(..)`.
/// - `stm_runtime::gpu_transaction!(captures(fee: i64), |tx: &mut Tx, ..| { .. })`: a value with `call` and `kernel`.
///
/// # The signature
///
/// `tx: &mut Tx` comes first. The other parameters are values and arrays, `&Shared<T>` or `&Partition<T, N>`; the result is
/// `TxResult`, or `TxResult<T>` for a transaction that returns a value. `T` is any type that is `GpuData`: scalars (`i8` to
/// `i64`, `u8` to `u64`, `isize`, `usize`, `f32`, `f64`, `bool`), tuples, arrays, `Option`s, and types that
/// [derive](macro@GpuData) it.
///
/// # The body
///
/// | | |
/// |---|---|
/// | `tx.read(array, index)?` | an element; `tx.read(&rooms.free, index)?` is one field of it |
/// | `tx.write(array, index, value)?` | changes an element, if and when the transaction commits |
/// | `tx.update(array, index, \|old\| new)?` | a read and a write |
/// | `tx.guard(condition)?` | goes on only if the condition holds; otherwise the transaction waits until it does |
/// | `tx.reject(code)?` | ends the transaction for good: a final outcome, counted by its code |
///
/// Also: `let` and `let else`, assignment to variables, fields and elements, `if`, `match`, `while`, `loop`, `for` over
/// ranges with `.step_by(n)` and `.rev()`, labels, `return`; patterns; all operators and casts; records, tuples, arrays,
/// `Option`s; constants of your program; calls of functions with [`macro@gpu_fn`]; the methods of scalars that give the same bits
/// on every machine; `assert!`, `assert_eq!` and the like, `panic!`, `matches!`, `cfg!`, `gpu_println!`. All of it means what it
/// means in Rust: order of evaluation, widths, casts, wrapping. Everything else is rejected at compile time, at its line, with a
/// code and what to write instead.
///
/// Where Rust would panic (overflow in a debug build, division by zero, an index out of range, `unwrap` on `None`), the transaction
/// has no effect and the report lists it as a fault with its source location and arguments; all others go on.
///
/// # Options
///
/// `#[gpu_transaction(max_accesses = 64, overflow = "check", max_iterations = 10_000)]`
///
/// - `max_accesses`: the largest number of distinct elements that accesses inside loops touch. Needed only where the compiler
///   cannot find it, because a loop has no constant bounds. Touching more is a fault.
/// - `overflow`: `"check"` makes integer overflow a fault, `"wrap"` makes it wrap. The default follows the build, as in
///   rustc: a fault with `debug_assertions`, wrapping without. It holds for the functions that it calls, too.
/// - `max_iterations`: the number of loop iterations that one attempt may make before it faults; one million by default.
/// - `instantiate(u32, i64)`: the types of the one type parameter.
#[proc_macro_attribute]
pub fn gpu_transaction(attr: TokenStream, item: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().file();
    kernels_gen::pipeline::expand(attr.into(), item.into(), &file).into()
}

/// Makes a function callable from transactions.
///
/// ```ignore
/// use stm_runtime::prelude::*;
///
/// #[gpu_fn]
/// fn fee(amount: i64) -> i64 {
///     (amount / 100).max(1)
/// }
///
/// #[gpu_fn]
/// fn take(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
///     let balance = tx.read(accounts, from)?;
///     tx.guard(balance >= amount)?;
///     tx.write(accounts, from, balance - amount)?;
///     Ok(balance - amount)
/// }
/// ```
///
/// Before an `impl` block it makes every function of the block callable: methods that take `self`, `&self` or `&mut self`, and associated
/// functions, of a type that derives [`macro@GpuData`] or of a trait that it implements.
///
/// The function stays a function, and can be called anywhere. It takes values, arrays, and `&` and `&mut` variables of its
/// caller; with `tx: &mut Tx` first it can use the methods of `Tx`, and then returns a `TxResult` like a transaction. It can
/// stand in any module and any crate, and is named as Rust names it. On a GPU it is compiled into its callers, so the compiler
/// still knows every element that they touch; therefore it cannot call itself, directly or through others.
#[proc_macro_attribute]
pub fn gpu_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().file();
    kernels_gen::pipeline::expand_helper(attr.into(), item.into(), &file).into()
}

/// Implements `stm_runtime::gpu_transaction!`.
#[doc(hidden)]
#[proc_macro]
pub fn stm_closure(input: TokenStream) -> TokenStream {
    // The call site is in the macro that passes the input on.
    let written = input.clone().into_iter().next().map_or_else(proc_macro::Span::call_site, |token| token.span());
    let file = written.file();
    kernels_gen::pipeline::expand_closure(input.into(), &file).into()
}

/// Makes a struct, or an enum without fields, a type of values that arrays hold and transactions take, keep and return.
///
/// ```ignore
/// use stm_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
/// struct Room {
///     free: u32,
///     price: i64,
///     level: Level,
/// }
///
/// #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
/// #[repr(u8)]
/// enum Level {
///     Low,
///     High,
/// }
/// ```
///
/// Every field must be such a type too: a scalar, a tuple, an array, an `Option`, or another type that derives it. Values are
/// copied, so the type must be `Copy`. It has no type parameters and no lifetimes, because a kernel is compiled for one layout.
/// The variants of an enum have no fields: a value is its discriminant, in the type of `#[repr(..)]`, or `isize`.
///
/// A `Shared<Room>` is one array for each scalar of its elements, each with its own locks. It has the fields of the struct as
/// `Shared`s, with the visibility of the fields: `rooms.free` is a `Shared<u32>`.
///
/// The derive adds two items: the implementation of `GpuData`, and a struct `RoomColumns` of those arrays.
#[proc_macro_derive(GpuData)]
pub fn gpu_data(item: TokenStream) -> TokenStream {
    kernels_gen::derive::derive(item.into()).into()
}
