// Types that do not exist, or are none of the device. Elements of arrays are in `documents/no_gpu_data.rs`.
#![allow(unused)]

use stm_runtime::prelude::*;

struct Plain(u32);

#[derive(Clone, Copy)]
enum Level {
    Low,
    High,
}

#[gpu_transaction]
fn types(tx: &mut Tx, level: Level, missing: Missing) -> TxResult {
    Ok(())
}

#[gpu_fn]
fn helper(level: Level) -> Plain {
    Plain(1)
}

#[gpu_transaction]
fn locals(tx: &mut Tx, x: u32) -> TxResult {
    let level = Level::Low;
    let plain = Plain(x);
    Ok(())
}

fn main() {}
