//! Records, `Option`s and enums with dependent fields, used through functions.

use stm_runtime::prelude::*;

use super::helpers::{give, take};

/// Two purses of one owner, and the number of moves between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Purses {
    /// The first.
    pub left: i64,
    /// The second.
    pub right: i64,
    /// The number of moves so far.
    pub moves: u16,
    /// Whether the last move went to the left.
    pub to_left: bool,
}

/// Moves one unit from one purse to the other, field by field.
#[gpu_transaction]
pub fn move_over(tx: &mut Tx, purses: &Shared<Purses>, owner: u32, by: i64) -> TxResult<u16> {
    tx.update(&purses.left, owner, |left| left + by)?;
    let moves = tx.read(&purses.moves, owner)?;
    tx.write(&purses.moves, owner, moves + 1)?;
    tx.update(&purses.right, owner, |right| right - by)?;
    tx.write(&purses.to_left, owner, by > 0)?;
    Ok(moves)
}

/// Does the same with the whole record.
#[gpu_transaction]
pub fn move_whole(tx: &mut Tx, purses: &Shared<Purses>, owner: u32, by: i64) -> TxResult<u16> {
    let old = tx.read(purses, owner)?;
    let new = Purses { left: old.left + by, right: old.right - by, moves: old.moves + 1, to_left: by > 0 };
    tx.write(purses, owner, new)?;
    Ok(old.moves)
}

/// Returns both purses in one state.
#[gpu_transaction]
pub fn see_purses(tx: &mut Tx, purses: &Shared<Purses>, owner: u32) -> TxResult<Purses> {
    tx.read(purses, owner)
}

/// Withdraws and deposits through functions. The function itself counts the gift.
#[gpu_transaction]
pub fn transfer_by_functions(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult<i64> {
    let mut gifts = 0;
    let left = take(tx, accounts, from, amount)?;
    give(tx, accounts, to, amount, &mut gifts)?;
    assert_eq!(gifts, 1);
    Ok(left)
}

/// Takes a seat at a table once one is free.
#[gpu_transaction]
pub fn sit_down(tx: &mut Tx, places: &Shared<Option<u32>>, first: u32, guest: u32) -> TxResult<u32> {
    let (left, right) = (tx.read(places, first)?, tx.read(places, first + 1)?);
    tx.guard(left.is_none() || right.is_none())?;
    let at = match (left, right) {
        (None, _) => first,
        (Some(other), None) if other != guest => first + 1,
        _ => return tx.reject(5),
    };
    tx.write(places, at, Some(guest))?;
    Ok(at)
}

/// Frees the seat once that guest has taken it.
#[gpu_transaction]
pub fn stand_up(tx: &mut Tx, places: &Shared<Option<u32>>, first: u32, guest: u32) -> TxResult<bool> {
    let left = tx.read(places, first)?;
    if let Some(other) = left
        && other == guest
    {
        tx.write(places, first, None)?;
        return Ok(true);
    }
    let right = tx.read(places, first + 1)?;
    tx.guard(right == Some(guest))?;
    tx.write(places, first + 1, None)?;
    Ok(false)
}

/// A light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(i8)]
pub enum Light {
    /// Stop.
    Red = -1,
    /// Go.
    Green,
    /// Nearly red.
    Yellow = 5,
}

#[gpu_fn]
fn after(light: Light) -> Light {
    match light {
        Light::Red => Light::Green,
        Light::Green => Light::Yellow,
        Light::Yellow => Light::Red,
    }
}

/// Switches to the next light, and counts.
#[gpu_transaction]
pub fn switch_light(tx: &mut Tx, lights: &Shared<(Light, u32)>, i: u32) -> TxResult<(Light, u32)> {
    let (light, count) = tx.read(lights, i)?;
    let new = (after(light), count + 1);
    tx.write(lights, i, new)?;
    Ok(new)
}

/// A machine, and how much work it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub enum Machine {
    /// No work.
    Idle,
    /// Works for an owner, who is the same twice.
    Works {
        /// The owner.
        of: u32,
        /// The same number, and the steps.
        again: (u32, i64),
    },
    /// Stopped after that many steps.
    Stopped(i64),
}

/// Makes the next step, and counts.
#[gpu_transaction]
pub fn step_machine(tx: &mut Tx, machines: &Shared<(u32, Machine)>, i: u32, of: u32) -> TxResult<(u32, Machine)> {
    let (count, machine) = tx.read(machines, i)?;
    let new = match machine {
        Machine::Idle => Machine::Works { of, again: (of, 1) },
        Machine::Works { of: last, again: (same, steps) } if steps < 3 => {
            assert_eq!(last, same);
            Machine::Works { of, again: (of, steps + 1) }
        }
        Machine::Works { again: (_, steps), .. } => Machine::Stopped(steps),
        Machine::Stopped(_) => Machine::Idle,
    };
    tx.write(machines, i, (count + 1, new))?;
    Ok((count, machine))
}

/// An index in two parts, whose sum is always `WHOLE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
pub struct Parts {
    /// One part.
    pub low: i32,
    /// The other.
    pub high: i64,
}

/// The sum of the parts of each index.
pub const WHOLE: i64 = 3;

/// Moves a part of the index from one to the other.
#[gpu_transaction]
pub fn shift_parts(tx: &mut Tx, parts: &Shared<Parts>, i: u32, by: i32) -> TxResult {
    tx.update(&parts.low, i, |low| low + by)?;
    tx.update(&parts.high, i, |high| high - by as i64)
}

#[gpu_fn]
fn sum(parts: Parts) -> i64 {
    parts.low as i64 + parts.high
}

/// Panics in one of three ways on parts from different states.
#[gpu_transaction]
pub fn rely_on_parts(tx: &mut Tx, parts: &Shared<Parts>, i: u32, how: u32) -> TxResult<u8> {
    let list = [0, 10, 20, 30_u8];
    let whole = sum(tx.read(parts, i)?);
    match how % 3 {
        0 => {
            assert!(whole == WHOLE, "the parts belong together");
            Ok(30)
        }
        1 => Ok(list[whole as usize]),
        _ => {
            let found = if whole == WHOLE { Some(30) } else { None };
            Ok(found.unwrap())
        }
    }
}
