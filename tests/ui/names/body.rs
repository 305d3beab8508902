// A reserved name does not hide the errors of the body.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn reserved(tx: &mut Tx, data: &Shared<u32>, stm_at: u32) -> TxResult {
    let x = missing + 1;
    tx.write(data, 0, x)
}

#[gpu_fn]
fn lengths<const N: usize>(list: [u32; N]) -> u32 {
    list[0]
}

fn main() {}
