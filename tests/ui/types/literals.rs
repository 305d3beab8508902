// A literal fits its type.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn literals(tx: &mut Tx, bytes: &Shared<u8>) -> TxResult {
    tx.write(bytes, 0, 256)?;
    tx.write(bytes, 1, -1)?;
    let wide = 3_000_000_000;
    let huge = 340282366920938463463374607431768211455;
    let widest = 340282366920938463463374607431768211456;
    let infinite = 1e39_f32;
    let least = -129_i8;
    let minus = -true;
    let half = 1_f16;
    Ok(())
}

fn main() {}
