// What only rustc knows of a `Result`, and of a `char`.
use stm_runtime::prelude::*;

#[gpu_fn]
fn checked(x: u32) -> Result<u32, u8> {
    if x > 3 { Ok(x) } else { Err(1) }
}

#[gpu_transaction]
fn mapped(tx: &mut Tx, x: u32) -> TxResult<u32> {
    Ok(checked(x).map(|x| x + 1).unwrap_or(0))
}

#[gpu_fn]
fn letter(letters: &[char; 2]) -> bool {
    letters[0].is_alphabetic()
}

fn main() {}
