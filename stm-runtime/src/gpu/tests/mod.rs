//! The run loop, on the emulator: the same loop and the same text as on a GPU.

mod background;
mod cluster;
mod functions;
mod host;
mod lent;
mod order;
mod phases;
pub(super) mod procedures;
mod pushed;
mod sanitizer;
mod sums;
mod tuning;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::emulator::EmulatorOptions;
use crate::GpuError;
use crate::{Batch, Device, Engine, Error, FaultCode, Outcome, RunOptions, Shared, UnresolvedReason};
use procedures::{Answer, Room, book, bump, transfer};

fn device() -> Device {
    Device::emulated(EmulatorOptions::threads()).unwrap()
}

/// Returns the engines that take whole arrays.
fn engines() -> impl Iterator<Item = Engine> {
    Engine::ALL.iter().copied().filter(|engine| !engine.spec().requires.partitions)
}

/// Runs a test with both schedules and every engine.
fn everywhere(test: impl Fn(Device, Engine)) {
    for engine in engines() {
        test(device(), engine);
        test(Device::emulated(EmulatorOptions::fibers(5)).unwrap(), engine);
    }
}

/// Returns a cheap pseudo-random sequence.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(2) + 1;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

fn random_transfers(batch: &mut Batch, accounts: &Shared<i64>, transactions: usize) {
    let mut next = numbers(1);
    for _ in 0..transactions {
        let (from, to) = (next(accounts.len() as u64), next(accounts.len() as u64));
        batch.push(transfer(accounts, from as u32, to as u32, next(10) as i64));
    }
}

#[test]
fn money_is_conserved_and_the_history_holds() {
    everywhere(|device, engine| {
        let accounts = device.shared(&[1000_i64; 20]).unwrap();
        let mut batch = device.batch();
        random_transfers(&mut batch, &accounts, 600);
        let report = batch.run_with(&RunOptions::new().engine(engine).check(true)).unwrap();
        assert_eq!(report.committed, 600, "{report}");
        assert_eq!(report.serializable(), Some(true), "{report}");
        assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 20_000);
        assert!(report.memory.locks > 0 && report.memory.data == 160, "{:?}", report.memory);
        let times = report.times;
        assert_eq!(times.by_part().iter().map(|(_, time)| *time).sum::<Duration>(), times.total);
        assert!(!times.launch.is_zero() && !times.setup.is_zero() && !times.report.is_zero(), "{times:?}");
    });
}

#[test]
fn transactions_that_all_wait_are_all_looked_at() {
    // For longer than the first launch, which finishes nothing and does not execute every transaction.
    let device = device();
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut batch = device.batch();
    (0..60_000).for_each(|_| _ = batch.push(transfer(&accounts, 0, 1, 1)));
    let report = batch
        .run_with(&RunOptions::new().engine("serial".parse::<Engine>().unwrap()).time_limit(Duration::from_secs(20)))
        .unwrap();
    assert_eq!((report.committed, report.unresolved), (0, 60_000));
    assert!(
        report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::GuardNeverHeld),
        "{report}"
    );
}

#[test]
fn a_batch_is_compiled_before_it_runs() {
    let device = device();
    let accounts = device.shared(&[1000_i64; 20]).unwrap();
    let mut batch = device.batch();
    batch.compile().expect("an empty batch needs nothing");
    random_transfers(&mut batch, &accounts, 10);
    batch.compile().unwrap();
    assert_eq!(accounts.to_vec().unwrap(), [1000; 20], "nothing has run");
    assert_eq!(batch.run().unwrap().committed, 10);
    let block =
        Engine::ALL.iter().copied().find(|engine| engine.spec().requires.partitions).expect("an engine for parts");
    let refused = batch.compile_with(&RunOptions::new().engine(block)).unwrap_err();
    assert_eq!(refused.to_string(), batch.run_with(&RunOptions::new().engine(block)).unwrap_err().to_string());
}

