//! Arrays: as local variables with an index known or not, of records, nested, as elements, arguments and results.

use stm_runtime::prelude::*;

use super::records::Spot;

/// Counts in a local array; an index that is not there is a fault.
#[gpu_transaction]
pub fn histogram(tx: &mut Tx, data: &Shared<u32>, first: u32) -> TxResult<[u32; 3]> {
    let mut counts = [0; 3];
    for k in 0..4 {
        let value = tx.read(data, first + k)?;
        counts[value as usize] += 1;
    }
    Ok(counts)
}

/// Indices that are known need no array on the device.
#[gpu_transaction]
pub fn fixed(tx: &mut Tx, data: &Shared<[u16; 2]>, i: u32, add: [u16; 2]) -> TxResult<u16> {
    let old = tx.read(data, i)?;
    tx.write(data, i, [old[0] + add[0], old[1] + add[1]])?;
    Ok(old[1])
}

#[gpu_transaction]
pub fn spots(tx: &mut Tx, floors: &Shared<i16>, at: usize, far: usize) -> TxResult<i16> {
    let mut spots = [Spot { floor: 1, view: true }; 4];
    spots[at].floor = tx.read(floors, at)?;
    spots[far].view = false;
    let last = spots[far];
    Ok(if last.view { last.floor } else { spots[at].floor + spots.len() as i16 })
}

#[gpu_transaction]
pub fn nested(tx: &mut Tx, sums: &Shared<u32>, row: usize, column: usize) -> TxResult<u32> {
    let mut grid = [[1, 2, 3], [4, 5, 6]];
    grid[row][column] += 10;
    let chosen = grid[row];
    tx.write(sums, 0, chosen[0] + chosen[1] + chosen[2])?;
    Ok(grid[1][2])
}

/// A name for one of several shared arrays, which is assigned again, and goes to another function.
#[gpu_transaction]
pub fn named(tx: &mut Tx, data: &Shared<[u16; 2]>, others: &Shared<u16>, i: u32, turns: [u8; 3]) -> TxResult<u16> {
    let mut best = others;
    for k in turns {
        if k < 200 && tx.read(best, i)? < 500 {
            best = &data[k as usize % 2];
        }
        tx.update(best, i, |old| old.wrapping_add(k.into()))?;
    }
    tx.read([others, best][usize::from(turns[0] % 2)], i)
}
