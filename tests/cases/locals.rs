//! Parts of arrays: scalars, records, in a loop, two of one number, through functions.

use stm_runtime::prelude::*;

use super::records::Spot;

const CELLS: usize = 8;

/// Two accesses, both known from the arguments, of which one may be past the part.
#[gpu_transaction]
pub fn shift(tx: &mut Tx, cells: &Partition<u32, 8>, from: u32, to: i16) -> TxResult<usize> {
    let value = tx.read(cells, from)?;
    tx.write(cells, to, value)?;
    Ok(cells.len())
}

/// A function for whole arrays takes a part, too, and a field of one.
#[gpu_fn]
fn raise(tx: &mut Tx, floors: &Shared<i16>, at: u32) -> TxResult<i16> {
    tx.update(floors, at, |floor| floor.wrapping_add(1))?;
    tx.read(floors, at)
}

#[gpu_fn]
fn is_in_view(tx: &mut Tx, spots: &Partition<Spot, CELLS>, at: u32) -> TxResult<bool> {
    Ok(tx.read(spots, at)?.view)
}

/// Two parts of one number beside a whole array.
#[gpu_transaction]
pub fn visit(
    tx: &mut Tx,
    log: &Shared<i16>,
    spots: &Partition<Spot, CELLS>,
    sums: &Partition<u64, { CELLS / 2 }>,
    at: u32,
) -> TxResult<bool> {
    let floor = raise(tx, &spots.floor, at)?;
    tx.write(log, at, floor)?;
    let mut sum = 0;
    for k in 0..sums.len() {
        sum += tx.read(sums, k)?.wrapping_rem(16);
    }
    tx.write(sums, sum % 5, sum)?;
    is_in_view(tx, spots, at % 8)
}
