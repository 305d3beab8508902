//! Calls of the interface from inside of a run: from progress functions, and from functions that transactions run. None may hang.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use stm_runtime::prelude::*;
use support::procedures::{deposit, peeks};

#[gpu_transaction(max_iterations = 4_000_000_000)]
fn ponder(tx: &mut Tx, cells: &Shared<i64>, rounds: u64) -> TxResult {
    let mut seen = tx.read(cells, 0)?;
    for _ in 0..rounds {
        seen = seen.wrapping_mul(3);
    }
    tx.write(cells, 0, seen)
}

/// Runs the function on a new thread, and fails if it does not end.
fn ends(what: impl FnOnce() + Send + 'static) {
    let (send, receive) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        what();
        let _ = send.send(());
    });
    match receive.recv_timeout(Duration::from_secs(60)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => thread.join().unwrap(),
    }
}

fn devices() -> [Device; 3] {
    [Device::cpu(1), Device::cpu(2), Device::cpu(1).with_engine("serial").unwrap()]
}

/// Runs a batch of deposits, whose progress function calls `inside` once.
fn run_with(device: &Device, cells: &Shared<i64>, inside: impl Fn() + Send + Sync + 'static) -> stm_runtime::Report {
    let mut batch = device.batch();
    (0..100).for_each(|_| _ = batch.push(deposit::call(cells, 0, 1)));
    let done = AtomicBool::new(false);
    let options = RunOptions::new().progress(move |_| {
        if !done.swap(true, Ordering::Relaxed) {
            inside();
        }
    });
    batch.run_with(&options).unwrap()
}

#[test]
fn two_runs_whose_progress_reads_the_others_array_both_end() {
    ends(|| {
        for device in devices() {
            let (a, b) = (device.shared(&[0_i64; 2]).unwrap(), device.shared(&[0_i64; 2]).unwrap());
            let (meet, refused) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU64::new(0)));
            let run = |own: Shared<i64>, other: Shared<i64>| {
                let (meet, refused) = (meet.clone(), refused.clone());
                run_with(&device, &own, move || {
                    // Both hold their arrays now, and keep them until both have checked.
                    meet.wait();
                    if other.to_vec() == Err(Error::ArrayInUse) {
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    meet.wait();
                })
            };
            std::thread::scope(|scope| {
                scope.spawn(|| run(a.clone(), b.clone()));
                run(b.clone(), a.clone());
            });
            assert_eq!(refused.load(Ordering::Relaxed), 2);
            assert_eq!((a.to_vec().unwrap()[0], b.to_vec().unwrap()[0]), (100, 100));
        }
    });
}

#[test]
fn a_progress_function_may_use_arrays_that_no_run_has() {
    ends(|| {
        for device in devices() {
            let (own, free) = (device.shared(&[0_i64; 2]).unwrap(), device.shared(&[5_i64; 2]).unwrap());
            let (inner, mine) = (free.clone(), own.clone());
            let report = run_with(&device, &own, move || {
                assert_eq!(inner.to_vec().unwrap(), [5, 5]);
                // A run inside of a run, with a progress function of its own; and on an array of the run that it is inside of.
                let mut other = inner.device().batch();
                other.push(deposit::call(&inner, 1, 2));
                let held = mine.clone();
                let options = RunOptions::new().progress(move |_| assert_eq!(held.to_vec(), Err(Error::ArrayInUse)));
                assert_eq!(other.run_with(&options).unwrap().committed, 1);
                other.push(deposit::call(&mine, 1, 2));
                assert_eq!(other.run_with(&options).map(|_| ()), Err(Error::ArrayInUse));
            });
            assert_eq!(report.committed, 100);
            assert_eq!((own.to_vec().unwrap(), free.to_vec().unwrap()), (vec![100, 0], vec![5, 7]));
        }
    });
}

#[test]
fn outside_of_runs_everybody_waits_as_before() {
    ends(|| {
        let device = Device::cpu(1);
        let cells = device.shared(&[0_i64; 2]).unwrap();
        let (begun, begins) = mpsc::channel();
        let inside = move || {
            begun.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(50));
        };
        std::thread::scope(|scope| {
            scope.spawn(|| run_with(&device, &cells, inside));
            begins.recv().unwrap();
            assert_eq!(cells.to_vec().unwrap(), [100, 0]);
        });
    });
}

