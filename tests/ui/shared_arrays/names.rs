// A name for a shared array says which one is meant, and is no value of the device.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn names(tx: &mut Tx, a: &Shared<u32>, wide: &Shared<i64>, x: u32) -> TxResult<u32> {
    let mut best = a;
    let same = best == a;
    let more = best + 1;
    let number: u32 = best;
    let copy = best.clone();
    let pair = Some(best);
    let equal = pair == None;
    best = wide;
    best = x;
    best[0] = 5;
    gpu_println!("{:?}", best);
    Ok(best)
}

#[gpu_transaction]
fn partitions(tx: &mut Tx, seats: &Partition<u32, 4>, x: u32) -> TxResult<u32> {
    let mut best = seats;
    tx.read(best, x)
}

#[gpu_transaction]
fn pairs(tx: &mut Tx, pair: (&Shared<u32>, u32)) -> TxResult {
    Ok(())
}

fn main() {}
