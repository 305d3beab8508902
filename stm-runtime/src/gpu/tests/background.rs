//! Runs in the background, and a pipeline.

use std::sync::{Mutex, mpsc};

use super::device;
use super::procedures::transfer;
use crate::{Outcome, PipelineOptions, Progress, RunOptions, UnresolvedReason};

#[test]
fn runs_in_the_background_have_their_turns_and_end_early() {
    let device = device();
    let accounts = device.shared(&[10_i64, 0]).unwrap();
    let filled = || {
        let mut batch = device.batch();
        let ticket = batch.push(transfer(&accounts, 0, 1, 5));
        (batch, ticket)
    };
    let (cancelled, is_cancelled) = mpsc::channel::<()>();
    let is_cancelled = Mutex::new(is_cancelled);
    let waits = RunOptions::new().progress(move |_| _ = is_cancelled.lock().unwrap().recv());
    let first = filled().0.start_with(&waits);
    let (batch, ticket) = filled();
    let second = batch.start();
    second.cancel();
    drop(cancelled);
    assert_eq!(first.wait().unwrap().committed, 1);
    assert_eq!(second.wait().unwrap().outcome(ticket), Outcome::Unresolved(UnresolvedReason::Stopped));
    let pipeline = device.pipeline(PipelineOptions::new().max_transactions(2)).unwrap();
    let tickets = [0; 5].map(|_| pipeline.submit(transfer(&accounts, 0, 1, 1)).unwrap());
    assert_eq!(pipeline.close().unwrap().committed, 5);
    assert!(tickets.iter().all(|ticket| ticket.wait().unwrap().is_committed()));
    assert_eq!(accounts.to_vec().unwrap(), [0, 10]);
}

#[test]
fn a_run_that_is_cancelled_in_the_middle_has_done_what_it_lists_and_no_more() {
    let device = device();
    let accounts = device.shared(&[100_i64, 0]).unwrap();
    let mut batch = device.batch();
    let tickets = [0; 60].map(|_| batch.push(transfer(&accounts, 0, 1, 1)));
    let ((ended, some_have_ended), (go, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let gate = Mutex::new(gate);
    let tell = move |progress: Progress| {
        if progress.finished > 0 && ended.send(()).is_ok() {
            let _ = gate.lock().unwrap().recv();
        }
    };
    let running = batch.start_with(&RunOptions::new().chunk_size(20).progress(tell));
    some_have_ended.recv().unwrap();
    running.cancel();
    drop(go);
    let report = running.wait().unwrap();
    let count = |end| tickets.iter().filter(|ticket| report.outcome(**ticket) == end).count();
    let (committed, left) = (count(Outcome::Committed(())), count(Outcome::Unresolved(UnresolvedReason::Stopped)));
    assert!((20..60).contains(&committed) && committed + left == 60, "{report}");
    assert_eq!(report.unresolved_transactions.len(), left);
    assert_eq!(accounts.to_vec().unwrap(), [100 - committed as i64, committed as i64]);
}
