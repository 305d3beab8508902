//! The attribute [`macro@gpu_transaction`]: its declaration and its documentation. The compiler is `kernels-gen`.

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
/// The function stays a function. Beside it there is now a type of the same name: `transfer::call(&accounts, 1, 2, 10)`
/// makes a call for a table, and `transfer::kernel()` shows the generated CUDA C and what the compiler knows of it.
///
/// # The signature
///
/// `tx: &mut Tx` comes first. The other parameters are scalars (`i8` to `i64`, `u8` to `u64`, `isize`, `usize`, `f32`,
/// `f64`, `bool`) and regions, `&Shared<scalar>`. The result is `TxResult`, or `TxResult<scalar>` for a transaction that
/// gives a value back.
///
/// # The body
///
/// | | |
/// |---|---|
/// | `tx.read(region, index)?` | an element |
/// | `tx.write(region, index, value)?` | changes an element, if and when the transaction commits |
/// | `tx.guard(condition)?` | goes on only if the condition holds; otherwise the transaction waits until it does |
/// | `tx.reject(code)?` | gives up for good: a final outcome, counted by its code |
///
/// Besides these: `let`, assignment, `if`, `while`, `loop`, `for` over `a..b` and `a..=b`, `break` and `continue` with
/// labels, `return`, arithmetic, comparison, bits, `&&`, `||`, `as`, and literals. All of it means what it means in Rust:
/// order of evaluation, widths, casts, wrapping. Everything else is rejected at compile time, at its line, with what to
/// write instead.
///
/// Where Rust would panic (overflow in a debug build, division by zero, an index out of range), the transaction has no
/// effect and the report lists it as a fault with its place and arguments; all others go on.
///
/// # Options
///
/// `#[gpu_transaction(max_accesses = 64, overflow = "check", max_iterations = 10_000)]`
///
/// - `max_accesses`: the most distinct elements that accesses inside loops touch. Needed only where the compiler cannot
///   tell, because a loop has no constant bounds. Touching more is a fault.
/// - `overflow`: `"check"` makes integer overflow a fault, `"wrap"` makes it wrap. Left out, it follows the build, as in
///   rustc: a fault with `debug_assertions`, wrapping without.
/// - `max_iterations`: how many loop iterations one attempt may make before it is a fault; one million if left out.
#[proc_macro_attribute]
pub fn gpu_transaction(attr: TokenStream, item: TokenStream) -> TokenStream {
    let file = proc_macro::Span::call_site().file();
    kernels_gen::pipeline::expand(attr.into(), item.into(), &file).into()
}
