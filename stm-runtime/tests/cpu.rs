//! Outcomes of tables on CPU threads and on the sequential executor, through the public interface.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use stm_runtime::{Device, Engine, Error, FaultCode, Outcome, Report, Table, Why};
use support::Random;
use support::kinds::{audit, deposit, divide, move_pointer, reread, skew, tour, transfer, withdraw};

/// Runs the same test on one thread, on more threads than cores, and on the sequential executor; always checked.
fn everywhere(test: impl Fn(&Device, &dyn Fn(&mut Table) -> Report)) {
    for (threads, engine) in [(1, "priority"), (2, "priority"), (7, "priority"), (1, "serial")] {
        let device = Device::cpu(threads);
        let engine: Engine = engine.parse().unwrap();
        test(&device, &|table| {
            let report = table.engine(engine).check(true).run().unwrap();
            assert_eq!(report.serializable(), Some(true), "{report}");
            report
        });
    }
}

fn fill(table: &mut Table, accounts: &stm_runtime::Shared<i64>, transfers: usize) {
    let mut random = Random::new(7);
    let n = accounts.len() as u32;
    for _ in 0..transfers {
        let from = random.below(n);
        let to = (from + 1 + random.below(n - 1)) % n;
        table.push(transfer::call(accounts, from, to, i64::from(random.below(50))));
    }
}

#[test]
fn money_is_conserved_under_high_contention() {
    everywhere(|device, run| {
        let accounts = device.shared(&[1000_i64; 10]).unwrap();
        let mut table = device.table();
        fill(&mut table, &accounts, 20_000);
        let report = run(&mut table);
        assert_eq!(report.committed + report.unresolved, 20_000);
        assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 10_000);
        assert!(accounts.to_vec().unwrap().iter().all(|balance| *balance >= 0));
    });
}

/// Who withdrew when, as the balances that were left show it, and how many attempts were in vain.
fn interleaving(seed: u64) -> (Vec<i64>, u64) {
    let device = Device::cpu_seeded(3, seed);
    let accounts = device.shared(&[1000_i64; 2]).unwrap();
    let mut table = device.table();
    let tickets: Vec<_> = (0..60).map(|row| table.push(withdraw::call(&accounts, row % 2, 1))).collect();
    let report = table.check(true).run().unwrap();
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
    let mut table = device.table();
    let tickets: Vec<_> = (0..30).map(|row| table.push(transfer::call(&accounts, row % 3, 3, 1))).collect();
    let stuck = table.run().unwrap();
    let waits = |ticket: &_| stuck.outcome(*ticket) == Outcome::Unresolved(Why::GuardNeverHeld);
    assert!(tickets.iter().all(waits), "{stuck}");
    for account in 0..3 {
        table.push(deposit::call(&accounts, account, 10));
    }
    assert_eq!(table.run().unwrap().committed, 33);
}

#[test]
fn counters_lose_no_update() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64; 2]).unwrap();
        let mut table = device.table();
        for i in 0..30_000_u32 {
            table.push(deposit::call(&accounts, i % 2, 1));
        }
        assert_eq!(run(&mut table).committed, 30_000);
        assert_eq!(accounts.to_vec().unwrap(), [15_000, 15_000]);
    });
}

#[test]
fn write_skew_does_not_happen() {
    everywhere(|device, run| {
        for _ in 0..200 {
            let cells = device.shared(&[0_u32; 2]).unwrap();
            let mut table = device.table();
            table.push(skew::call(&cells, 0, 1));
            table.push(skew::call(&cells, 1, 0));
            assert_eq!(run(&mut table).committed, 2);
            assert_ne!(cells.to_vec().unwrap(), [1, 1]);
        }
    });
}

