//! Runs in the background, and a pipeline.

use std::sync::{Mutex, mpsc};

use super::device;
use super::procedures::transfer;
use crate::{Outcome, PipelineOptions, RunOptions, UnresolvedReason};

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
