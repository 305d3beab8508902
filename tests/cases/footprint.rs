//! The footprint of loops: exact for constant bounds, stated otherwise; an element that does not change counts once.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn exact(tx: &mut Tx, grid: &Shared<u32>, row: u32) -> TxResult<u32> {
    let width = 8;
    let mut sum = 0;
    for y in 0..4 {
        for x in 0..width {
            let cell = (row + y) * width + x;
            sum += tx.read(grid, cell)?;
            tx.write(grid, cell, 0)?;
        }
        sum += tx.read(grid, row)?;
    }
    Ok(sum)
}

#[gpu_transaction(max_accesses = 32)]
pub fn stated(tx: &mut Tx, next: &Shared<u32>, start: u32) -> TxResult<u32> {
    let mut at = start;
    let mut steps = 0;
    while at != 0 {
        at = tx.read(next, at)?;
        steps += 1;
    }
    Ok(steps)
}

#[gpu_transaction]
pub fn same_element(tx: &mut Tx, turn: &Shared<u32>, i: u32, n: u32) -> TxResult {
    for k in 0..n {
        let old = tx.read(turn, i)?;
        tx.write(turn, i, old + k)?;
    }
    Ok(())
}