#[test]
fn an_audit_sees_one_moment() {
    everywhere(|device, run| {
        let accounts = device.shared(&[100_i64; 8]).unwrap();
        let mut table = device.table();
        let mut audits = Vec::new();
        for round in 0..500 {
            fill(&mut table, &accounts, 10);
            audits.push(table.push(audit::call(&accounts, 0, 8)));
            assert_eq!(table.len(), 11 * (round + 1));
        }
        let report = run(&mut table);
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
        let mut table = device.table();
        let mut random = Random::new(3);
        let tickets: Vec<_> =
            (0..5000).map(|_| table.push(move_pointer::call(&index, &cells, 0, random.below(7)))).collect();
        let report = run(&mut table);
        assert_eq!((report.committed, report.faulted), (5000, 0));
        assert!(tickets.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(1)));
        assert_eq!(cells.to_vec().unwrap().iter().map(|mark| u32::from(*mark)).sum::<u32>(), 1);
    });
}

#[test]
fn guards_wait_for_others_and_end_when_nobody_can_help() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64; 3]).unwrap();
        let mut table = device.table();
        let enabled = table.push(transfer::call(&accounts, 0, 1, 50));
        let never = table.push(transfer::call(&accounts, 2, 1, 1));
        let chained = table.push(transfer::call(&accounts, 1, 0, 50));
        let enabling = table.push(deposit::call(&accounts, 0, 50));
        let report = run(&mut table);
        assert_eq!(report.outcome(enabled), Outcome::Committed(()));
        assert_eq!(report.outcome_at(enabled.row()), Ok(Outcome::Committed(())));
        assert_eq!(report.outcome(enabling), Outcome::Committed(()));
        assert_eq!(report.outcome(chained), Outcome::Committed(()));
        assert_eq!(report.outcome(never), Outcome::Unresolved(Why::GuardNeverHeld));
        assert_eq!((report.unresolved, report.unresolved_rows[0].row), (1, 1));
        assert_eq!(accounts.to_vec().unwrap(), [50, 0, 0]);
        assert!(report.postponements >= 1 && report.passes >= 2);
    });
}

