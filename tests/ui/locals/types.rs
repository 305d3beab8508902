// A `Local` is a reference to a part, whose size is a number or a constant.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn types(
    tx: &mut Tx,
    no_size: &Local<u32>,
    no_type: &Local,
    empty: &Local<u32, 0>,
    by_value: Local<u32, 8>,
    exclusive: &mut Local<u32, 8>,
    text: &Local<String, 8>,
) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn in_the_wrong_place(tx: &mut Tx, parts: &Locals<u32, 8>) -> TxResult {
    Ok(())
}

fn main() {}
