// `for` counts over ranges; the body is checked all the same.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn iterators(tx: &mut Tx, data: &Shared<u32>, n: u32) -> TxResult {
    for i in (0..n).rev() {
        tx.write(data, i, missing)?;
    }
    for i in 0.. {
        break;
    }
    for (i, j) in 0..n {}
    break;
    while n > 0 {
        continue 'outer;
    }
    Ok(())
}

fn main() {}
