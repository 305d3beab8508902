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
