//! Enums: as elements, arguments and results, compared, matched, cast; with fields too.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(u8)]
pub enum Level {
    Low = 1,
    Middle,
    High = 200,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub enum Side {
    Left = -1,
    Right,
}

#[gpu_transaction]
pub fn raise(tx: &mut Tx, levels: &Shared<Level>, i: u32, least: Level) -> TxResult<Level> {
    let old = tx.read(levels, i)?;
    let new = match old {
        Level::Low => Level::Middle,
        Level::Middle | Level::High => Level::High,
    };
    if new != least {
        tx.write(levels, i, new)?;
    }
    Ok(old)
}

#[gpu_transaction]
pub fn number(tx: &mut Tx, sums: &Shared<i64>, side: Side, level: Level) -> TxResult<u32> {
    let sum = tx.read(sums, 0)?;
    tx.write(sums, 0, sum + side as i64 * 10)?;
    Ok(level as u32 + (side == Side::Left) as u32)
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub enum Payment {
    Cash,
    Card { fee: i64 },
}

#[gpu_transaction]
pub fn pay(tx: &mut Tx, paid: &Shared<Payment>, i: u32, with: Payment) -> TxResult<i64> {
    tx.write(paid, i, with)?;
    Ok(if let Payment::Card { fee } = with { fee } else { 0 })
}

use Payment::*;

/// Variants that the module imports.
#[gpu_transaction]
pub fn fee(tx: &mut Tx, paid: &Shared<Payment>, i: u32) -> TxResult<i64> {
    Ok(match tx.read(paid, i)? {
        Cash => 0,
        Card { fee } if fee > 9 => 9,
        Card { fee } => fee,
    })
}

/// Alternatives that stand for one of several places.
#[gpu_transaction]
pub fn take_off(tx: &mut Tx, paid: &Shared<Payment>, i: u32, amount: i64) -> TxResult<i64> {
    let mut both = (tx.read(paid, i)?, [amount, 5]);
    let ((Payment::Card { fee: left }, [-9..=9, _]) | (_, [_, left])) = &mut both;
    *left = left.saturating_sub(amount);
    tx.write(paid, i, both.0)?;
    Ok(both.1[1])
}
