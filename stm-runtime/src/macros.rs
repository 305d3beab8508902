//! The function-like macros.

/// Turns a closure into a transaction in place: a value with `call` and `kernel`.
///
/// `captures` declares the variables that the closure uses from its environment, with their types. The options of the attribute
/// can precede it.
///
/// ```
/// use stm_runtime::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let fee = 2_i64;
/// let charge = stm_runtime::gpu_transaction!(captures(fee: i64), |tx: &mut Tx, accounts: &Shared<i64>, from: u32| {
///     tx.update(accounts, from, |balance| balance - fee)
/// });
/// let device = Device::cpu(1);
/// let accounts = device.shared(&[10_i64, 20])?;
/// let mut batch = device.batch();
/// batch.push(charge.call(&accounts, 1));
/// batch.run()?;
/// assert_eq!(accounts.to_vec()?, [10, 18]);
/// # Ok(())
/// # }
/// ```
///
/// The attribute of the same name is in the [prelude](crate::prelude).
#[macro_export]
macro_rules! gpu_transaction {
    () => {
        ::core::compile_error!(
            "STM0001: a closure is missing; write `gpu_transaction!(|tx: &mut Tx, accounts: &Shared<i64>, from: u32| { .. })`"
        )
    };
    // A path that the user gives goes before ours.
    (crate = $($input:tt)*) => { $crate::__private::stm_closure!(crate = $($input)*) };
    ($($input:tt)*) => { $crate::__private::stm_closure!(crate = $crate, $($input)*) };
}

/// Prints a line from inside a transaction, on a CPU and on a GPU, for debugging. The text is the same on both.
///
/// Every attempt prints, even one that is undone and repeated. Values print with `{}` or `{:?}`, without width and precision.
/// Lines go to standard output, or to [`RunOptions::print_to`](crate::RunOptions::print_to). A line that cannot be written
/// does not disturb the transaction: it is dropped, and the report's notes count it.
///
/// On a GPU the host prints the lines of a launch after it. One launch keeps up to 8 MiB of them: 8 bytes for each line and
/// for each scalar in it. The report's notes count the lines beyond that, which are lost.
#[macro_export]
macro_rules! gpu_println {
    () => { $crate::__private::print_line(::core::format_args!("")) };
    ($($input:tt)*) => { $crate::__private::print_line(::core::format_args!($($input)*)) };
}

/// Compares the compiled form of a transaction with a stored snapshot: its parameters, its facts and its CUDA C.
///
/// It calls `insta::assert_snapshot!`, so the crate that uses it needs [insta](https://insta.rs) among its
/// `dev-dependencies`. The arguments are the path of the function, then types of `instantiate`.
///
/// ```ignore
/// use stm_runtime::prelude::*;
///
/// #[gpu_transaction]
/// fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
///     tx.update(accounts, to, |balance| balance + amount)
/// }
///
/// #[test]
/// fn the_kernel_of_deposit_stays_as_it_is() {
///     stm_runtime::assert_kernel_snapshot!(deposit);
/// }
/// ```
///
/// # Panics
/// The procedure does not compile, or its text is not that of the snapshot.
#[macro_export]
macro_rules! assert_kernel_snapshot {
    ($($procedure:tt)+) => {
        ::insta::assert_snapshot!($($procedure)+::kernel().snapshot().expect("the transaction should compile for devices"))
    };
}
