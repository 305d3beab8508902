// A function for transactions is a plain `fn`.
use stm_runtime::prelude::*;

#[gpu_fn]
const fn constant(tx: &mut Tx, x: u32) -> TxResult<u32> {
    Ok(x)
}

#[gpu_fn]
unsafe fn unchecked(x: u32) -> u32 {
    x
}

#[gpu_fn]
async fn later(x: u32) -> u32 {
    x
}

#[gpu_fn]
extern "C" fn exported(x: u32) -> u32 {
    x
}

fn main() {}
