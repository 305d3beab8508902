// Operators and casts that Rust does not have either.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn operators(tx: &mut Tx, data: &Shared<u32>, x: u32, f: f64, b: bool, pair: (u32, u32), maybe: Option<u32>) -> TxResult {
    let negative = -x;
    let inverse = !f;
    let sum = b + b;
    let shifted = f << 1;
    let by = x << f;
    let truth = x as bool;
    let float = b as f64;
    let letter = x as char;
    let parts = pair + pair;
    let less = pair < pair;
    let number = maybe as u32;
    let bits = f & f;
    let minus = -b;
    Ok(())
}

fn main() {}
