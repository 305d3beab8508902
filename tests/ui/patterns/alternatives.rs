// Alternatives have the same variables, of the same types.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn types(tx: &mut Tx, pair: (u32, bool)) -> TxResult<u32> {
    let a = match pair {
        (y, true) | (1, y) => y,
        _ => 1,
    };
    Ok(a)
}

#[gpu_transaction]
fn names(tx: &mut Tx, x: Option<u32>, pair: (u32, u32)) -> TxResult<u32> {
    if let (Some(y), _) | (_, Some(z)) = (x, x) {
        return Ok(y);
    }
    Ok(0)
}

fn main() {}
