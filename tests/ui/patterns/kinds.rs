// A pattern copies what it names.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn patterns(tx: &mut Tx, x: u32, pair: (u32, u32), list: [u32; 3], maybe: Option<u32>) -> TxResult {
    match x {
        1 | 2 => {}
        y @ (3 | 4) => {}
        some!() => {}
        "text" => {}
        _ => {}
    }
    Ok(())
}

fn main() {}
