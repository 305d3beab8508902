//! Runs in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use super::gated::{Next, add, append, block_on, failure, gated};
use crate::report::Status;
use crate::{Batch, Device, Error, Finished, Outcome, Report, RunOptions, Shared, Tx, TxResult, UnresolvedReason};

/// Does not end by itself within the time of a test.
#[crate::prelude::gpu_transaction(max_iterations = 4_000_000_000)]
fn ponder(tx: &mut Tx, cells: &Shared<i64>) -> TxResult {
    let mut seen = tx.read(cells, 0)?;
    for _ in 0..4_000_000_000_u64 {
        seen = seen.wrapping_mul(3);
    }
    tx.write(cells, 0, seen)
}

fn appending(device: &Device, cells: &Shared<i64>, digits: &[i64]) -> Batch<'static> {
    let mut batch = device.batch();
    batch.extend(digits.iter().map(|digit| append::call(cells, 0, *digit)));
    batch
}

#[test]
fn the_batch_comes_back_and_can_be_filled_again() {
    let (device, next) = gated();
    let cells = device.shared(&[0_i64]).unwrap();
    let running = appending(&device, &cells, &[7]).start();
    let running = running.try_wait().expect_err("the run waits for the test");
    assert!(!running.is_finished() && format!("{running:?}").contains("is_finished: false"));
    drop(next);
    let Finished { mut batch, report } = running.finish().unwrap();
    assert_eq!((batch.len(), report.unwrap().committed, cells.to_vec().unwrap()), (1, 1, vec![7]));
    batch.clear();
    batch.push(append::call(&cells, 0, 8));
    assert_eq!(block_on(batch.start()).report.unwrap().committed, 1);
    assert_eq!(cells.to_vec().unwrap(), [78]);
    assert_eq!(device.batch().start().wait().unwrap().transactions, 0);
}

#[test]
fn runs_on_one_array_have_the_order_of_their_starts() {
    let device = Device::cpu(2);
    let cells = device.shared(&[0_i64]).unwrap();
    let runs: Vec<_> = (1..=9).map(|digit| appending(&device, &cells, &[digit]).start()).collect();
    // A read that comes later waits for all of them, too.
    assert_eq!(cells.to_vec().unwrap(), [123_456_789]);
    assert!(runs.into_iter().rev().all(|running| running.wait().unwrap().committed == 1));
}

#[test]
fn a_cancelled_run_lists_what_is_left() {
    let device = Device::cpu(1);
    let cells = device.shared(&[5_i64]).unwrap();
    for with_flag in [false, true] {
        let mut batch = appending(&device, &cells, &[1]);
        let endless = batch.push(ponder::call(&cells));
        let flag = Arc::new(AtomicBool::new(false));
        let options = RunOptions::new().order(crate::Order::Pushed).stop_when(flag.clone());
        let running = batch.start_with(&options);
        let next = appending(&device, &cells, &[2]).start();
        if with_flag {
            flag.store(true, Ordering::Relaxed)
        } else {
            running.cancel()
        }
        let report = running.wait().unwrap();
        assert_eq!(report.outcome(endless), Outcome::Unresolved(UnresolvedReason::Stopped));
        assert_eq!((report.committed + report.unresolved, report.transactions), (2, 2), "nothing is lost");
        assert_eq!(flag.load(Ordering::Relaxed), with_flag, "the flag of the user stays as it is");
        assert_eq!(next.wait().unwrap().committed, 1, "the next run has the array");
    }
}

#[test]
fn what_goes_wrong_is_an_error_of_the_handle() {
    let (device, next) = gated();
    let cells = device.shared(&[0_i64]).unwrap();
    let run = || appending(&device, &cells, &[1]).start();
    next.send(Next::Fails).unwrap();
    assert_eq!(run().wait().unwrap_err(), failure());
    next.send(Next::Panics).unwrap();
    let Finished { batch, report } = block_on(run());
    assert_eq!(report.unwrap_err(), Error::RunPanicked { message: "as asked".into() });
    drop(next);
    assert_eq!(batch.run().unwrap().committed, 1, "the batch and its array are as before");
    let mut wrong = Device::cpu(1).batch();
    wrong.push(append::call(&cells, 0, 1));
    let running = wrong.start();
    assert!(running.is_finished(), "what is known at once needs no thread");
    assert!(matches!(running.wait(), Err(Error::ForeignArray { .. })));
    let refused = appending(&device, &cells, &[1]).start_with(&RunOptions::new().threads(0)).wait();
    assert!(matches!(refused, Err(Error::OptionValue { option: "threads", .. })), "{refused:?}");
}

#[test]
fn a_dropped_handle_waits_for_its_run() {
    let (device, next) = gated();
    let cells = device.shared(&[0_i64]).unwrap();
    let running = appending(&device, &cells, &[1]).start();
    let other = std::thread::spawn(move || drop(running));
    assert!(!other.is_finished());
    next.send(Next::Runs).unwrap();
    other.join().unwrap();
    // The error of this one is printed.
    next.send(Next::Fails).unwrap();
    drop(appending(&device, &cells, &[2]).start());
    drop(next);
    assert_eq!(cells.to_vec().unwrap(), [1]);
}

#[test]
fn nothing_inside_of_a_run_waits_for_another() {
    let device = Device::cpu(1);
    let cells = device.shared(&[0_i64]).unwrap();
    let inside = |call: Box<dyn Fn() + Send + Sync>| -> Report {
        let mut batch = device.batch();
        batch.push(add::call(&cells, 0, 1));
        batch.run_with(&RunOptions::new().progress(move |_| call())).unwrap()
    };
    let (send, receive) = channel();
    let (of_run, cells_of_run) = (device.clone(), cells.clone());
    let send = std::sync::Mutex::new(send);
    let report = inside(Box::new(move || {
        let running = appending(&of_run, &cells_of_run, &[1]).start();
        send.lock().unwrap().send(running.wait().unwrap_err()).unwrap();
    }));
    assert_eq!((report.committed, receive.recv().unwrap()), (1, Error::ArrayInUse));
    // Runs that were started outside, behind the run that they are waited for in.
    let waiting = std::sync::Mutex::new(Vec::new());
    let (gated, next) = gated();
    let own = gated.shared(&[0_i64]).unwrap();
    for digit in 1..=2 {
        waiting.lock().unwrap().push(appending(&gated, &own, &[digit]).start());
    }
    let (send, receive) = channel();
    let send = std::sync::Mutex::new(send);
    inside(Box::new(move || {
        let runs = std::mem::take(&mut *waiting.lock().unwrap());
        if let Ok([dropped, running]) = <[_; 2]>::try_from(runs) {
            drop(dropped);
            send.lock().unwrap().send(running.finish().unwrap_err()).unwrap();
        }
    }));
    assert_eq!(receive.recv().unwrap(), Error::WaitInside);
    drop(next);
    assert_eq!(own.to_vec().unwrap(), [12], "both go on without their handles");
}

#[test]
fn each_outcome_is_in_the_report_of_a_run_that_was_cancelled_before_it_began() {
    let (device, next) = gated();
    let cells = device.shared(&[0_i64]).unwrap();
    let running = appending(&device, &cells, &[1, 2, 3]).start();
    running.cancel();
    drop(next);
    let report = running.wait().unwrap();
    assert!(report.statuses().all(|status| status == Status::Unresolved) && report.unresolved == 3, "{report}");
    assert_eq!(cells.to_vec().unwrap(), [0]);
}
