// A `Partition` is a reference to a part, whose size is a number or a constant.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn types(
    tx: &mut Tx,
    no_size: &Partition<u32>,
    no_type: &Partition,
    empty: &Partition<u32, 0>,
    by_value: Partition<u32, 8>,
    exclusive: &mut Partition<u32, 8>,
    text: &Partition<String, 8>,
) -> TxResult {
    Ok(())
}

#[gpu_transaction]
fn in_the_wrong_place(tx: &mut Tx, parts: &Partitioned<u32, 8>) -> TxResult {
    Ok(())
}

fn main() {}
