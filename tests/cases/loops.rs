//! Every loop, labels, values of `loop`, ranges up to the greatest value of a type.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn count(tx: &mut Tx, data: &Shared<u32>, n: u32) -> TxResult<u32> {
    let mut found = 0;
    'outer: for i in 0..n {
        for j in (i + 1)..=n {
            if i * j > 1000 {
                break 'outer;
            }
            if i * j % 7 == 3 {
                continue 'outer;
            }
            if j == 5 {
                continue;
            }
            found += 1;
        }
    }
    let mut rest = n;
    while rest > 1 {
        rest /= 2;
        if rest == 3 {
            break;
        }
    }
    let power = loop {
        rest += 1;
        if rest > found {
            break rest * 2;
        }
    };
    tx.write(data, 0, power)?;
    Ok(found)
}

#[gpu_transaction(max_iterations = 300)]
pub fn all_bytes(tx: &mut Tx, sums: &Shared<u32>) -> TxResult {
    let mut sum = 0;
    for byte in 0..=u8::MAX {
        sum += byte as u32;
    }
    for mut back in -3..3 {
        back = -back;
        if back > 2_i8 {
            sum += 1;
        }
    }
    tx.write(sums, 0, sum)
}

#[gpu_transaction]
pub fn forever(tx: &mut Tx, data: &Shared<u32>, i: u32) -> TxResult {
    let mut step = tx.read(data, i)?;
    loop {
        step += 1;
        if step > 10 {
            return tx.write(data, i, step);
        }
    }
}

/// Left when a sum wraps: by a comparison, by a method, by a fault, by a guard.
#[gpu_transaction(max_accesses = 16)]
pub fn wraps(tx: &mut Tx, data: &Shared<u32>, start: u32, small: u8) -> TxResult<u32> {
    let mut turns = 0;
    for i in 0..9_u32 {
        if start.wrapping_add(i) < start {
            break;
        }
        turns += 1;
    }
    let mut back = 0_u32;
    while start.wrapping_sub(3 * back) <= start && back != 7 {
        back += 1;
    }
    let most = u32::MAX - u32::from(small % 16);
    let mut more = 0;
    while most.checked_add(more).is_some() {
        more += 1;
    }
    let mut total = u32::MAX - 10;
    for i in 0..u32::from(small % 16) {
        tx.guard(total.wrapping_add(i) >= total)?;
        total += 1;
        tx.write(data, i, total)?;
    }
    Ok(turns + 100 * back + 10_000 * more)
}
