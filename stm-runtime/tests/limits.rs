//! Time limits and stop flags on CPU threads, whatever a single transaction does.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use stm_runtime::prelude::*;
use stm_runtime::{Batch, Report, UnresolvedReason};
use support::procedures::{ROUNDS, turn_round};

/// Adds to a cell, after that many rounds.
#[gpu_transaction(max_iterations = 4_000_000_000)]
fn ponder(tx: &mut Tx, cells: &Shared<u64>, at: u32, rounds: u64) -> TxResult {
    let mut seen = tx.read(cells, at)?;
    for round in 0..rounds {
        seen = seen.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round);
    }
    tx.write(cells, at, seen)
}

/// The same, then waits for a cell that no transaction writes.
#[gpu_transaction(max_iterations = 4_000_000_000)]
fn ponder_and_wait(tx: &mut Tx, cells: &Shared<u64>, at: u32, rounds: u64) -> TxResult {
    let mut seen = tx.read(cells, at)?;
    for round in 0..rounds {
        seen = seen.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round);
    }
    tx.guard(seen == 1)
}

/// The bound on a run. Without a limit it would take minutes; with a check in only one of a thousand transactions, too.
const LONG: Duration = Duration::from_secs(20);
const LIMIT: Duration = Duration::from_millis(20);

fn devices() -> [Device; 4] {
    let serial = Device::cpu(1).with_engine("serial").unwrap();
    [Device::cpu(1), Device::cpu(2), Device::cpu_seeded(2, 7), serial]
}

/// Ends a run by its time limit, by a flag, and by both with a progress function. Each run ends soon, and leaves no partial
/// effects.
fn ends_soon(device: &Device, cells: &Shared<u64>, batch: Batch) {
    let expect = |report: &Report, why: UnresolvedReason, begin: Instant| {
        assert!(begin.elapsed() < LONG, "{device} ended after {:?}", begin.elapsed());
        assert!(report.unresolved > 0, "{device}: {report}");
        assert!(
            report.unresolved_transactions.iter().all(|transaction| transaction.reason == why),
            "{device}: {report}"
        );
        let changed = cells.to_vec().unwrap().iter().filter(|cell| **cell != 0).count() as u64;
        assert!(changed <= report.committed, "{device}: {report}");
    };
    let begin = Instant::now();
    expect(&batch.run_with(&RunOptions::new().time_limit(LIMIT)).unwrap(), UnresolvedReason::TimeLimit, begin);

    let cells_before = cells.to_vec().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let options = RunOptions::new().stop_when(stop.clone());
    let stopped = options.clone().time_limit(Duration::MAX);
    let begin = Instant::now();
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(LIMIT);
            stop.store(true, Ordering::Relaxed);
        });
        batch.run_with(&stopped).unwrap()
    });
    let again = cells.to_vec().unwrap().iter().zip(&cells_before).filter(|(a, b)| a != b).count() as u64;
    assert!(again <= report.committed && begin.elapsed() < LONG, "{device}: {report}");
    assert!(
        report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::Stopped),
        "{device}: {report}"
    );

    stop.store(false, Ordering::Relaxed);
    let begin = Instant::now();
    let report = batch.run_with(&options.time_limit(LIMIT).progress(|_| ())).unwrap();
    assert!(
        begin.elapsed() < LONG && report.unresolved_transactions[0].reason == UnresolvedReason::TimeLimit,
        "{device}: {report}"
    );
}

#[test]
fn one_long_transaction_is_ended_in_its_loop() {
    for device in devices() {
        let cells = device.shared(&[0_u64]).unwrap();
        let mut batch = device.batch();
        batch.push(ponder::call(&cells, 0, 4_000_000_000));
        ends_soon(&device, &cells, batch);
        assert_eq!(cells.to_vec().unwrap(), [0]);
    }
}

#[test]
fn many_slow_transactions_are_ended_between_them() {
    for device in devices() {
        let cells = device.shared(&[0_u64; 64]).unwrap();
        let mut batch = device.batch();
        (0..16_384).for_each(|transaction| _ = batch.push(ponder::call(&cells, transaction % 64, 200_000)));
        ends_soon(&device, &cells, batch);
    }
}

#[test]
fn transactions_that_come_again_are_ended_too() {
    for device in devices() {
        let cells = device.shared(&[0_u64; 2]).unwrap();
        let mut batch = device.batch();
        // All of them wait after the first pass, and each of these commits wakes them.
        (0..2000).for_each(|_| _ = batch.push(ponder_and_wait::call(&cells, 0, 20_000)));
        (0..2000).for_each(|_| _ = batch.push(ponder::call(&cells, 0, 20_000)));
        let begin = Instant::now();
        let report = batch.run_with(&RunOptions::new().time_limit(20 * LIMIT)).unwrap();
        assert!(begin.elapsed() < LONG, "{device} ended after {:?}", begin.elapsed());
        assert!(
            report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::TimeLimit),
            "{device}: {report}"
        );
    }
}

#[test]
fn a_loop_that_ends_by_itself_counts_its_iterations_as_before() {
    for device in devices() {
        let cells = device.shared(&[0_u64; 4]).unwrap();
        let mut batch = device.batch();
        for rounds in [0, 1, 255, 256, 257, 513, 100_000] {
            batch.push(ponder::call(&cells, 0, rounds));
        }
        let report = batch.run_with(&RunOptions::new().time_limit(Duration::from_secs(3600))).unwrap();
        assert_eq!(report.committed, 7, "{device}: {report}");
    }
}

#[test]
fn a_look_ahead_goes_round_no_loop_for_long() {
    let device = Device::cpu(2);
    let cells = device.shared(&vec![1_u64; 1 << 16]).unwrap();
    let mut batch = device.batch();
    (0..500).for_each(|transaction| _ = batch.push(turn_round::call(&cells, transaction, transaction + 7)));
    assert_eq!(batch.run().unwrap().committed, 500);
    // No attempt loops: every value is 1. A prefetch, which sees zeros, would loop a million times for each transaction.
    assert!(ROUNDS.load(Ordering::Relaxed) <= 1000, "{} rounds", ROUNDS.load(Ordering::Relaxed));
}
