//! Constants of the program: in arithmetic, as bound of a loop, as length of an array, as records and enums.

use stm_runtime::prelude::*;

use super::enums::Level;
use super::records::Spot;

pub const ROWS: u32 = 3;
pub const LENGTH: usize = ROWS as usize + 1;
pub const TOP: Spot = Spot { floor: 9, view: true };
pub const START: Level = Level::Middle;
pub const PRIMES: [u16; 4] = [2, 3, 5, 7];

pub struct Limits;

impl Limits {
    pub const MOST: u32 = 50;
}

/// The bound of the loop is known, so the elements are counted.
#[gpu_transaction]
pub fn bound(tx: &mut Tx, data: &Shared<u32>) -> TxResult<u32> {
    let mut sum = 0;
    for k in 0..ROWS {
        sum += tx.read(data, k * 2)?;
    }
    Ok(sum.min(Limits::MOST))
}

#[gpu_transaction]
pub fn values(tx: &mut Tx, data: &Shared<u32>, i: usize, floor: i16) -> TxResult<Level> {
    let mut marks = [0_u32; LENGTH];
    marks[i % LENGTH] = PRIMES[i % 4] as u32;
    if floor > TOP.floor {
        return Ok(Level::High);
    }
    tx.write(data, 0, marks[LENGTH - 1])?;
    Ok(START)
}
