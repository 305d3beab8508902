// A constant that is a transaction is a closure.
use stm_runtime::prelude::*;

#[gpu_transaction]
const LIMIT: i64 = 3;

#[gpu_transaction]
const deposit: fn(&mut Tx, &Shared<i64>) -> TxResult = make();

fn main() {}
