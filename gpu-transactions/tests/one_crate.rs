//! A program that depends on this crate alone: every kind of generated code names it.

// A test sees the dependencies of this crate, too. No path by this name can work here.
extern crate core as stm_runtime;

use gpu_transactions::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Room {
    free: u32,
    price: i64,
    level: Level,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Level {
    Plain,
    Suite,
}

#[gpu_fn]
fn with_fee(price: i64) -> i64 {
    price + (price / 100).max(1)
}

#[gpu_fn]
fn take(tx: &mut Tx, rooms: &Shared<Room>, at: u32) -> TxResult<Room> {
    let room = tx.read(rooms, at)?;
    tx.guard(room.free > 0)?;
    tx.write(&rooms.free, at, room.free - 1)?;
    Ok(room)
}

#[gpu_transaction]
fn book(tx: &mut Tx, rooms: &Shared<Room>, at: u32, wanted: Option<Level>) -> TxResult<i64> {
    let room = take(tx, rooms, at)?;
    match (room.level, wanted) {
        (Level::Plain, Some(Level::Suite)) => tx.reject(1),
        (Level::Plain, _) => Ok(with_fee(room.price)),
        (Level::Suite, _) => Ok(with_fee(2 * room.price)),
    }
}

#[gpu_transaction(instantiate(u32, i64))]
fn add<T>(tx: &mut Tx, sums: &Shared<T>, at: u32, amount: T) -> TxResult {
    let sum = tx.read(sums, at)?;
    tx.write(sums, at, sum + amount)
}

#[test]
fn threads_share_devices_and_arrays_and_send_batches() {
    fn sent<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    shared::<Device>();
    shared::<Shared<Room>>();
    sent::<gpu_transactions::Batch<'_>>();
    sent::<Report>();
}

#[test]
fn a_program_needs_no_other_crate() -> Result<(), Error> {
    let device = Device::cpu(2);
    let rooms = device.shared(&[Room { free: 1, price: 80, level: Level::Suite }; 2])?;
    let sums = device.shared(&[1_i64, 2])?;
    let fee = 2_i64;
    let charge = gpu_transactions::gpu_transaction!(captures(fee: i64), |tx: &mut Tx, sums: &Shared<i64>, at: u32| {
        tx.update(sums, at, |sum| sum - fee)
    });
    let mut batch = device.batch();
    let booked = batch.push(book::call(&rooms, 0, None));
    batch.push(add::<i64>::call(&sums, 1, 40));
    batch.push(charge.call(&sums, 0));
    let report = batch.run_with(&RunOptions::new().check(true))?;
    assert_eq!(report.outcome(booked), Outcome::Committed(161));
    assert_eq!((sums.to_vec()?, report.serializable()), (vec![-1, 42], Some(true)));
    assert!(book::kernel().cuda_source()?.contains("book"));
    Ok(())
}
