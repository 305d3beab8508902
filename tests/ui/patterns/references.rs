// References in patterns and types, and parts of arrays.
use stm_runtime::prelude::*;

#[gpu_fn]
fn texts(name: &str, list: &[u32]) -> u32 {
    1
}

#[gpu_transaction]
fn references(tx: &mut Tx, x: u32, pair: (u32, u32), list: [u32; 4], maybe: Option<u32>) -> TxResult {
    let &a = x;
    let (b, ref mut c) = pair;
    let [first, rest @ ..] = list;
    let [d, e] = list;
    if let Some(&f) = maybe {}
    match maybe {
        Some(&g) => {}
        None => {}
    }
    let mut h = x;
    let mut i = &mut h;
    let j = *x;
    match (pair, maybe) {
        ((k, _), None) | ((_, 1), Some(k)) => {}
        ((k, _), Some(true)) => {}
        _ => {}
    }
    let mut l = (Some((x, x)), x);
    if let (Some((1, m) | (m, _)), _) | (None, m) = &mut l {}
    let mut n = list;
    let [o, after @ ..] = &mut n;
    Ok(())
}

fn main() {}
