//! Outcomes of batches on CPU threads and on the sequential executor, through the public interface.

#[path = "cpu/outcomes.rs"]
mod outcomes;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use stm_runtime::{Batch, Device, Engine, Error, Outcome, Report, RunOptions, UnresolvedReason};
use support::Random;
use support::procedures::{audit, deposit, move_pointer, skew, transfer, withdraw};

/// Runs the same test on one thread, on more threads than cores, and on the sequential executor; always checked.
fn everywhere(test: impl Fn(&Device, &dyn Fn(&mut Batch) -> Report)) {
    for (threads, engine) in [(1, "priority"), (2, "priority"), (7, "priority"), (1, "serial")] {
        let device = Device::cpu(threads);
        let engine: Engine = engine.parse().unwrap();
        test(&device, &|batch| {
            let report = batch.run_with(&RunOptions::new().engine(engine).check(true)).unwrap();
            assert_eq!(report.serializable(), Some(true), "{report}");
            report
        });
    }
}

fn fill(batch: &mut Batch, accounts: &stm_runtime::Shared<i64>, transfers: usize) {
    let mut random = Random::new(7);
    let n = accounts.len() as u32;
    for _ in 0..transfers {
        let from = random.below(n);
        let to = (from + 1 + random.below(n - 1)) % n;
        batch.push(transfer::call(accounts, from, to, i64::from(random.below(50))));
    }
}

#[test]
fn money_is_conserved_under_high_contention() {
    everywhere(|device, run| {
        let accounts = device.shared(&[1000_i64; 10]).unwrap();
        let mut batch = device.batch();
        fill(&mut batch, &accounts, 20_000);
        let report = run(&mut batch);
        assert_eq!(report.committed + report.unresolved, 20_000);
        assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 10_000);
        assert!(accounts.to_vec().unwrap().iter().all(|balance| *balance >= 0));
    });
}

/// Returns the order of the withdrawals, as the remaining balances show it, and the number of conflicts.
fn interleaving(seed: u64) -> (Vec<i64>, u64) {
    let device = Device::cpu_seeded(3, seed);
    let accounts = device.shared(&[1000_i64; 2]).unwrap();
    let mut batch = device.batch();
    let tickets: Vec<_> =
        (0..60).map(|transaction| batch.push(withdraw::call(&accounts, transaction % 2, 1))).collect();
    let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
    assert_eq!((report.committed, report.serializable()), (60, Some(true)), "{report}");
    let left = tickets.into_iter().map(|ticket| match report.outcome(ticket) {
        Outcome::Committed(left) => left,
        other => panic!("{other:?}"),
    });
    (left.collect(), report.conflicts.total())
}

#[test]
fn a_seed_interleaves_alike_and_seeds_differ() {
    let all: Vec<_> = (0..6).map(interleaving).collect();
    assert_eq!(all, (0..6).map(interleaving).collect::<Vec<_>>());
    assert!(all.iter().any(|(left, _)| *left != all[0].0), "every seed gave one order");
    assert!(all.iter().all(|(_, conflicts)| *conflicts > 0), "nobody came between: {all:?}");
}

#[test]
fn threads_that_take_turns_wait_for_guards_together() {
    let device = Device::cpu_seeded(3, 5);
    let accounts = device.shared(&[0_i64; 4]).unwrap();
    let mut batch = device.batch();
    let tickets: Vec<_> =
        (0..30).map(|transaction| batch.push(transfer::call(&accounts, transaction % 3, 3, 1))).collect();
    let stuck = batch.run().unwrap();
    let waits = |ticket: &_| stuck.outcome(*ticket) == Outcome::Unresolved(UnresolvedReason::GuardNeverHeld);
    assert!(tickets.iter().all(waits), "{stuck}");
    for account in 0..3 {
        batch.push(deposit::call(&accounts, account, 10));
    }
    assert_eq!(batch.run().unwrap().committed, 33);
}

