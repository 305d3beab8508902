// Parameters are values of the device and shared arrays.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn parameters(
    tx: &mut Tx,
    text: String,
    slice: &[u32],
    name: &str,
    tables: [&Shared<u32>; 2],
    array: Shared<u32>,
    exclusive: &mut Shared<u32>,
    (a, b): &Shared<(u32, u32)>,
    letter: Box<u8>,
    place: &mut u32,
    list: Vec<u32>,
    call: fn(u32) -> u32,
    any: impl Copy,
) -> TxResult {
    Ok(())
}

fn main() {}
