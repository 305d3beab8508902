//! The engine of a batch whose user chose none.

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
