// A region is `&Shared<T>` of a type that regions can hold, and changes through the handle alone.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn regions(tx: &mut Tx, texts: &Shared<String>, mut counts: &Shared<u32>, views: &Shared<&u32>, ref more: u32) -> TxResult {
    Ok(())
}

fn main() {}
