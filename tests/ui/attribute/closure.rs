// A closure cannot be a transaction yet.
use stm_runtime::prelude::*;

#[gpu_transaction]
const deposit: fn(&mut Tx, &Shared<i64>) -> TxResult = |tx, accounts| tx.write(accounts, 0, 1);

fn main() {}