#[test]
fn counters_lose_no_update() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64; 2]).unwrap();
        let mut batch = device.batch();
        for i in 0..30_000_u32 {
            batch.push(deposit::call(&accounts, i % 2, 1));
        }
        assert_eq!(run(&mut batch).committed, 30_000);
        assert_eq!(accounts.to_vec().unwrap(), [15_000, 15_000]);
    });
}

#[test]
fn write_skew_does_not_happen() {
    everywhere(|device, run| {
        for _ in 0..200 {
            let cells = device.shared(&[0_u32; 2]).unwrap();
            let mut batch = device.batch();
            batch.push(skew::call(&cells, 0, 1));
            batch.push(skew::call(&cells, 1, 0));
            assert_eq!(run(&mut batch).committed, 2);
            assert_ne!(cells.to_vec().unwrap(), [1, 1]);
        }
    });
}

#[test]
fn an_audit_sees_one_moment() {
    everywhere(|device, run| {
        let accounts = device.shared(&[100_i64; 8]).unwrap();
        let mut batch = device.batch();
        let mut audits = Vec::new();
        for round in 0..500 {
            fill(&mut batch, &accounts, 10);
            audits.push(batch.push(audit::call(&accounts, 0, 8)));
            assert_eq!(batch.len(), 11 * (round + 1));
        }
        let report = run(&mut batch);
        for ticket in audits {
            assert_eq!(report.outcome(ticket), Outcome::Committed(800));
        }
    });
}

#[test]
fn pointers_never_lead_astray() {
    everywhere(|device, run| {
        let index = device.shared(&[0_u32; 1]).unwrap();
        let cells = device.shared_with(&[1_u8, 0, 0, 0, 0, 0, 0], 4).unwrap();
        let mut batch = device.batch();
        let mut random = Random::new(3);
        let tickets: Vec<_> =
            (0..5000).map(|_| batch.push(move_pointer::call(&index, &cells, 0, random.below(7)))).collect();
        let report = run(&mut batch);
        assert_eq!((report.committed, report.faulted), (5000, 0));
        assert!(tickets.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(1)));
        assert_eq!(cells.to_vec().unwrap().iter().map(|mark| u32::from(*mark)).sum::<u32>(), 1);
    });
}

#[test]
fn guards_wait_for_others_and_end_when_nobody_can_help() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64; 3]).unwrap();
        let mut batch = device.batch();
        let enabled = batch.push(transfer::call(&accounts, 0, 1, 50));
        let never = batch.push(transfer::call(&accounts, 2, 1, 1));
        let chained = batch.push(transfer::call(&accounts, 1, 0, 50));
        let enabling = batch.push(deposit::call(&accounts, 0, 50));
        let report = run(&mut batch);
        assert_eq!(report.outcome(enabled), Outcome::Committed(()));
        assert_eq!(report.outcome_at(enabled.transaction()), Ok(Outcome::Committed(())));
        assert_eq!(report.outcome(enabling), Outcome::Committed(()));
        assert_eq!(report.outcome(chained), Outcome::Committed(()));
        assert_eq!(report.outcome(never), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
        assert_eq!((report.unresolved, report.unresolved_transactions[0].transaction), (1, 1));
        assert_eq!(accounts.to_vec().unwrap(), [50, 0, 0]);
        assert!(report.postponements >= 1 && report.passes >= 2);
    });
}

#[test]
fn lock_coverage_changes_no_outcome() {
    everywhere(|device, run| {
        for coverage in [2, 8, 1024] {
            let accounts = device.shared_with(&[1000_i64; 20], coverage).unwrap();
            let mut batch = device.batch();
            fill(&mut batch, &accounts, 3000);
            run(&mut batch);
            assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 20_000);
        }
    });
}

#[test]
fn a_batch_runs_again_from_the_start() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64]).unwrap();
        let mut batch = device.batch();
        let ticket = batch.push(deposit::call(&accounts, 0, 1));
        run(&mut batch);
        batch.push(deposit::call(&accounts, 0, 1));
        let report = run(&mut batch);
        assert_eq!((report.transactions, report.committed), (2, 2));
        assert_eq!(report.outcome(ticket), Outcome::Committed(()));
        assert_eq!(accounts.to_vec().unwrap(), [3]);
    });
}

