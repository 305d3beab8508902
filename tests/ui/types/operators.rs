// Operators and casts that Rust does not have either.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn operators(tx: &mut Tx, data: &Shared<u32>, x: u32, f: f64, b: bool) -> TxResult {
    let negative = -x;
    let inverse = !f;
    let sum = b + b;
    let shifted = f << 1;
    let truth = x as bool;
    let float = b as f64;
    let letter = x as char;
    let element = tx.read(data, f)?;
    for i in 0.0..f {}
    Ok(())
}

fn main() {}
