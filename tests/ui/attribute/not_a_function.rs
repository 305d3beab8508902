// The attribute stands on functions.
use stm_runtime::prelude::*;

#[gpu_transaction]
struct Account {
    balance: i64,
}

fn main() {}
