// `for` counts over ranges and goes through arrays; the body is checked all the same.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn iterators(tx: &mut Tx, data: &Shared<u32>, n: u32, list: [u32; 4]) -> TxResult {
    for i in (0..n).filter(|k| *k > 1).enumerate().rev() {
        tx.write(data, i, missing)?;
    }
    for i in (0..n).step_by(n) {}
    for i in list.iter().enumerate() {}
    for (a, b) in &[(n, n)] {}
    for i in &list {
        tx.write(data, i, 1)?;
    }
    for i in n.iter() {}
    for i in Some(n) {}
    for i in (n, n) {}
    for (i, j) in 0..n {}
    for i in 0..f64::MAX {}
    for i in 0.0..1.0 {}
    for i in 0_u8..n {}
    for i in n {}
    Ok(())
}

fn main() {}
