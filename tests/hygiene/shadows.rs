//! Shadowing: the innermost name is used, in Rust and in CUDA C.

use super::{everywhere, value};
use stm_runtime::prelude::*;

/// A constant that a variable cannot shadow, but an inner module can.
const STEP: i64 = 100;

#[gpu_fn]
fn shadows(x: i64) -> i64 {
    let x = x + 1;
    let shadows = {
        let x = x * 2;
        x.abs()
    };
    shadows + x
}

#[gpu_fn]
fn bump(tx: &mut Tx, data: &Shared<i64>, at: u32) -> TxResult<i64> {
    let x = tx.read(data, at)?;
    tx.write(data, at, x + 1)?;
    Ok(x)
}

/// Shadows parameters, arrays, and loop variables; at the end also the handle.
#[gpu_transaction]
fn layers(tx: &mut Tx, data: &Shared<i64>, x: i64, layers: u32) -> TxResult<i64> {
    let x = x + 1;
    let outer = x;
    let x = if x > 2 {
        let x = x * 10;
        x + 1
    } else {
        x
    };
    for x in 0..2_u32 {
        let x = x + layers;
        let bumped = bump(tx, data, x)?;
        let x = bumped;
        tx.guard(x >= 0)?;
    }
    let first = tx.read(data, 0)?;
    let data = first + STEP;
    let bump = shadows(data);
    let Some(data) = Some(bump) else { return tx.reject(1) };
    let tx = 1_i64;
    let stm = tx + x + outer;
    match (data, stm) {
        (data, x) if data > x => Ok(data - x + tx),
        (x, _) => Ok(x),
    }
}

mod inner {
    use stm_runtime::prelude::*;

    /// Another constant of the same name.
    const STEP: i64 = 7;

    /// Another function of the same name.
    #[gpu_fn]
    fn shadows(x: i64) -> i64 {
        x * STEP
    }

    /// Another transaction of the same name.
    #[gpu_transaction]
    pub(super) fn layers(tx: &mut Tx, data: &Shared<i64>, x: i64) -> TxResult<i64> {
        let old = tx.read(data, 3)?;
        tx.write(data, 3, old + shadows(x))?;
        Ok(old + super::shadows(x))
    }
}

#[test]
fn the_innermost_name_counts() {
    everywhere(|device| {
        let data = device.shared(&[0_i64; 4])?;
        let mut batch = device.batch();
        let outer = batch.push(layers::call(&data, 2, 1));
        let inner = batch.push(inner::layers::call(&data, 2));
        let report = batch.run_with(&RunOptions::new().check(true))?;
        // (100 + 1) doubled, plus itself, less 31, 3 and 1, plus the 1 that replaced the handle.
        assert_eq!(value(report.outcome(outer)), (202 + 101) - (1 + 31 + 3) + 1);
        assert_eq!(value(report.outcome(inner)), 9);
        assert_eq!(data.to_vec()?, [0, 1, 1, 14]);
        Ok(())
    });
}