#[test]
fn faults_are_listed_and_disturb_nobody() {
    everywhere(|device, run| {
        let accounts = device.shared(&[10_i64, i64::MAX]).unwrap();
        let mut table = device.table();
        let zero = table.push(divide::call(&accounts, 0, 0));
        let negative = table.push(divide::call(&accounts, -1, 1));
        let past = table.push(transfer::call(&accounts, 0, 2, 1));
        let overflow = table.push(deposit::call(&accounts, 1, 1));
        let good = table.push(divide::call(&accounts, 0, 2));
        let report = run(&mut table);
        let fault = |outcome| match outcome {
            Outcome::Faulted(fault) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(report.outcome(good), Outcome::Committed(()));
        let zero = fault(report.outcome(zero));
        assert_eq!((zero.code, zero.line, zero.text), (FaultCode::DivideByZero, 43, "old / by"));
        assert_eq!(zero.arguments, [("at", "0".into()), ("by", "0".into())]);
        assert_eq!(
            zero.to_string(),
            "transaction 0, divide(at: 0, by: 0): division by zero at src/kinds.rs:43:5 in `old / by`"
        );
        assert_eq!(fault(report.outcome(negative)).code, FaultCode::IndexOutOfRange);
        assert_eq!(fault(report.outcome(past)).line, 6);
        assert_eq!(fault(report.outcome(overflow)).code, FaultCode::Overflow);
        assert_eq!((report.faulted, report.faults.len(), report.committed), (4, 4, 1));
        assert_eq!(accounts.to_vec().unwrap(), [5, i64::MAX]);
    });
}

#[test]
fn stated_limits_are_faults_when_exceeded() {
    everywhere(|device, run| {
        let accounts = device.shared(&[1_i64; 32]).unwrap();
        let mut table = device.table();
        let fits = table.push(audit::call(&accounts, 0, 8));
        let accesses = table.push(audit::call(&accounts, 0, 9));
        let again = table.push(reread::call(&accounts, 5, 900));
        let iterations = table.push(reread::call(&accounts, 5, 1001));
        let report = run(&mut table);
        assert_eq!(report.outcome(fits), Outcome::Committed(8));
        assert_eq!(report.outcome(again), Outcome::Committed(true));
        let Outcome::Faulted(fault) = report.outcome(accesses) else { panic!("{report}") };
        assert_eq!((fault.code, fault.text), (FaultCode::TooManyAccesses, "accounts[i]"));
        let Outcome::Faulted(fault) = report.outcome(iterations) else { panic!("{report}") };
        assert_eq!((fault.code, fault.line), (FaultCode::TooManyIterations, 33));
    });
}

#[test]
fn values_with_parts_go_in_and_come_back() {
    everywhere(|device, run| {
        let pairs = device.shared_with(&[(10_i64, 250_u8), (20, 1), (30, 2)], 2).unwrap();
        let mut table = device.table();
        let tours: Vec<_> = (0..50).map(|_| table.push(tour::call(&pairs, 2, (1, true)))).collect();
        let silent = table.push(tour::call(&pairs, 3, (0, false)));
        let parts = table.push(tour::call(&pairs, 0, (0, true)));
        let report = run(&mut table);
        assert_eq!(report.committed, 52, "{report}");
        let mut sums: Vec<_> = tours
            .iter()
            .map(|ticket| match report.outcome(*ticket) {
                Outcome::Committed((sum, Some(_))) => sum,
                other => panic!("{other:?}"),
            })
            .collect();
        sums.sort_unstable();
        assert_eq!(sums, (0..50).map(|i| 30 + 2 * i).collect::<Vec<i64>>());
        assert!(matches!(report.outcome(silent), Outcome::Committed((60.., None))), "{report}");
        assert_eq!(report.outcome(parts), Outcome::Committed((0, None)));
        assert_eq!(pairs.to_vec().unwrap(), [(60, 45), (70, 52), (30, 3)]);
        assert_eq!((pairs.0.to_vec().unwrap(), pairs.1.len()), (vec![60, 70, 30], 3));
        assert_eq!(report.memory.results, 8 * 3 * 52);
    });
}

#[test]
fn a_record_counts_by_its_leaves_against_the_stated_limit() {
    everywhere(|device, run| {
        let pairs = device.shared(&[(1_i64, 1_u8); 9]).unwrap();
        let mut table = device.table();
        let fine = table.push(tour::call(&pairs, 3, (0, true)));
        let more = table.push(tour::call(&pairs, 4, (0, true)));
        let outside = device.shared(&[(1_i64, 1_u8); 2]).unwrap();
        let outside = table.push(tour::call(&outside, 3, (0, true)));
        let report = run(&mut table);
        assert_eq!(report.outcome(fine), Outcome::Committed((3, Some(1))));
        let Outcome::Faulted(more) = report.outcome(more) else { panic!("{report}") };
        assert_eq!((more.code, more.line), (FaultCode::TooManyAccesses, 72));
        let Outcome::Faulted(outside) = report.outcome(outside) else { panic!("{report}") };
        assert_eq!((outside.code, outside.line), (FaultCode::IndexOutOfRange, 72));
        assert_eq!(outside.arguments[1..], [("by.0", "0".to_owned()), ("by.1", "true".to_owned())]);
    });
}

#[test]
fn rejects_are_final_and_counted_by_code() {
    everywhere(|device, run| {
        let accounts = device.shared(&[100_i64, 5]).unwrap();
        let mut table = device.table();
        let first = table.push(withdraw::call(&accounts, 0, 30));
        let poor = table.push(withdraw::call(&accounts, 1, 6));
        let poor_too = table.push(withdraw::call(&accounts, 1, 7));
        let report = run(&mut table);
        assert_eq!(report.outcome(first), Outcome::Committed(70));
        assert_eq!(report.outcome(poor), Outcome::Rejected(1));
        assert_eq!(report.outcome(poor_too), Outcome::Rejected(1));
        assert_eq!(report.codes.get(&1), Some(&2));
        assert_eq!(report.rejected, 2);
    });
}

#[test]
fn lock_coverage_changes_no_outcome() {
    everywhere(|device, run| {
        for coverage in [2, 8, 1024] {
            let accounts = device.shared_with(&[1000_i64; 20], coverage).unwrap();
            let mut table = device.table();
            fill(&mut table, &accounts, 3000);
            run(&mut table);
            assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 20_000);
        }
    });
}