#[test]
fn a_few_transactions_that_are_left_go_on_alone() {
    // One thread would scan all transactions again; the postponed ones are a few among many finished ones.
    let device = device();
    let accounts = device.shared(&[1000_i64, 0]).unwrap();
    let mut batch = device.batch();
    for transaction in 0..5000 {
        let wanted = if transaction % 1000 == 7 { 5000 } else { 0 };
        batch.push(transfer(&accounts, 0, 1, wanted));
    }
    let report = batch.run_with(&RunOptions::new().threads(1)).unwrap();
    assert_eq!((report.committed, report.unresolved), (4995, 5), "{report}");
    assert!(
        report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::GuardNeverHeld),
        "{report}"
    );
    assert_eq!(accounts.to_vec().unwrap(), [1000, 0]);
}

#[test]
fn outcomes_of_all_sorts_come_back_to_their_transactions() {
    everywhere(|device, engine| {
        let accounts = device.shared(&[100_i64, 0]).unwrap();
        let counters = device.shared(&[0_u8, 250]).unwrap();
        let mut batch = device.batch();
        let paid = batch.push(transfer(&accounts, 0, 1, 60));
        let seen = batch.push(bump(&counters, 0, 3));
        let refused = batch.push(bump(&counters, 0, 0));
        let overflow = batch.push(bump(&counters, 1, 6));
        let outside = batch.push(bump(&counters, -1, 1));
        let waiting = batch.push(transfer(&accounts, 1, 0, 1000));
        let report = batch.run_with(&RunOptions::new().engine(engine)).unwrap();
        assert_eq!(report.outcome(paid), Outcome::Committed(()));
        assert_eq!(report.outcome(seen), Outcome::Committed(0));
        assert_eq!(report.outcome(refused), Outcome::Rejected(7));
        let Outcome::Faulted(fault) = report.outcome(overflow) else { panic!("{report}") };
        assert_eq!((fault.code, fault.line, fault.transaction), (FaultCode::Overflow, 23, 3));
        let Outcome::Faulted(fault) = report.outcome(outside) else { panic!("{report}") };
        assert_eq!((fault.code, fault.line), (FaultCode::IndexOutOfRange, 22));
        assert_eq!(report.outcome(waiting), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
        assert_eq!(accounts.to_vec().unwrap(), [40, 60]);
        assert_eq!(counters.to_vec().unwrap(), [3, 250]);
    });
}

#[test]
fn a_guard_that_another_transaction_makes_true_is_waited_for() {
    everywhere(|device, engine| {
        // Each needs the amount that the next one provides: only the last can commit first.
        let accounts = device.shared(&[0_i64, 0, 0, 0, 0, 50]).unwrap();
        let mut batch = device.batch();
        for from in 0..5_u32 {
            batch.push(transfer(&accounts, from + 1, from, 50));
        }
        let report = batch.run_with(&RunOptions::new().engine(engine)).unwrap();
        assert_eq!((report.committed, report.unresolved), (5, 0), "{report}");
        assert_eq!(accounts.to_vec().unwrap(), [50, 0, 0, 0, 0, 0]);
    });
}

#[test]
fn chunks_hand_over_what_they_could_not_finish() {
    everywhere(|device, engine| {
        let accounts = device.shared(&[0_i64, 0, 0, 0, 0, 0, 0, 50]).unwrap();
        let counters = device.shared(&[0_u8; 4]).unwrap();
        let mut batch = device.batch();
        let mut tickets = Vec::new();
        for from in 0..7_u32 {
            batch.push(transfer(&accounts, from + 1, from, 50));
            tickets.push(batch.push(bump(&counters, 2, 1)));
        }
        let never = batch.push(transfer(&accounts, 3, 4, 51));
        let report = batch.run_with(&RunOptions::new().engine(engine).chunk_size(2).check(true)).unwrap();
        assert_eq!((report.committed, report.unresolved), (14, 1), "{report}");
        assert_eq!(report.outcome(never), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
        let mut seen: Vec<u8> = tickets
            .iter()
            .map(|ticket| match report.outcome(*ticket) {
                Outcome::Committed(seen) => seen,
                other => panic!("{other:?}"),
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(report.serializable(), Some(true), "{report}");
        assert!(report.passes > 1);
    });
}

/// Runs bookings of two rooms, mixed with other procedures, on any device.
fn book_rooms(device: &Device, options: &RunOptions) {
    let mut batch = device.batch();
    let rooms = device.shared_with(&[Room { free: 3, price: 10 }, Room { free: 9, price: 1 }], 2).unwrap();
    let log = device.shared(&[0_u8; 2]).unwrap();
    let counters = device.shared(&[0_u8; 4]).unwrap();
    let accounts = device.shared(&[5_i64; 2]).unwrap();
    let mut answers = Vec::new();
    let mut counts = Vec::new();
    for guest in 1..9_u8 {
        answers.push(batch.push(book(&rooms, &log, 0, (guest, 12))));
        counts.push(batch.push(bump(&counters, 1, 1)));
        batch.push(transfer(&accounts, 0, 1, 0));
    }
    let outside = batch.push(book(&rooms, &log, 2, (1, 1)));
    let report = batch.run_with(&options.clone().check(true)).unwrap();
    assert_eq!((report.committed, report.faulted, report.serializable()), (24, 1, Some(true)), "{report}");
    assert_eq!(rooms.to_vec().unwrap(), [Room { free: 0, price: 13 }, Room { free: 9, price: 1 }]);
    assert_eq!(rooms.free.to_vec().unwrap(), [0, 9]);

    let mut prices: Vec<_> = answers
        .iter()
        .map(|ticket| match report.outcome(*ticket) {
            Outcome::Committed((Answer::Booked, Some(price))) => price,
            Outcome::Committed((Answer::Full, None)) => 0,
            other => panic!("{other:?}"),
        })
        .collect();
    prices.sort_unstable();
    assert_eq!(prices, [0, 0, 0, 0, 0, 10, 11, 12]);
    let mut seen: Vec<_> = counts.iter().map(|ticket| report.outcome(*ticket)).collect();
    seen.sort_by_key(|outcome| format!("{outcome:?}"));
    assert_eq!(seen, (0..8).map(Outcome::Committed).collect::<Vec<_>>());

    let Outcome::Faulted(fault) = report.outcome(outside) else { panic!("{report}") };
    // The file of the location differs from that of the procedure.
    assert_eq!((fault.code, fault.file, fault.line), (FaultCode::IndexOutOfRange, "src/bank.rs", 3));
    let arguments = ["at", "guest.0", "guest.1"].map(|name| fault.arguments.iter().any(|(n, _)| *n == name));
    assert_eq!(arguments, [true; 3], "{fault}");
}

#[test]
fn records_and_results_of_several_components_come_back() {
    everywhere(|device, engine| book_rooms(&device, &RunOptions::new().engine(engine)));
    everywhere(|device, engine| book_rooms(&device, &RunOptions::new().engine(engine).chunk_size(4)));
    for threads in [1, 4] {
        let device = Device::cpu(threads);
        Engine::ALL.iter().for_each(|&engine| book_rooms(&device, &RunOptions::new().engine(engine)));
    }
}

#[test]
fn results_count_as_memory_by_their_components() {
    for device in [device(), Device::cpu(1)] {
        let rooms = device.shared(&[Room { free: 3, price: 10 }]).unwrap();
        let log = device.shared(&[0_u8]).unwrap();
        let mut batch = device.batch();
        for _ in 0..10 {
            batch.push(book(&rooms, &log, 0, (1, 0)));
        }
        let report = batch.run().unwrap();
        assert_eq!(report.memory.results, 8 * 3 * 10, "{report}");
    }
}

#[test]
fn a_batch_larger_than_memory_runs_in_chunks() {
    let options = EmulatorOptions { memory: 40_000, ..EmulatorOptions::threads() };
    let device = Device::emulated(options).unwrap();
    let accounts = device.shared(&[1000_i64; 64]).unwrap();
    let mut batch = device.batch();
    random_transfers(&mut batch, &accounts, 4000);
    let report = batch.run().unwrap();
    assert_eq!(report.committed, 4000, "{report}");
    assert!(report.memory.total() < 40_000, "{:?}", report.memory);
}

#[test]
fn too_little_memory_is_an_error_that_names_it() {
    let options = EmulatorOptions { memory: 10_000, ..EmulatorOptions::threads() };
    let device = Device::emulated(options).unwrap();
    let accounts = device.shared(&[0_i64; 1000]).unwrap();
    let mut batch = device.batch();
    batch.push(transfer(&accounts, 0, 1, 0));
    let error = batch.run().unwrap_err();
    let Error::Gpu(GpuError::OutOfMemory { needed: 8_000, free: 2_000, .. }) = error else { panic!("{error}") };
    assert_eq!(accounts.to_vec().unwrap(), [0; 1000]);

    let few = device.shared(&[0_i64; 2]).unwrap();
    let mut batch = device.batch();
    for _ in 0..4000 {
        batch.push(transfer(&few, 0, 1, 0));
    }
    let error = batch.run().unwrap_err();
    assert!(matches!(error, Error::Gpu(GpuError::OutOfMemory { what: "transactions", .. })), "{error}");
}

#[test]
fn an_array_changes_its_layout_on_the_host_where_the_device_has_no_room_for_both() {
    let device = Device::emulated(EmulatorOptions { memory: 22_000, ..EmulatorOptions::threads() }).unwrap();
    let accounts = device.shared(&[5_i64; 1000]).unwrap();
    let mut batch = device.batch();
    batch.push(transfer(&accounts, 0, 999, 1));
    assert_eq!(batch.run().unwrap().committed, 1);
    assert_eq!(accounts.to_vec().unwrap(), [&[4], &[5; 998][..], &[6]].concat());
}

#[test]
fn an_array_follows_from_engine_to_engine() {
    let device = device();
    let accounts = device.shared(&[100_i64, 0, -5]).unwrap();
    let mut left = 100;
    for engine in engines().chain(engines()) {
        let mut batch = device.batch();
        batch.push(transfer(&accounts, 0, 1, 1));
        let report = batch.run_with(&RunOptions::new().engine(engine).check(left % 2 == 0)).unwrap();
        left -= 1;
        assert_eq!(report.committed, 1, "{report}");
        assert_eq!(accounts.to_vec().unwrap(), [left, 100 - left, -5]);
    }
}

#[test]
fn limits_end_a_run_and_say_which() {
    let device = device();
    let accounts = device.shared(&[0_i64, 0]).unwrap();
    let mut batch = device.batch();
    let ticket = batch.push(transfer(&accounts, 0, 1, 5));
    let stopped = batch.run_with(&RunOptions::new().stop_when(Arc::new(AtomicBool::new(true)))).unwrap();
    assert_eq!(stopped.outcome(ticket), Outcome::Unresolved(UnresolvedReason::Stopped));
    let late = batch
        .run_with(&RunOptions::new().stop_when(Arc::new(AtomicBool::new(false))).time_limit(Duration::ZERO))
        .unwrap();
    assert_eq!(late.outcome(ticket), Outcome::Unresolved(UnresolvedReason::TimeLimit));
    let never = batch.run_with(&RunOptions::new().time_limit(Duration::from_secs(600))).unwrap();
    assert_eq!(never.outcome(ticket), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
}

#[test]
fn a_pass_limit_leaves_the_rest() {
    let device = device();
    let accounts = device.shared(&[0_i64, 0, 0, 0, 0, 50]).unwrap();
    let mut batch = device.batch();
    let tickets: Vec<_> = (0..5_u32).map(|from| batch.push(transfer(&accounts, from + 1, from, 50))).collect();
    // One thread takes the transactions in order, and each pass enables one more from the end.
    let report = batch.run_with(&RunOptions::new().threads(1).pass_limit(2)).unwrap();
    assert_eq!((report.committed, report.unresolved, report.passes), (2, 3, 2), "{report}");
    assert_eq!(report.outcome(tickets[0]), Outcome::Unresolved(UnresolvedReason::PassLimit));
    assert_eq!(accounts.to_vec().unwrap(), [0, 0, 0, 50, 0, 0]);
}

#[test]
fn progress_is_reported_and_conflicts_are_counted_by_line() {
    let device = device();
    let accounts = device.shared(&[100_000_i64; 2]).unwrap();
    let mut batch = device.batch();
    for transaction in 0..2000 {
        batch.push(transfer(&accounts, transaction % 2, (transaction + 1) % 2, 1));
    }
    let most = Arc::new(AtomicU64::new(0));
    let seen = most.clone();
    let options = RunOptions::new().progress(move |progress| {
        assert_eq!(progress.transactions, 2000);
        seen.fetch_max(progress.finished, Ordering::Relaxed);
    });
    let report = batch.run_with(&options.threads(64).lanes(8).profile(true)).unwrap();
    assert_eq!(report.committed, 2000, "{report}");
    assert_eq!(most.load(Ordering::Relaxed), 2000);
    let by_line: u64 = report.conflict_locations.iter().map(|location| location.conflicts).sum();
    assert!(by_line <= report.conflicts.total(), "{report}");
    assert!(report.shape.threads() == 64, "{}", report.shape);
}

#[test]
fn few_elements_mean_few_threads_unless_a_server_answers() {
    let mut options = EmulatorOptions::fibers(1);
    options.threads = 128;
    let device = Device::emulated(options).unwrap();
    let accounts = device.shared(&[100_000_i64; 2]).unwrap();
    let mut batch = device.batch();
    for transaction in 0..400 {
        batch.push(transfer(&accounts, transaction % 2, (transaction + 1) % 2, 1));
    }
    for (engine, threads) in [("priority", 32), ("csmv", 128)] {
        let report = batch.run_with(&RunOptions::new().engine(engine.parse::<Engine>().unwrap())).unwrap();
        assert!(report.committed == 400 && report.shape.threads() == threads, "{report}");
    }
}

#[test]
fn the_same_seed_repeats_a_run() {
    let run = |seed| {
        let device = Device::emulated(EmulatorOptions::fibers(seed)).unwrap();
        let accounts = device.shared(&[50_i64; 4]).unwrap();
        let mut batch = device.batch();
        random_transfers(&mut batch, &accounts, 300);
        let report = batch.run_with(&RunOptions::new().threads(32)).unwrap();
        (accounts.to_vec().unwrap(), report.conflicts, report.postponements, report.passes)
    };
    assert_eq!(run(11), run(11));
    assert!((0..6).map(run).any(|other| other != run(11)));
}

#[test]
fn fibers_that_pause_repeat_a_run_and_change_nothing() {
    let run = |pauses| {
        let options = EmulatorOptions { pauses, ..EmulatorOptions::fibers(11) };
        let device = Device::emulated(options).unwrap();
        let accounts = device.shared(&[1000_i64; 4]).unwrap();
        let mut batch = device.batch();
        random_transfers(&mut batch, &accounts, 300);
        let report = batch.run_with(&RunOptions::new().threads(32).check(true)).unwrap();
        assert_eq!((report.committed, report.serializable()), (300, Some(true)), "{report}");
        (accounts.to_vec().unwrap(), report.conflicts)
    };
    let (without, often) = (run(0), run(8));
    assert_eq!(often, run(8));
    assert_eq!(without.0, often.0, "transfers that all go through come to the same accounts in any order");
    assert_ne!(without.1, often.1, "pauses change who meets whom");
}
