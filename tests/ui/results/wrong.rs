// The result is of the declared type, and no error is made by hand.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn unit(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.read(data, 0)
}

#[gpu_transaction]
fn value(tx: &mut Tx, data: &Shared<u32>) -> TxResult<i64> {
    if tx.read(data, 0)? == 1 {
        return Ok(tx.read(data, 1)?);
    }
    if tx.read(data, 2)? == 1 {
        return Err(7);
    }
    if tx.read(data, 3)? == 1 {
        return Ok(());
    }
    tx.write(data, 0, 1)
}

#[gpu_transaction]
fn pair(tx: &mut Tx, x: u32) -> TxResult<(u32, i64)> {
    let early = Ok((x, 1));
    if x > 1 {
        return Ok((x, x));
    }
    if x > 2 {
        return Ok(x, 1);
    }
    Ok(x)
}

fn main() {}
