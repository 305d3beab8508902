// An array is `&Shared<T>` of a type that arrays can hold, and changes through the handle alone.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn arrays(tx: &mut Tx, texts: &Shared<String>, mut counts: &Shared<u32>, views: &Shared<&u32>, ref more: u32) -> TxResult {
    Ok(())
}

fn main() {}
