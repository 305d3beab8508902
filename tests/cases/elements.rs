//! Loops over the elements of arrays.

use stm_runtime::prelude::*;

/// As many elements as the array has, known before.
#[gpu_transaction]
pub fn gather(tx: &mut Tx, data: &Shared<u32>, places: [u8; 3]) -> TxResult<u32> {
    let mut sum = 0_u32;
    for at in places {
        sum = sum.wrapping_add(tx.read(data, at)?);
    }
    Ok(sum)
}

/// By reference, with numbers, backwards, with parts of the element.
#[gpu_transaction]
pub fn spread(tx: &mut Tx, data: &Shared<u32>, pairs: [(u32, bool); 4]) -> TxResult {
    for (i, &(by, yes)) in pairs.iter().enumerate().rev() {
        if !yes {
            continue;
        }
        tx.write(data, i, by)?;
    }
    for step in &[1, 5_u8] {
        tx.write(data, *step + 4, 7)?;
    }
    Ok(())
}