#[test]
fn a_function_that_looks_at_its_arrays_by_itself_is_refused() {
    ends(|| {
        for device in devices() {
            let cells = device.shared(&[0_u64; 2]).unwrap();
            let mut batch = device.batch();
            let tickets: Vec<_> = (0..20).map(|_| batch.push(peeks::call(&cells, 1))).collect();
            // With a progress function the calling thread, which holds the array, runs no transaction itself.
            let report = batch.run_with(&RunOptions::new().check(true).progress(|_| ())).unwrap();
            assert!(tickets.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(true)), "{report}");
        }
    });
}

#[test]
fn a_panic_of_a_progress_function_ends_the_run() {
    ends(|| {
        for device in devices() {
            let cells = device.shared(&[1_i64]).unwrap();
            let mut batch = device.batch();
            // Far more work than the time limit allows.
            (0..100).for_each(|_| _ = batch.push(ponder::call(&cells, 4_000_000_000)));
            let options = RunOptions::new().progress(|_| panic!("the bar is broken"));
            let panic = catch_unwind(AssertUnwindSafe(|| batch.run_with(&options))).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"the bar is broken"));
            // The array is free and unchanged: no transaction has finished.
            assert_eq!(cells.to_vec().unwrap(), [1]);
        }
    });
}

/// Prints, and then writes.
#[gpu_transaction]
fn speak(tx: &mut Tx, cells: &Shared<i64>, at: u32) -> TxResult {
    gpu_println!("at {at}");
    tx.write(cells, at, 1)
}

#[test]
fn a_function_that_lines_are_printed_to_is_refused_arrays_of_its_run() {
    ends(|| {
        for device in devices() {
            let cells = device.shared(&[0_i64; 20]).unwrap();
            let mut batch = device.batch();
            (0..20).for_each(|at| _ = batch.push(speak::call(&cells, at)));
            let (own, refused) = (cells.clone(), Arc::new(AtomicU64::new(0)));
            let count = refused.clone();
            let options = RunOptions::new().print_to(move |_| {
                if own.to_vec() == Err(Error::ArrayInUse) {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
            assert_eq!(batch.run_with(&options).unwrap().committed, 20);
            assert_eq!(refused.load(Ordering::Relaxed), 20);
        }
    });
}

#[cfg(feature = "emulator")]
#[test]
fn a_progress_function_of_an_emulated_device_waits_for_nothing_either() {
    let device = match Device::emulated(stm_runtime::EmulatorOptions::threads()) {
        Ok(device) => device,
        Err(why) => return eprintln!("SKIPPED: runs inside of runs in the emulator: {why}"),
    };
    ends(move || {
        let (own, free) = (device.shared(&[1_i64]).unwrap(), device.shared(&[1_i64]).unwrap());
        let (mine, inner, calls) = (own.clone(), free.clone(), Arc::new(AtomicU64::new(0)));
        let count = calls.clone();
        let mut batch = device.batch();
        batch.push(ponder::call(&own, 2));
        let options = RunOptions::new().progress(move |_| {
            assert_eq!(mine.to_vec(), Err(Error::ArrayInUse));
            let before = inner.to_vec().unwrap()[0];
            let mut other = inner.device().batch();
            other.push(ponder::call(&inner, 1));
            assert_eq!(other.run().unwrap().committed, 1);
            assert_eq!(inner.to_vec().unwrap()[0], 3 * before);
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(batch.run_with(&options).unwrap().committed, 1);
        assert_eq!(own.to_vec().unwrap(), [9]);
        let calls = calls.load(Ordering::Relaxed);
        assert!(calls > 0, "the progress function was not called");
        assert_eq!(free.to_vec().unwrap(), [3_i64.pow(calls as u32)]);
    });
}

#[test]
fn a_run_on_one_field_holds_the_record() {
    ends(|| {
        for device in devices() {
            let read = |pairs: Shared<(i64, i64)>| {
                let refused = Arc::new(AtomicBool::new(false));
                let (inside, other) = (refused.clone(), pairs.clone());
                run_with(&device, &pairs.0, move || {
                    inside.store(other.1.to_vec() == Err(Error::ArrayInUse), Ordering::Relaxed);
                });
                refused.load(Ordering::Relaxed)
            };
            assert!(read(device.shared(&[(0, 0)]).unwrap()), "its other field has the same lock words");
            assert!(!read(device.shared_by_field(&[(0, 0)]).unwrap()), "its other field is another array");
        }
    });
}
