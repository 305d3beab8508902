//! Small batches with every kind of interaction: conflicts, waiting guards, faults, records, partitions, limits. They take no
//! time here, and a tolerable time under Miri, which checks each access to memory and lets threads see old values.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stm_runtime::{Batch, Device, Engine, Outcome, Report, RunOptions, UnresolvedReason};
use support::Random;
use support::procedures::{audit, deposit, divide, skew, transfer, withdraw};

/// Runs the same test side by side, as users run it and checked, and checked in a seeded order and one at a time.
fn everywhere(test: impl Fn(&Device, &dyn Fn(&mut Batch) -> Report)) {
    let one_at_a_time: Engine = "serial".parse().unwrap();
    let ways = [
        (Device::cpu(3), Engine::default(), false),
        (Device::cpu(3), Engine::default(), true),
        (Device::cpu_seeded(2, 9), Engine::default(), true),
        (Device::cpu(1), one_at_a_time, true),
    ];
    for (device, engine, check) in ways {
        test(&device, &|batch| {
            let report = batch.run_with(&RunOptions::new().engine(engine).check(check).profile(check)).unwrap();
            assert_eq!(report.serializable(), check.then_some(true), "{report}");
            report
        });
    }
}

#[test]
fn transfers_meet_on_few_accounts() {
    everywhere(|device, run| {
        let accounts = device.shared(&[20_i64; 3]).unwrap();
        let (mut batch, mut random) = (device.batch(), Random::new(7));
        for _ in 0..24 {
            let from = random.below(3);
            batch.push(transfer::call(&accounts, from, (from + 1 + random.below(2)) % 3, i64::from(random.below(9))));
        }
        let seen = batch.push(audit::call(&accounts, 0, 3));
        let report = run(&mut batch);
        assert_eq!(report.committed + report.unresolved, 25, "{report}");
        assert_eq!(report.outcome(seen), Outcome::Committed(60));
        assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 60);
    });
}

#[test]
fn guards_wait_for_others_and_end_together() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64, 0, 0, 0]).unwrap();
        let mut batch = device.batch();
        let chain = [(2, 3), (1, 2), (0, 1)].map(|(from, to)| batch.push(transfer::call(&accounts, from, to, 4)));
        let never = batch.push(transfer::call(&accounts, 0, 1, 100));
        batch.push(deposit::call(&accounts, 0, 4));
        let report = run(&mut batch);
        assert!(chain.iter().all(|ticket| report.outcome(*ticket) == Outcome::Committed(())), "{report}");
        assert_eq!(report.outcome(never), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
        assert_eq!(accounts.to_vec().unwrap(), [0, 0, 0, 4]);
    });
}

#[test]
fn one_lock_word_covers_several_elements() {
    everywhere(|device, run| {
        let accounts = device.shared_with(&[5_i64; 4], 4).unwrap();
        let cells = device.shared(&[0_u32; 2]).unwrap();
        let mut batch = device.batch();
        for at in 0..8 {
            batch.push(deposit::call(&accounts, at % 4, 1));
        }
        batch.push(skew::call(&cells, 0, 1));
        batch.push(skew::call(&cells, 1, 0));
        assert_eq!(run(&mut batch).committed, 10);
        assert_eq!(accounts.to_vec().unwrap(), [7; 4]);
        assert_ne!(cells.to_vec().unwrap(), [1, 1]);
    });
}

#[test]
fn faults_and_rejections_change_nothing() {
    everywhere(|device, run| {
        let accounts = device.shared(&[10_i64, 0]).unwrap();
        let mut batch = device.batch();
        let outside = batch.push(deposit::call(&accounts, 2, 1));
        let by_zero = batch.push(divide::call(&accounts, 1, 0));
        let refused = batch.push(withdraw::call(&accounts, 1, 3));
        let good = batch.push(withdraw::call(&accounts, 0, 3));
        let report = run(&mut batch);
        assert!(matches!(report.outcome(outside), Outcome::Faulted(_)), "{report}");
        assert!(matches!(report.outcome(by_zero), Outcome::Faulted(_)), "{report}");
        assert!(matches!(report.outcome(refused), Outcome::Rejected(_)), "{report}");
        assert_eq!(report.outcome(good), Outcome::Committed(7));
    });
}

#[test]
fn a_run_that_is_stopped_leaves_whole_transactions() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[9_i64; 2]).unwrap();
    let mut batch = device.batch();
    for transaction in 0..20 {
        batch.push(transfer::call(&accounts, transaction % 2, 1 - transaction % 2, 1));
    }
    let report = batch.run_with(&RunOptions::new().stop_when(Arc::new(AtomicBool::new(true)))).unwrap();
    assert_eq!(report.committed + report.unresolved, 20, "{report}");
    assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 18);
}
