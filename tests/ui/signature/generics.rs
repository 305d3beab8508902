// No lifetimes and no bounds.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn generic<'a, T>(tx: &mut Tx, data: &'a Shared<u32>) -> TxResult
where
    T: Copy,
{
    Ok(())
}

#[gpu_transaction]
fn bounded(tx: &mut Tx, data: &Shared<u32>) -> TxResult
where
    u32: Copy,
{
    Ok(())
}

fn main() {}
