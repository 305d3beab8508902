// An array is no array: every access goes through the handle, which the engine sees.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn uses(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let element = data[x];
    let count = data.len(1);
    let empty = data.is_empty(x, x);
    let length: u32 = data.len();
    let first = data.first();
    let all = data.to_vec()?;
    let copy = data;
    for value in data {}
    let sum = data + 1;
    Ok(())
}

fn main() {}
