// Whether a match covers everything is Rust's to say.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
enum Level {
    Low,
    High,
}

#[gpu_transaction]
fn exhaustive(tx: &mut Tx, data: &Shared<u32>, level: Level, x: u32, maybe: Option<u32>) -> TxResult {
    let a = match level {
        Level::Low => 1,
    };
    match x {
        0..=9 => {}
        11.. => {}
    }
    let Some(y) = maybe;
    tx.write(data, 0, a + y)
}

fn main() {}