#[test]
fn a_table_runs_again_from_the_start() {
    everywhere(|device, run| {
        let accounts = device.shared(&[0_i64]).unwrap();
        let mut table = device.table();
        let ticket = table.push(deposit::call(&accounts, 0, 1));
        run(&mut table);
        table.push(deposit::call(&accounts, 0, 1));
        let report = run(&mut table);
        assert_eq!((report.transactions, report.committed), (2, 2));
        assert_eq!(report.outcome(ticket), Outcome::Committed(()));
        assert_eq!(accounts.to_vec().unwrap(), [3]);
    });
}

#[test]
fn an_empty_table_is_an_empty_report() {
    let report = Device::cpu(2).table().run().unwrap();
    assert_eq!((report.transactions, report.committed, report.unresolved), (0, 0, 0));
    assert!(report.is_complete());
    assert_eq!(report.serializable(), None);
}

#[test]
fn an_empty_region_makes_every_access_a_fault() {
    everywhere(|device, run| {
        let accounts = device.shared::<i64>(&[]).unwrap();
        let mut table = device.table();
        table.push(deposit::call(&accounts, 0, 1));
        assert_eq!(run(&mut table).faulted, 1);
    });
}

#[test]
fn a_region_of_another_device_is_an_error_with_its_row() {
    let (here, there) = (Device::cpu(1), Device::cpu(1));
    let (mine, foreign) = (here.shared(&[1_i64]).unwrap(), there.shared(&[1_i64]).unwrap());
    let mut table = here.table();
    table.push(deposit::call(&mine, 0, 1));
    table.push(deposit::call(&foreign, 0, 1));
    table.push(deposit::call(&mine, 0, 1));
    let error = table.run().unwrap_err();
    assert!(matches!(&error, Error::ForeignRegion { row: 1, kind: "deposit", parameter: "accounts", .. }), "{error}");
    assert_eq!(mine.to_vec().unwrap(), [1]);
}

#[test]
fn too_many_regions_are_an_error() {
    let device = Device::cpu(1);
    let regions: Vec<_> = (0..65).map(|_| device.shared(&[0_i64]).unwrap()).collect();
    let mut table = device.table();
    for region in &regions {
        table.push(deposit::call(region, 0, 1));
    }
    assert!(matches!(table.run().unwrap_err(), Error::TableFull { row: 64, max: 64, .. }));
}

#[test]
fn a_ticket_of_another_table_is_not_part_of_the_run() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64]).unwrap();
    let (mut a, mut b) = (device.table(), device.table());
    a.push(deposit::call(&accounts, 0, 1));
    let ticket = b.push(deposit::call(&accounts, 0, 1));
    let report = a.run().unwrap();
    assert_eq!(report.outcome(ticket), Outcome::Unresolved(Why::NotRun));
}

#[test]
fn limits_leave_the_rest_unresolved() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut table = device.table();
    let early = table.push(transfer::call(&accounts, 0, 1, 5));
    table.push(deposit::call(&accounts, 0, 5));
    let report = table.pass_limit(1).run().unwrap();
    assert_eq!(report.outcome(early), Outcome::Unresolved(Why::PassLimit));
    assert_eq!(accounts.to_vec().unwrap(), [5, 0]);

    let stop = Arc::new(AtomicBool::new(true));
    let report = table.stop_when(stop).run().unwrap();
    assert_eq!(report.outcome(early), Outcome::Unresolved(Why::Stopped));

    let mut table = device.table();
    let late = table.push(deposit::call(&accounts, 0, 5));
    let report = table.time_limit(Duration::ZERO).run().unwrap();
    assert_eq!(report.outcome(late), Outcome::Unresolved(Why::TimeLimit));
    assert_eq!(accounts.to_vec().unwrap(), [5, 0]);
}

