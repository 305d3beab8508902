//! The engine of a batch whose user chose none.

use stm_runtime::prelude::*;
use stm_runtime::{Batch, Engine, Report, RunOptions, Selection, Shared};
use stm_tests::Environment;
use stm_tests::procedures::bank::{audit, deposit, transfer, transfer_found};
use stm_tests::procedures::readers::audit_once_rich;

use super::fibers;

const ELEMENTS: usize = 4096;

fn run(environment: &Environment, batch: &Batch) -> Report {
    let options = environment.options().engine(Selection::default());
    environment.run_with(batch, &options).expect("the run should end")
}

fn name(report: &Report) -> String {
    report.engine.engine().to_string()
}

#[test]
fn the_engine_follows_from_the_procedures_and_the_elements() {
    let Some(environment) = fibers(Engine::default(), 7) else { return };
    let many: Shared<i64> = environment.shared(&vec![100; ELEMENTS]).expect("room for accounts");
    let few: Shared<i64> = environment.shared(&[100; 2]).expect("room for accounts");
    let places: Shared<u32> = environment.shared(&[0; 2]).expect("room for places");

    let mut transfers = environment.batch();
    (0..50).for_each(|at| _ = transfers.push(transfer::call(&many, at, at + 1, 1)));
    assert_eq!(name(&run(&environment, &transfers)), "priority");

    // Few elements alone are no reason: the order of these matters.
    let mut found = environment.batch();
    (0..50).for_each(|_| _ = found.push(transfer_found::call(&places, &few, 0, 1, 1)));
    assert_eq!(name(&run(&environment, &found)), "priority");

    let mut deposits = environment.batch();
    (0..50).for_each(|_| _ = deposits.push(deposit::call(&few, 1, 1)));
    let report = run(&environment, &deposits);
    assert_eq!((name(&report), report.conflicts.total()), ("commuting".to_owned(), 0), "{report}");

    transfers.push(audit::call(&many, 0, 64));
    assert_eq!(name(&run(&environment, &transfers)), "readers-at-rest");
    let options = RunOptions::new().engine(Engine::PRIORITY);
    assert_eq!(name(&transfers.run_with(&options).expect("the run should end")), "priority");
}

/// Draws the next number of a counter.
#[gpu_transaction(overflow = "wrap")]
fn draw(tx: &mut Tx, counters: &Shared<u64>, of: u32) -> TxResult<u64> {
    let number = tx.read(counters, of)?;
    tx.write(counters, of, number + 1)?;
    Ok(number)
}

/// The plan looks at a part of a large batch, and sees which elements most of its transactions need.
#[test]
fn hot_elements_among_many_are_seen_beforehand() {
    let Some(environment) = fibers(Engine::default(), 9) else { return };
    let engine = |pushed: usize, push: &dyn Fn(&mut Batch, u32)| {
        let mut batch = environment.batch();
        (0..pushed as u32).for_each(|at| push(&mut batch, at));
        name(&run(&environment, &batch))
    };
    let many: Shared<i64> = environment.shared(&vec![0; 1 << 20]).expect("room for accounts");
    let counters: Shared<u64> = environment.shared(&vec![0; 1 << 20]).expect("room for counters");
    let hot = |at: u32| if at.is_multiple_of(3) { 77 } else { 97 * at };
    assert_eq!(engine(10_000, &|batch, at| _ = batch.push(deposit::call(&many, hot(at), 1))), "commuting");
    assert_eq!(engine(10_000, &|batch, at| _ = batch.push(deposit::call(&many, 97 * at, 1))), "priority");
    assert_eq!(engine(17_000, &|batch, at| _ = batch.push(draw::call(&counters, hot(at)))), "in-order");
}

#[test]
fn readers_do_not_conflict_and_those_that_wait_run_later() {
    let Some(environment) = fibers(Engine::default(), 8) else { return };
    let accounts: Shared<i64> = environment.shared(&vec![100; ELEMENTS]).expect("room for accounts");
    let mut batch = environment.batch();
    let sums: Vec<_> = (0..200).map(|_| batch.push(audit::call(&accounts, 0, 60))).collect();
    let late = batch.push(audit_once_rich::call(&accounts, 2, 210));
    batch.push(deposit::call(&accounts, 0, 10));
    let report = run(&environment, &batch);
    assert_eq!(report.committed, 202, "{report}");
    assert!(sums.into_iter().all(|sum| report.outcome(sum).committed() == Some(6000)), "readers come first");
    assert_eq!(report.outcome(late).committed(), Some(210));
}
