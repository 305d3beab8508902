//! The engine of a batch whose user chose none.

use stm_runtime::prelude::*;
use stm_runtime::report::{Algorithm, PlanReason};
use stm_runtime::{Batch, Engine, Order, Report, RunOptions, Selection, Shared};
use stm_tests::Environment;
use stm_tests::procedures::bank::{audit, deposit, transfer, transfer_found};
use stm_tests::procedures::in_order::put_or_sum;
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

/// Adds to an element. It commits in any case, as it does not look for an overflow.
#[gpu_transaction(overflow = "wrap")]
fn add(tx: &mut Tx, sums: &Shared<u64>, at: u32, by: u64) -> TxResult {
    tx.update(sums, at, |sum| sum + by)
}

/// From 16,384 transactions on, the launches of such a stage pay.
#[test]
fn many_run_in_order_where_they_only_add_or_where_some_are_long() {
    const CALLS: u32 = 1 << 14;
    let Some(environment) = fibers(Engine::default(), 15) else { return };
    let sums: Shared<u64> = environment.shared(&vec![0; 10_000]).expect("room for sums");
    let cells: Shared<u64> = environment.shared(&vec![0; 10_000]).expect("room for cells");
    let how = |batch: &Batch| {
        let report = run(&environment, batch);
        assert_eq!(report.committed, batch.len() as u64, "{report}");
        report.steps().first().map(|step| (step.method.to_string(), step.reason))
    };
    let mut batch = environment.batch();
    (0..CALLS).for_each(|nth| _ = batch.push(add::call(&sums, nth * 7 % 10_000, 1)));
    assert_eq!(how(&batch), Some(("in-order".to_owned(), PlanReason::OnlyAdd)));
    (0..CALLS / 16).for_each(|nth| _ = batch.push(put_or_sum::call(&cells, [nth; 6], 5, 1)));
    assert_eq!(how(&batch), Some(("in-order".to_owned(), PlanReason::LongTransactions)));
}

fn plan_of(methods: &[&str]) -> Selection {
    Selection::plan_of(methods.iter().copied()).expect("these are methods of a plan")
}

#[test]
fn a_plan_of_some_methods_uses_no_other() {
    let Some(environment) = fibers(Engine::default(), 11) else { return };
    let few: Shared<i64> = environment.shared(&[100; 2]).expect("room for accounts");
    let mut deposits = environment.batch();
    (0..50).for_each(|_| _ = deposits.push(deposit::call(&few, 1, 1)));
    deposits.push(audit::call(&few, 0, 2));
    let run = |methods: &[&str], batch: &Batch| {
        environment.run_all_with(batch, &environment.options().engine(plan_of(methods))).expect("the run should end")
    };
    assert_eq!(name(&run(&["commuting", "priority"], &deposits)), "commuting");
    assert_eq!(name(&run(&["readers-at-rest", "in-order", "priority"], &deposits)), "readers-at-rest");
    assert_eq!(name(&run(&["priority"], &deposits)), "priority");
    for methods in [&["serial"][..], &["commuting", "serial"]] {
        let report = run(methods, &deposits);
        assert!(!matches!(report.engine, Algorithm::Gpu(_)), "{report}");
    }
    assert_eq!(few.to_vec().expect("they are there"), [100, 100 + 5 * 50]);
}

/// Without a proof, what suits the stages runs on the device, and the host runs what is left.
#[test]
fn what_the_stages_leave_runs_on_the_host_where_no_locks_are_allowed() {
    let Some(environment) = fibers(Engine::default(), 12) else { return };
    let few: Shared<i64> = environment.shared(&[100; 2]).expect("room for accounts");
    let options = RunOptions::new().engine(plan_of(&["commuting", "serial"]));
    let mut batch = environment.batch();
    (0..50).for_each(|_| _ = batch.push(deposit::call(&few, 1, 1)));
    let report = batch.run_with(&options).expect("the run should end");
    assert_eq!((name(&report), report.committed), ("commuting".to_owned(), 50), "{report}");
    let late = batch.push(audit_once_rich::call(&few, 2, 300));
    let report = batch.run_with(&options).expect("the run should end");
    assert!(matches!(report.engine, Algorithm::CpuSerial { .. }), "{report}");
    assert_eq!((report.committed, report.outcome(late).committed()), (51, Some(300)), "{report}");
    let steps: Vec<_> =
        report.steps().iter().map(|step| (step.method.name(), step.reason, step.given, step.finished)).collect();
    let expected = [("commuting", PlanReason::FewElements, 51, 50), ("serial", PlanReason::NothingElse, 1, 1)];
    assert_eq!(steps, expected, "{report}");
    assert_eq!(few.to_vec().expect("they are there"), [100, 200]);
}

