// The `else` of a `let` components.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn let_else(tx: &mut Tx, data: &Shared<u32>, maybe: Option<u32>) -> TxResult {
    let Some(a) = maybe else { 1 };
    let Some(b) = maybe else {
        tx.write(data, 0, 1)?;
    };
    let Some(c) = maybe else { tx.reject(3) };
    tx.write(data, a, b)
}

fn main() {}
