// No type parameters, no lifetimes.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn generic<'a, T>(tx: &mut Tx, data: &'a Shared<u32>) -> TxResult
where
    T: Copy,
{
    Ok(())
}

fn main() {}