#[test]
fn a_report_says_what_each_method_did_and_why() {
    let Some(environment) = fibers(Engine::default(), 14) else { return };
    let accounts: Shared<i64> = environment.shared(&vec![100; ELEMENTS]).expect("room for accounts");
    let mut batch = environment.batch();
    (0..200).for_each(|at| _ = batch.push(transfer::call(&accounts, at, at + 1, 1)));
    (0..20).for_each(|_| _ = batch.push(audit::call(&accounts, 0, 60)));
    let report = run(&environment, &batch);
    let [first, second] = report.steps()[..] else { panic!("{report}") };
    assert_eq!((first.method.name(), first.reason), ("readers-at-rest", PlanReason::WriteNothing));
    assert_eq!((first.given, first.finished, second.given, second.finished), (220, 20, 200, 200), "{report}");
    assert_eq!((second.method, second.reason), (Engine::PRIORITY, PlanReason::LeftOver));
    assert!(first.predicted_time().is_some() && second.predicted_time().is_none() && !second.was_left, "{report}");
    assert_eq!(first.time + second.time, report.times.kernel, "{report}");
    let text = report.to_string();
    assert!(
        text.contains("  plan         readers-at-rest: 20 of 220 in ")
            && text.contains("; some transactions write nothing"),
        "{text}"
    );
    assert!(text.contains("  plan         priority: 200 of 200 in "), "{text}");
}

#[test]
fn a_plan_of_some_methods_holds_on_cpu_threads() {
    let device = Device::cpu(2);
    let accounts: Shared<i64> = device.shared(&vec![100; ELEMENTS]).expect("room for accounts");
    let mut batch = device.batch();
    (0..2000).for_each(|at| _ = batch.push(deposit::call(&accounts, at % 64, 1)));
    (0..20).for_each(|_| _ = batch.push(audit::call(&accounts, 0, 64)));
    let ways = |methods: &[&str]| {
        let options = RunOptions::new().engine(plan_of(methods)).check(true);
        let report = batch.run_with(&options).expect("the run should end");
        assert_eq!((report.committed, report.serializable()), (2020, Some(true)), "{report}");
        let Algorithm::CpuPlan { at_rest, in_place, locked } = report.engine else { panic!("{report}") };
        let finished: Vec<u64> = report.steps().iter().map(|step| step.finished).collect();
        let ran: Vec<u64> = [at_rest, in_place, locked].into_iter().filter(|finished| *finished > 0).collect();
        assert_eq!(finished, ran, "{report}");
        assert!(report.steps().iter().all(|step| step.given >= step.finished && !step.time.is_zero()), "{report}");
        [at_rest, in_place, locked]
    };
    assert_eq!(ways(&["readers-at-rest", "priority"]), [20, 0, 2000]);
    assert_eq!(ways(&["commuting", "serial"]), [0, 2020, 0]);
    assert_eq!(ways(&["in-order", "priority"]), [0, 0, 2020]);
    let profiled = RunOptions::new().engine(plan_of(&["serial"])).profile(true);
    let report = batch.run_with(&profiled).expect("the run should end");
    assert!(matches!(report.engine, Algorithm::CpuSerial { .. }), "{report}");
}

#[test]
fn in_push_order_the_last_method_is_one_at_a_time() {
    let Some(environment) = fibers(Engine::default(), 13) else { return };
    let accounts: Shared<i64> = environment.shared(&vec![100; ELEMENTS]).expect("room for accounts");
    let mut batch = environment.batch();
    (0..200).for_each(|at| _ = batch.push(transfer::call(&accounts, at, at + 1, 1)));
    let run = |methods: &[&str]| {
        let options = RunOptions::new().engine(plan_of(methods)).order(Order::Pushed).check(true);
        batch.run_with(&options)
    };
    let refused = run(&["in-rounds", "priority"]).expect_err("nothing there ends a batch in push order");
    let all = "a plan of the methods `priority,in-rounds` leaves transactions that none of them can run; add `serial`, which keeps push order";
    assert_eq!(refused.to_string(), all);
    for (methods, expected) in [(["in-rounds", "serial"], "in-rounds"), (["readers-at-rest", "serial"], "priority")] {
        let report = run(&methods).expect("the run should end");
        assert_eq!((name(&report).as_str(), report.committed), (expected, 200), "{report}");
    }
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
