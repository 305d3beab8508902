// Functions, methods and macros are not called.
use stm_runtime::prelude::*;

fn helper(x: u32) -> u32 {
    x + 1
}

#[gpu_transaction]
fn calls(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let helped = helper(x);
    let wrapped = x.wrapping_add(1);
    let wide = u64::from(x);
    println!("{x}");
    assert!(x > 0);
    calls(tx, data, x)?;
    Ok(())
}

fn main() {}
