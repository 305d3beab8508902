//! Values that were written by a transaction which did not commit: nobody who commits may have seen them.

use stm_runtime::{Outcome, Report, Table, Ticket, Why};

use crate::failure::Verdict;
use crate::ground::{Dice, Ground};
use crate::kinds::bank::{audit, transfer};
use crate::kinds::counters::increment;
use crate::kinds::dirty::{
    copy_on, look, look_narrow, refuse_spoilt, spoil_and_fault, spoil_and_refuse, spoil_and_wait, spoil_found,
    spoil_run,
};
use crate::kinds::guards::raise_flag;
use crate::{expect, expect_eq};

/// Every one of them committed with what is good.
fn all_good(report: &Report, tickets: Vec<Ticket<i64>>) -> Verdict {
    for ticket in tickets {
        match report.outcome(ticket) {
            Outcome::Committed(value) if value >= 0 => {}
            other => expect!(false, "row {} ended with {other:?}", ticket.row()),
        }
    }
    Ok(())
}

/// Transactions that only look, at a single element, while others write it and refuse or fault.
pub(super) fn dirty_reads(ground: &Ground) -> Verdict {
    let cells = ground.shared(&[7_i64; 3])?;
    let mut table = ground.table();
    let mut dice = Dice::new(51);
    let rows = ground.rows(80);
    let mut seen = Vec::new();
    for _ in 0..rows {
        table.push(spoil_and_refuse::call(&cells, dice.index(3), dice.index(3)));
        seen.push(table.push(look::call(&cells, dice.index(3))));
        table.push(spoil_and_fault::call(&cells, dice.index(3), 0));
        seen.push(table.push(refuse_spoilt::call(&cells, dice.index(3))));
    }
    let report = ground.run(&table)?;
    let rows = rows as u64;
    expect_eq!((report.committed, report.rejected, report.faulted), (2 * rows, rows, rows), "endings\n{report}\n");
    all_good(&report, seen)?;
    expect_eq!(cells.to_vec()?, [7; 3], "the elements");
    Ok(())
}

/// The same with narrow elements whose place is found, by two names of one element.
pub(super) fn dirty_reads_narrow(ground: &Ground) -> Verdict {
    let places = ground.shared(&[1_u32, 0])?;
    let cells = ground.shared(&[7_i32; 2])?;
    let mut table = ground.table();
    let mut dice = Dice::new(52);
    let mut seen = Vec::new();
    for _ in 0..ground.rows(150) {
        table.push(spoil_found::call(&places, &cells, dice.index(2)));
        seen.push(table.push(look_narrow::call(&cells, dice.index(2))));
    }
    let report = ground.run(&table)?;
    for ticket in seen {
        expect_eq!(report.outcome(ticket), Outcome::Committed(7), "what a looker saw");
    }
    expect_eq!(cells.to_vec()?, [7; 2], "the elements");
    Ok(())
}

/// Copies from spoilt elements to others, and from those on: one dirty read would spoil everything behind it.
pub(super) fn dirty_values_spread(ground: &Ground) -> Verdict {
    let cells = ground.shared(&[1_i64, 2, 3, 4, 5, 6])?;
    let mut table = ground.table();
    let mut dice = Dice::new(53);
    let mut copied = Vec::new();
    for _ in 0..ground.rows(120) {
        table.push(spoil_and_refuse::call(&cells, dice.index(6), dice.index(6)));
        copied.push(table.push(copy_on::call(&cells, dice.index(6), dice.index(6))));
        table.push(spoil_run::call(&cells, dice.index(3), dice.index(4)));
    }
    let report = ground.run(&table)?;
    all_good(&report, copied)?;
    let cells = cells.to_vec()?;
    expect!(cells.iter().all(|value| (1..=6).contains(value)), "not copied from one another: {cells:?}");
    Ok(())
}

