//! Local arrays run on whatever thread runs the batch, even one with a small stack.

use stm_runtime::prelude::*;

/// Uses nearly the largest array that a transaction may have.
#[gpu_transaction]
fn sieve(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u64> {
    let mut marks = [0_u64; 7_900];
    marks[7] = tx.read(cells, at)?;
    for i in 8..7_900 {
        marks[i] = marks[i - 1] + 1;
    }
    tx.write(cells, at, marks[7_899])?;
    Ok(marks[7_899])
}

/// By value in and out: without optimization each is a copy.
#[gpu_fn]
fn turned(list: [u64; 450]) -> [u64; 450] {
    let mut other = list;
    for i in 0..450 {
        other[i] = list[449 - i];
    }
    other
}

/// Several arrays and copies of them.
#[gpu_transaction]
fn copies(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u64> {
    let mut list = [0_u64; 450];
    list[0] = tx.read(cells, at)?;
    let pair = (turned(list), turned(turned(list)));
    let both = [pair.0, pair.1];
    let sum = both[0][449] + both[1][0];
    tx.write(cells, at, sum)?;
    Ok(sum)
}

/// As much as runs on the thread that runs the batch.
#[gpu_transaction]
fn small(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u64> {
    let mut list = [0_u64; 90];
    list[0] = tx.read(cells, at)?;
    let other = list;
    let third = [list, other];
    tx.write(cells, at, third[1][0] + 1)?;
    Ok(third[0][0])
}

/// Runs all of them on every kind of CPU device.
fn run_all() {
    let serial = Device::cpu(1).with_engine("serial").unwrap();
    for device in [Device::cpu(1), Device::cpu(2), Device::cpu_seeded(2, 1), serial] {
        let cells = device.shared(&[1_u64; 4]).unwrap();
        let mut batch = device.batch();
        let sieve = batch.push(sieve::call(&cells, 0));
        let copies = batch.push(copies::call(&cells, 1));
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!(report.serializable(), Some(true), "{report}");
        assert_eq!(report.outcome(sieve), Outcome::Committed(1 + 7_892));
        assert_eq!(report.outcome(copies), Outcome::Committed(2));

        let mut batch = device.batch();
        let small = batch.push(small::call(&cells, 2));
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!(report.outcome(small), Outcome::Committed(1));
        assert_eq!(cells.to_vec().unwrap(), [7_893, 2, 2, 1]);
    }
}

#[test]
fn local_arrays_run_from_any_thread() {
    for stack in [128 << 10, 2 << 20] {
        std::thread::Builder::new().stack_size(stack).spawn(run_all).unwrap().join().unwrap();
    }
}
