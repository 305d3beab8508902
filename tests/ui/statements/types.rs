// Types of locals are those of the device.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn types(tx: &mut Tx, x: u32) -> TxResult {
    let wide: f128 = 1;
    let reference: &u32 = x;
    let list: Vec<u32> = x;
    let slice: [u32] = x;
    let call: fn(u32) -> u32 = x;
    let text: String = x;
    let any: impl Copy = x;
    let mut unit = tx.guard(true)?;
    Ok(())
}

fn main() {}