/// Aborted writes to several elements under one lock word, some of them in rounds: every old value comes back.
pub(super) fn undone_under_one_lock(ground: &Ground) -> Verdict {
    for coverage in [2, 8] {
        let start: Vec<i64> = (0..8).map(|at| 1000 * (at + 1)).collect();
        let cells = ground.device.shared_with(&start, coverage)?;
        let mut table = ground.table();
        let mut dice = Dice::new(54);
        let (mut seen, mut sums) = (Vec::new(), Vec::new());
        for row in 0..ground.rows(60) {
            table.push(spoil_run::call(&cells, dice.index(5), dice.index(4)));
            table.push(spoil_and_refuse::call(&cells, dice.index(8), dice.index(8)));
            table.push(transfer::call(&cells, dice.index(8), dice.index(8), 1));
            match row % 2 {
                0 => seen.push(table.push(look::call(&cells, dice.index(8)))),
                _ => sums.push(table.push(audit::call(&cells, 0, 8))),
            }
        }
        let report = ground.run(&table)?;
        all_good(&report, seen)?;
        for ticket in sums {
            expect_eq!(report.outcome(ticket), Outcome::Committed(36_000), "an audit");
        }
        expect_eq!(cells.to_vec()?.iter().sum::<i64>(), 36_000, "the sum, coverage {coverage}");
    }
    Ok(())
}

/// Postponed transactions that have written: the guard's failure takes that back, however often they are tried.
pub(super) fn dirty_guards(ground: &Ground) -> Verdict {
    let cells = ground.shared(&[7_i64; 4])?;
    let flags = ground.shared(&[0_u32; 4])?;
    let mut table = ground.table();
    let mut dice = Dice::new(55);
    let rows = ground.rows(100);
    let (mut seen, mut stuck) = (Vec::new(), Vec::new());
    for row in 0..rows as u32 {
        let ticket = table.push(spoil_and_wait::call(&cells, &flags, row % 4, i64::from(row)));
        if row % 4 > 1 {
            stuck.push(ticket);
        }
        seen.push(table.push(look::call(&cells, dice.index(4))));
    }
    for at in 0..2 {
        table.push(raise_flag::call(&flags, at));
    }
    let report = ground.run(&table)?;
    all_good(&report, seen)?;
    for ticket in stuck {
        expect_eq!(report.outcome(ticket), Outcome::Unresolved(Why::GuardNeverHeld), "one whose flag stays down");
    }
    expect_eq!(cells.to_vec()?[2..], [7, 7], "the elements of those that wait");
    Ok(())
}

/// As many threads as the emulator is meant for on one to four elements, adding, moving, summing and aborting.
pub(super) fn crowd_on_few_elements(ground: &Ground) -> Verdict {
    for size in [1, 2, 4] {
        let cells = ground.shared(&vec![1000_i64; size])?;
        let mut table = ground.table();
        if ground.is_emulated() {
            table.threads(ground.bearable(128));
        }
        let added = crowd(ground, &mut table, &cells);
        let report = ground.run(&table)?;
        expect!(report.unresolved + report.faulted == 0, "left or faulted\n{report}");
        expect_eq!(cells.to_vec()?.iter().sum::<i64>(), 1000 * size as i64 + added, "the sum of {size}");
    }
    Ok(())
}

/// Fills the table; what it adds up to.
fn crowd(ground: &Ground, table: &mut Table, cells: &stm_runtime::Shared<i64>) -> i64 {
    let (n, mut dice, mut added) = (cells.len(), Dice::new(56), 0);
    for row in 0..ground.rows(150) {
        match row % 5 {
            0 | 1 => {
                table.push(increment::call(cells, dice.index(n)));
                added += 1;
            }
            2 => _ = table.push(transfer::call(cells, dice.index(n), dice.index(n), 0)),
            3 => _ = table.push(audit::call(cells, 0, n as u32)),
            _ => _ = table.push(spoil_and_refuse::call(cells, dice.index(n), dice.index(n))),
        }
    }
    added
}
