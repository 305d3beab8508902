// The closure of a constant says all of its types, as a function does.
use stm_runtime::prelude::*;

#[gpu_transaction]
const untyped: _ = |tx, accounts| tx.write(accounts, 0, 1);

#[gpu_transaction]
const moved: _ = move |tx: &mut Tx, accounts: &Shared<i64>| tx.write(accounts, 0, 1);

#[gpu_transaction]
const no_handle: _ = |accounts: &Shared<i64>| Ok(());

#[gpu_transaction]
const wrong: _ = |tx: &mut Tx, accounts: &Shared<i64>, to: u32| tx.write(accounts, to, to);

fn main() {}