#[test]
fn an_empty_batch_is_an_empty_report() {
    let report = Device::cpu(2).batch().run().unwrap();
    assert_eq!((report.transactions, report.committed, report.unresolved), (0, 0, 0));
    assert!(report.is_complete());
    assert_eq!(report.serializable(), None);
}

#[test]
fn an_empty_array_makes_every_access_a_fault() {
    everywhere(|device, run| {
        let accounts = device.shared::<i64>(&[]).unwrap();
        let mut batch = device.batch();
        batch.push(deposit::call(&accounts, 0, 1));
        assert_eq!(run(&mut batch).faulted, 1);
    });
}

#[test]
fn an_array_of_another_device_is_an_error_with_its_transaction() {
    let (here, there) = (Device::cpu(1), Device::cpu(1));
    let (mine, foreign) = (here.shared(&[1_i64]).unwrap(), there.shared(&[1_i64]).unwrap());
    let mut batch = here.batch();
    batch.push(deposit::call(&mine, 0, 1));
    batch.push(deposit::call(&foreign, 0, 1));
    batch.push(deposit::call(&mine, 0, 1));
    let error = batch.run().unwrap_err();
    assert!(
        matches!(&error, Error::ForeignArray { transaction: 1, procedure: "deposit", parameter: "accounts", .. }),
        "{error}"
    );
    assert_eq!(mine.to_vec().unwrap(), [1]);
}

#[test]
fn a_ticket_of_another_batch_is_not_part_of_the_run() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64]).unwrap();
    let (mut a, mut b) = (device.batch(), device.batch());
    a.push(deposit::call(&accounts, 0, 1));
    let ticket = b.push(deposit::call(&accounts, 0, 1));
    let report = a.run().unwrap();
    assert_eq!(report.outcome(ticket), Outcome::Unresolved(UnresolvedReason::NotRun));
}

#[test]
fn limits_leave_the_rest_unresolved() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut batch = device.batch();
    let early = batch.push(transfer::call(&accounts, 0, 1, 5));
    batch.push(deposit::call(&accounts, 0, 5));
    let report = batch.run_with(&RunOptions::new().pass_limit(1)).unwrap();
    assert_eq!(report.outcome(early), Outcome::Unresolved(UnresolvedReason::PassLimit));
    assert_eq!(accounts.to_vec().unwrap(), [5, 0]);

    let stop = Arc::new(AtomicBool::new(true));
    let report = batch.run_with(&RunOptions::new().stop_when(stop)).unwrap();
    assert_eq!(report.outcome(early), Outcome::Unresolved(UnresolvedReason::Stopped));

    let mut batch = device.batch();
    let late = batch.push(deposit::call(&accounts, 0, 5));
    let report = batch.run_with(&RunOptions::new().time_limit(Duration::ZERO)).unwrap();
    assert_eq!(report.outcome(late), Outcome::Unresolved(UnresolvedReason::TimeLimit));
    assert_eq!(accounts.to_vec().unwrap(), [5, 0]);
}

#[test]
fn progress_is_reported_and_may_not_use_the_arrays() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let finished = Arc::new(AtomicU64::new(0));
    let mut batch = device.batch();
    for _ in 0..1000 {
        batch.push(deposit::call(&accounts, 0, 1));
    }
    let (inside, seen) = (accounts.clone(), finished.clone());
    let options = RunOptions::new().progress(move |progress| {
        assert_eq!(progress.transactions, 1000);
        assert_eq!(inside.to_vec(), Err(Error::ArrayInUse));
        seen.store(progress.finished, Ordering::Relaxed);
    });
    batch.run_with(&options).unwrap();
    assert_eq!(finished.load(Ordering::Relaxed), 1000);
}

