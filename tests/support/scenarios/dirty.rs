//! Values that were written by a transaction that did not commit: no committed transaction may have read them.

use stm_runtime::{Batch, Outcome, Report, Ticket, UnresolvedReason};

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{audit, transfer};
use crate::procedures::counters::increment;
use crate::procedures::dirty::{
    copy_on, look, look_narrow, refuse_spoilt, spoil_and_fault, spoil_and_refuse, spoil_and_wait, spoil_found,
    spoil_run,
};
use crate::procedures::guards::raise_flag;
use crate::{expect, expect_all, expect_eq};

/// Checks that every transaction committed with good values.
fn all_good(report: &Report, tickets: Vec<Ticket<i64>>) -> TestResult {
    for ticket in tickets {
        match report.outcome(ticket) {
            Outcome::Committed(value) if value >= 0 => {}
            other => expect!(false, "transaction {} ended with {other:?}", ticket.transaction()),
        }
    }
    Ok(())
}

/// Transactions that only read a single element, while others write it and reject or fault.
pub(super) fn dirty_reads(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[7_i64; 3])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(51);
    let transactions = environment.transactions(80);
    let mut seen = Vec::new();
    for _ in 0..transactions {
        batch.push(spoil_and_refuse::call(&cells, dice.index(3), dice.index(3)));
        seen.push(batch.push(look::call(&cells, dice.index(3))));
        batch.push(spoil_and_fault::call(&cells, dice.index(3), 0));
        seen.push(batch.push(refuse_spoilt::call(&cells, dice.index(3))));
    }
    let report = environment.run(&batch)?;
    let transactions = transactions as u64;
    expect_eq!(
        (report.committed, report.rejected, report.faulted),
        (2 * transactions, transactions, transactions),
        "endings\n{report}\n"
    );
    all_good(&report, seen)?;
    expect_eq!(cells.to_vec()?, [7; 3], "the elements");
    Ok(())
}

/// The same with narrow elements whose index is read, by two names of one element.
pub(super) fn dirty_reads_narrow(environment: &Environment) -> TestResult {
    let places = environment.shared(&[1_u32, 0])?;
    let cells = environment.shared(&[7_i32; 2])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(52);
    let mut seen = Vec::new();
    for _ in 0..environment.transactions(150) {
        batch.push(spoil_found::call(&places, &cells, dice.index(2)));
        seen.push(batch.push(look_narrow::call(&cells, dice.index(2))));
    }
    let report = environment.run(&batch)?;
    expect_all!(report, seen, 7, "what a looker saw");
    expect_eq!(cells.to_vec()?, [7; 2], "the elements");
    Ok(())
}

/// Copies from spoilt elements to others, and from those on: one dirty read would spoil all later copies.
pub(super) fn dirty_values_spread(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[1_i64, 2, 3, 4, 5, 6])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(53);
    let mut copied = Vec::new();
    for _ in 0..environment.transactions(120) {
        batch.push(spoil_and_refuse::call(&cells, dice.index(6), dice.index(6)));
        copied.push(batch.push(copy_on::call(&cells, dice.index(6), dice.index(6))));
        batch.push(spoil_run::call(&cells, dice.index(3), dice.index(4)));
    }
    let report = environment.run(&batch)?;
    all_good(&report, copied)?;
    let cells = cells.to_vec()?;
    expect!(cells.iter().all(|value| (1..=6).contains(value)), "not copied from one another: {cells:?}");
    Ok(())
}

/// Aborted writes to several elements under one lock word, some of them in rounds: every old value is restored.
pub(super) fn undone_under_one_lock(environment: &Environment) -> TestResult {
    for coverage in [2, 8] {
        let start: Vec<i64> = (0..8).map(|at| 1000 * (at + 1)).collect();
        let cells = environment.device.shared_with(&start, coverage)?;
        let mut batch = environment.batch();
        let mut dice = Dice::new(54);
        let (mut seen, mut sums) = (Vec::new(), Vec::new());
        for transaction in 0..environment.transactions(60) {
            batch.push(spoil_run::call(&cells, dice.index(5), dice.index(4)));
            batch.push(spoil_and_refuse::call(&cells, dice.index(8), dice.index(8)));
            batch.push(transfer::call(&cells, dice.index(8), dice.index(8), 1));
            match transaction % 2 {
                0 => seen.push(batch.push(look::call(&cells, dice.index(8)))),
                _ => sums.push(batch.push(audit::call(&cells, 0, 8))),
            }
        }
        let report = environment.run(&batch)?;
        all_good(&report, seen)?;
        expect_all!(report, sums, 36_000, "an audit");
        expect_eq!(cells.to_vec()?.iter().sum::<i64>(), 36_000, "the sum, coverage {coverage}");
    }
    Ok(())
}

/// Postponed transactions that have written: every failure of the guard undoes the writes.
pub(super) fn dirty_guards(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[7_i64; 4])?;
    let flags = environment.shared(&[0_u32; 4])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(55);
    let transactions = environment.transactions(100);
    let (mut seen, mut stuck) = (Vec::new(), Vec::new());
    for transaction in 0..transactions as u32 {
        let ticket = batch.push(spoil_and_wait::call(&cells, &flags, transaction % 4, i64::from(transaction)));
        if transaction % 4 > 1 {
            stuck.push(ticket);
        }
        seen.push(batch.push(look::call(&cells, dice.index(4))));
    }
    for at in 0..2 {
        batch.push(raise_flag::call(&flags, at));
    }
    let report = environment.run(&batch)?;
    all_good(&report, seen)?;
    for ticket in stuck {
        expect_eq!(
            report.outcome(ticket),
            Outcome::Unresolved(UnresolvedReason::GuardNeverHeld),
            "one whose flag stays down"
        );
    }
    expect_eq!(cells.to_vec()?[2..], [7, 7], "the elements of those that wait");
    Ok(())
}

/// The largest number of threads for the emulator on one to four elements, adding, moving, summing and aborting.
pub(super) fn crowd_on_few_elements(environment: &Environment) -> TestResult {
    for size in [1, 2, 4] {
        let cells = environment.shared(&vec![1000_i64; size])?;
        let mut batch = environment.batch();
        let mut options = environment.options();
        if environment.is_emulated() {
            options = options.threads(environment.bearable(128));
        }
        let added = contention(environment, &mut batch, &cells);
        let report = environment.run_with(&batch, &options)?;
        expect!(report.unresolved + report.faulted == 0, "left or faulted\n{report}");
        expect_eq!(cells.to_vec()?.iter().sum::<i64>(), 1000 * size as i64 + added, "the sum of {size}");
    }
    Ok(())
}

/// Fills the batch. Returns the expected sum.
fn contention(environment: &Environment, batch: &mut Batch, cells: &stm_runtime::Shared<i64>) -> i64 {
    let (n, mut dice, mut added) = (cells.len(), Dice::new(56), 0);
    for transaction in 0..environment.transactions(150) {
        match transaction % 5 {
            0 | 1 => {
                batch.push(increment::call(cells, dice.index(n)));
                added += 1;
            }
            2 => _ = batch.push(transfer::call(cells, dice.index(n), dice.index(n), 0)),
            3 => _ = batch.push(audit::call(cells, 0, n as u32)),
            _ => _ = batch.push(spoil_and_refuse::call(cells, dice.index(n), dice.index(n))),
        }
    }
    added
}
