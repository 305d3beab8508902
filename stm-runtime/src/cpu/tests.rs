//! Threads in the presence of a lock that is never released. No batch causes this, so a test takes the lock by hand.

use crate::backend::JobOptions;
use crate::cpu::at_rest::readers;
use crate::test_procedures::{audit, deposit, transfer};
use crate::tx::{CpuArray, lock};
use crate::{Device, Engine, Outcome, RunOptions, Ticket, UnresolvedReason};

hunted! {
    a_lock_that_stays_is_not_taken_for_a_guard
    guards_wait_beside_a_lock_that_stays
    only_what_writes_nothing_runs_at_rest
    what_is_executed_by_procedure_keeps_its_outcome
}

/// A number that no thread has.
const NOBODY: u64 = 99;

/// Runs `deposits` deposits to an account whose lock is never released, and five transfers that wait, for two passes. Returns
/// the outcomes of both.
fn run_beside_a_lock_that_stays(device: &Device, deposits: u32) -> (Vec<Outcome>, Vec<Outcome>) {
    let accounts = device.shared(&[0_i64; 3]).unwrap();
    let mut batch = device.batch();
    let locked: Vec<Ticket<()>> = (0..deposits).map(|_| batch.push(deposit::call(&accounts, 0, 1))).collect();
    let waiting: Vec<_> = (0..5).map(|_| batch.push(transfer::call(&accounts, 1, 2, 1))).collect();
    let array = batch.job(&JobOptions::default()).arrays[0].clone();
    let place = array.store::<CpuArray>().expect("an array of a CPU").table().row(0).expect("an account");
    assert_eq!(lock::take(place.lock, NOBODY), lock::Taken::Now(0));
    let report = batch.run_with(&RunOptions::new().engine(Engine::PRIORITY).pass_limit(2)).unwrap();
    lock::free(place.lock, 0);
    assert_eq!((report.committed, report.passes), (0, 2), "{report}");
    assert!(report.conflicts.locked > 0, "{report}");
    let outcomes = |tickets: Vec<Ticket<()>>| tickets.into_iter().map(|ticket| report.outcome(ticket)).collect();
    (outcomes(locked), outcomes(waiting))
}

/// A transaction that ended in conflicts has not found its guard false, so the result must not be `GuardNeverHeld`.
#[cfg_attr(test, test)]
fn a_lock_that_stays_is_not_taken_for_a_guard() {
    for device in [Device::cpu(1), Device::cpu(2), Device::cpu_seeded(2, 1)] {
        let (locked, _) = run_beside_a_lock_that_stays(&device, 4);
        assert_eq!(locked, vec![Outcome::Unresolved(UnresolvedReason::PassLimit); 4]);
    }
}

/// One thread ends at the pass limit. Its reason also applies to the transactions that other threads leave, whichever thread it is.
#[cfg_attr(test, test)]
fn guards_wait_beside_a_lock_that_stays() {
    for seed in 1..8 {
        let (locked, waiting) = run_beside_a_lock_that_stays(&Device::cpu_seeded(3, seed), 1);
        assert_eq!((locked.len(), waiting.len()), (1, 5));
        assert!(
            locked.iter().chain(&waiting).all(|outcome| *outcome == Outcome::Unresolved(UnresolvedReason::PassLimit))
        );
    }
}

#[cfg_attr(test, test)]
fn only_what_writes_nothing_runs_at_rest() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[0_i64; 4]).unwrap();
    let mut batch = device.batch();
    batch.push(deposit::call(&accounts, 0, 1));
    assert!(readers(&batch.job(&JobOptions::default())).is_empty());
    batch.push(audit::call(&accounts, 0, 1));
    let options = JobOptions::default();
    let job = batch.job(&options);
    let readers = readers(&job);
    for (specialization, is_reader) in job.specializations.iter().zip(&readers) {
        assert_eq!(*is_reader, job.procedures[specialization.procedure].spec.name == "audit");
    }
    assert_eq!(readers.len(), 2);
}

/// Enough calls that threads execute them procedure by procedure, some of which are faults.
#[cfg_attr(test, test)]
fn what_is_executed_by_procedure_keeps_its_outcome() {
    let device = Device::cpu(2);
    let accounts = device.shared(&[1_i64; 1 << 10]).unwrap();
    let mut batch = device.batch();
    let at_fault = |call: u32| call % 32 < 2;
    let mut tickets = Vec::new();
    for call in 0..1 << 15 {
        let at = if at_fault(call) { 1 << 10 } else { call % (1 << 10) };
        tickets.push(match call % 2 {
            0 => batch.push(deposit::call(&accounts, at, 1)),
            _ => batch.push(transfer::call(&accounts, at, at, 1)),
        });
    }
    let report = batch.run_with(&RunOptions::new().engine(Engine::PRIORITY)).unwrap();
    for (ticket, call) in tickets.into_iter().zip(0..) {
        assert_eq!(matches!(report.outcome(ticket), Outcome::Faulted(_)), at_fault(call), "{call}: {report}");
    }
}
