// A pattern has the type of its value.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn types(tx: &mut Tx, x: u32, pair: (u32, bool)) -> TxResult {
    let (a, b) = x;
    let (c, d, e) = pair;
    let (.., f) = pair;
    match pair {
        (1, 2) => {}
        _ => {}
    }
    match x {
        -1 => {}
        1.5 => {}
        2_u8 => {}
        'a' => {}
        Some(y) => {}
        None => {}
        _ => {}
    }
    let Some(y) = x else { return Ok(()) };
    let (h, i);
    Ok(())
}

fn main() {}
