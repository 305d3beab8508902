// Every way out gives a result.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn falls_off(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.write(data, 0, 1)?;
}

#[gpu_transaction]
fn tried(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.write(data, 0, 1)?
}

#[gpu_transaction]
fn bare(tx: &mut Tx, data: &Shared<u32>) -> TxResult<u32> {
    if tx.read(data, 0)? == 1 {
        return;
    }
    tx.read(data, 1)? + 1
}

#[gpu_transaction]
fn arms(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult<u32> {
    match x {
        0 => Ok(1),
        1 => 2,
        2 => {}
        _ => {
            tx.write(data, 0, 1)?;
        }
    }
}

#[gpu_transaction]
fn half(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    if x > 1 {
        tx.write(data, 0, 1)
    }
}

#[gpu_transaction]
fn empty(tx: &mut Tx) -> TxResult {}

fn main() {}
