// Alternatives have no variables of their own.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn alternatives(tx: &mut Tx, x: Option<u32>, pair: (u32, u32)) -> TxResult<u32> {
    let a = match pair {
        (0, y) | (y, 0) => y,
        _ => 1,
    };
    if let (Some(y), _) | (_, Some(y)) = (x, x) {
        return Ok(y);
    }
    Ok(a)
}

fn main() {}