#[test]
fn progress_is_told_and_may_not_use_the_regions() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let told = Arc::new(AtomicU64::new(0));
    let mut table = device.table();
    for _ in 0..1000 {
        table.push(deposit::call(&accounts, 0, 1));
    }
    let (inside, seen) = (accounts.clone(), told.clone());
    table.progress(move |progress| {
        assert_eq!(progress.transactions, 1000);
        assert_eq!(inside.to_vec(), Err(Error::RegionInUse));
        seen.store(progress.finished, Ordering::Relaxed);
    });
    table.run().unwrap();
    assert_eq!(told.load(Ordering::Relaxed), 1000);
}

#[test]
fn two_tables_on_one_region_take_turns() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 4]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut table = device.table();
                for i in 0..2000_u32 {
                    table.push(deposit::call(&accounts, i % 4, 1));
                }
                table.check(true);
                assert_eq!(table.run().unwrap().serializable(), Some(true));
            });
        }
    });
    assert_eq!(accounts.to_vec().unwrap(), [2000; 4]);
}

#[test]
fn reports_name_device_engine_and_hot_lines() {
    let device = Device::cpu(4);
    let accounts = device.shared(&[0_i64]).unwrap();
    let mut table = device.table();
    for _ in 0..200_000 {
        table.push(deposit::call(&accounts, 0, 1));
    }
    let report = table.profile(true).run().unwrap();
    let sites: u64 = report.conflict_sites.iter().map(|site| site.conflicts).sum();
    assert_eq!(sites, report.conflicts.total());
    let text = report.to_string();
    assert!(text.contains("200,000 transactions on 4 CPU threads"), "{text}");
    assert!(text.contains("cpu-tl2 (asked: priority)"), "{text}");
    assert!(report.memory.locks <= 8 * accounts.len() as u64);
}

#[test]
fn more_threads_than_the_machine_has_are_no_error() {
    let device = Device::cpu(1024);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut table = device.table();
    for _ in 0..300 {
        table.push(deposit::call(&accounts, 0, 1));
    }
    assert_eq!(table.check(true).run().unwrap().serializable(), Some(true));
    assert_eq!(accounts.to_vec().unwrap(), [300, 0]);
}

#[test]
fn a_panic_in_a_function_reaches_the_caller_and_frees_the_regions() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut table = device.table();
    table.push(support::kinds::panics::call(&accounts, 0));
    table.push(transfer::call(&accounts, 0, 1, 5));
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| table.run()));
    assert!(run.is_err());
    assert_eq!(accounts.to_vec().unwrap(), [0, 0]);
}

#[test]
fn a_run_that_is_stopped_midway_keeps_what_is_finished() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let mut table = device.table();
    for _ in 0..400_000 {
        table.push(deposit::call(&accounts, 0, 1));
    }
    let flag = stop.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(5));
        flag.store(true, Ordering::Relaxed);
    });
    let report = table.check(true).stop_when(stop).run().unwrap();
    stopper.join().unwrap();
    assert_eq!(report.committed + report.unresolved, 400_000);
    assert!(report.unresolved_rows.iter().all(|row| row.why == Why::Stopped));
    assert_eq!(report.serializable(), Some(true), "{report}");
    assert_eq!(accounts.to_vec().unwrap(), [report.committed as i64, 0]);
}

#[test]
fn a_table_shows_its_kernels_and_a_device_what_an_engine_becomes() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[5_i64, 5]).unwrap();
    let mut table = device.table();
    table.push(transfer::call(&accounts, 0, 1, 3));
    table.push(audit::call(&accounts, 0, 2));
    table.push(transfer::call(&accounts, 1, 0, 3));
    assert_eq!(table.kernels().map(|kernel| kernel.name()).collect::<Vec<_>>(), ["transfer", "audit"]);
    for &engine in Engine::ALL {
        let ran = table.engine(engine).run().unwrap().engine;
        assert!(ran.starts_with(&device.algorithm(engine)), "{ran}");
    }
}