#[test]
fn two_batches_on_one_array_take_turns() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 4]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut batch = device.batch();
                for i in 0..2000_u32 {
                    batch.push(deposit::call(&accounts, i % 4, 1));
                }
                assert_eq!(batch.run_with(&RunOptions::new().check(true)).unwrap().serializable(), Some(true));
            });
        }
    });
    assert_eq!(accounts.to_vec().unwrap(), [2000; 4]);
}

#[test]
fn reports_name_device_engine_and_hot_lines() {
    let device = Device::cpu(4);
    let accounts = device.shared(&[0_i64]).unwrap();
    let mut batch = device.batch();
    for _ in 0..200_000 {
        batch.push(deposit::call(&accounts, 0, 1));
    }
    let report = batch.run_with(&RunOptions::new().profile(true)).unwrap();
    let locations: u64 = report.conflict_locations.iter().map(|location| location.conflicts).sum();
    assert_eq!(locations, report.conflicts.total());
    let text = report.to_string();
    assert!(text.contains("200,000 transactions on 4 CPU threads"), "{text}");
    assert!(text.contains("cpu-occ (asked: priority)"), "{text}");
    assert!(report.memory.locks <= 8 * accounts.len() as u64);
}

#[test]
fn more_threads_than_the_machine_has_are_no_error() {
    let device = Device::cpu(1024);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut batch = device.batch();
    for _ in 0..300 {
        batch.push(deposit::call(&accounts, 0, 1));
    }
    assert_eq!(batch.run_with(&RunOptions::new().check(true)).unwrap().serializable(), Some(true));
    assert_eq!(accounts.to_vec().unwrap(), [300, 0]);
}

#[test]
fn a_panic_in_a_function_reaches_the_caller_and_frees_the_arrays() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut batch = device.batch();
    batch.push(support::procedures::panics::call(&accounts, 0));
    batch.push(transfer::call(&accounts, 0, 1, 5));
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| batch.run()));
    assert!(run.is_err());
    assert_eq!(accounts.to_vec().unwrap(), [0, 0]);
}

#[test]
fn a_run_that_is_stopped_midway_keeps_what_is_finished() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let mut batch = device.batch();
    for _ in 0..400_000 {
        batch.push(deposit::call(&accounts, 0, 1));
    }
    let flag = stop.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(5));
        flag.store(true, Ordering::Relaxed);
    });
    let report = batch.run_with(&RunOptions::new().check(true).stop_when(stop)).unwrap();
    stopper.join().unwrap();
    assert_eq!(report.committed + report.unresolved, 400_000);
    assert!(report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::Stopped));
    assert_eq!(report.serializable(), Some(true), "{report}");
    assert_eq!(accounts.to_vec().unwrap(), [report.committed as i64, 0]);
}

#[test]
fn a_batch_shows_its_kernels_and_a_device_what_an_engine_becomes() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[5_i64, 5]).unwrap();
    let mut batch = device.batch();
    batch.push(transfer::call(&accounts, 0, 1, 3));
    batch.push(audit::call(&accounts, 0, 2));
    batch.push(transfer::call(&accounts, 1, 0, 3));
    assert_eq!(batch.kernels().map(|kernel| kernel.name()).collect::<Vec<_>>(), ["transfer", "audit"]);
    for &engine in Engine::ALL {
        let ran = batch.run_with(&RunOptions::new().engine(engine)).unwrap().engine;
        assert_eq!(ran, device.algorithm(engine));
    }
}

#[test]
fn the_times_of_a_report_add_up() {
    everywhere(|device, run| {
        let accounts = device.shared(&[1000_i64; 8]).unwrap();
        let mut batch = device.batch();
        fill(&mut batch, &accounts, 500);
        let times = run(&mut batch).times;
        assert_eq!(times.by_part().iter().map(|(_, time)| *time).sum::<std::time::Duration>(), times.total);
        assert!(!times.kernel.is_zero() && !times.report.is_zero() && times.total > times.kernel, "{times:?}");
    });
}
