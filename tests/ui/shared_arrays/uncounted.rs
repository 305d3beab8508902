// The number of arrays in a list is a number.
use stm_runtime::prelude::*;

const SHARDS: usize = 3;

#[gpu_transaction]
fn of_constant(tx: &mut Tx, tables: [&Shared<u64>; SHARDS], at: u32) -> TxResult<u64> {
    tx.read(tables[0], at)
}

#[gpu_fn]
fn of_parameter<const N: usize>(tx: &mut Tx, tables: [&Shared<u64>; N], at: u32) -> TxResult<u64> {
    tx.read(tables[0], at)
}

fn main() {}
