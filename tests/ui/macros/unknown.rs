// Macros that have no meaning on the device.
use stm_runtime::prelude::*;

macro_rules! mine {
    () => {
        1
    };
}

#[gpu_transaction]
fn unknown(tx: &mut Tx, x: u32) -> TxResult {
    println!("{x}");
    dbg!(x);
    let a = vec![1, 2];
    let b = format!("{x}");
    let c = mine!();
    let d = std::concat!("a", "b");
    Ok(())
}

fn main() {}
