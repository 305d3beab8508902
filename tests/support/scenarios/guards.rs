//! Guards: what can be enabled is, what cannot is listed, and the run ends.

use stm_runtime::{Outcome, Why};

use crate::failure::Verdict;
use crate::ground::{Dice, Ground};
use crate::kinds::bank::{deposit, transfer};
use crate::kinds::guards::{pass_on, raise_flag, wait_only, wait_torn, write_then_wait};
use crate::kinds::pairs::raise_pair;
use crate::{expect, expect_eq};

/// Waiting rows that nothing can enable, among others that go through.
pub(super) fn nothing_can_enable(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[10_i64; 4])?;
    let flags = ground.shared(&[0_u32; 2])?;
    let mut table = ground.table();
    let (mut stuck, mut good) = (Vec::new(), Vec::new());
    for row in 0..ground.rows(40) as u32 {
        good.push(table.push(transfer::call(&accounts, row % 4, (row + 1) % 4, 0)));
        stuck.push(table.push(transfer::call(&accounts, row % 4, (row + 1) % 4, 1000)));
        table.push(pass_on::call(&flags, 0, 1));
        table.push(wait_only::call(&flags, 1));
    }
    let report = ground.run(&table)?;
    let third = table.len() as u64 / 4;
    expect_eq!((report.committed, report.unresolved), (third, 3 * third), "committed and unresolved");
    expect!(good.iter().all(|t| report.outcome(*t) == Outcome::Committed(())), "a good one did not commit");
    expect!(
        stuck.iter().all(|t| report.outcome(*t) == Outcome::Unresolved(Why::GuardNeverHeld)),
        "a stuck one has another outcome"
    );
    let listed = &report.unresolved_rows[0];
    expect_eq!((listed.row, listed.kind, listed.why), (1, "transfer", Why::GuardNeverHeld), "the first one listed");
    expect_eq!(listed.arguments[2], ("amount", "1000".to_owned()), "its amount");
    expect_eq!(accounts.to_vec()?, [10; 4], "accounts");
    Ok(())
}

/// Everybody waits until another kind brings money, at the very end of the table.
pub(super) fn enabled_by_another_kind(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[0_i64; 4])?;
    let mut table = ground.table();
    let rows = ground.rows(60);
    for row in 0..rows as u32 {
        table.push(transfer::call(&accounts, row % 4, (row + 1) % 4, 5));
    }
    for account in 0..4 {
        table.push(deposit::call(&accounts, account, 5 * rows as i64));
    }
    let report = ground.run_all(&table)?;
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 20 * rows as i64, "the money");
    expect!(report.passes >= 1, "no pass");
    Ok(())
}

/// Each row waits for the one behind it, so that every pass enables few of them.
pub(super) fn enabled_one_by_one(ground: &Ground) -> Verdict {
    let flags = ground.shared(&[0_u32; 101])?;
    let mut table = ground.table();
    for at in 0..100 {
        table.push(pass_on::call(&flags, at + 1, at));
    }
    table.push(raise_flag::call(&flags, 100));
    let report = ground.run_all(&table)?;
    expect_eq!(flags.to_vec()?, [1; 101], "flags");
    expect!(report.is_complete(), "incomplete");
    Ok(())
}

/// Several wait for each flag, and only one of them raises the next one: what enables one enables others beside it.
pub(super) fn enabled_together(ground: &Ground) -> Verdict {
    let flags = ground.shared(&[0_u32; 41])?;
    let mut table = ground.table();
    for at in 0..40 {
        (0..3).for_each(|_| _ = table.push(wait_only::call(&flags, at + 1)));
        table.push(pass_on::call(&flags, at + 1, at));
        (0..3).for_each(|_| _ = table.push(wait_only::call(&flags, at)));
    }
    table.push(raise_flag::call(&flags, 40));
    ground.run_all(&table)?;
    expect_eq!(flags.to_vec()?, [1; 41], "flags");
    Ok(())
}

/// A guard behind a write: postponed rows leave nothing behind.
pub(super) fn guard_after_write(ground: &Ground) -> Verdict {
    let cells = ground.shared(&[0_i64; 8])?;
    let flags = ground.shared(&[0_u32; 8])?;
    let mut table = ground.table();
    for row in 0..ground.rows(80) {
        table.push(write_then_wait::call(&cells, &flags, (row % 8) as u32, row as i64 + 1));
    }
    for at in 0..4 {
        table.push(raise_flag::call(&flags, at));
    }
    let report = ground.run(&table)?;
    let half = ground.rows(80) as u64 / 2;
    expect_eq!((report.committed, report.unresolved), (half + 4, half), "committed and unresolved");
    let cells = cells.to_vec()?;
    expect!(cells[..4].iter().all(|value| *value > 0), "a write is missing: {cells:?}");
    expect_eq!(cells[4..], [0; 4], "the elements of those that wait");
    Ok(())
}

/// A guard that only a torn pair lets through.
pub(super) fn guard_on_torn_pair(ground: &Ground) -> Verdict {
    let halves = ground.shared(&[0_i64; 8])?;
    let seen = ground.shared(&[0_i64; 4])?;
    let mut table = ground.table();
    let mut dice = Dice::new(31);
    let rows = ground.rows(100);
    for _ in 0..rows {
        table.push(raise_pair::call(&halves, dice.index(4), 1));
        table.push(wait_torn::call(&halves, &seen, dice.index(4)));
    }
    let report = ground.run(&table)?;
    expect_eq!((report.committed, report.unresolved), (rows as u64, rows as u64), "committed and unresolved");
    Ok(())
}

/// What enables a row is in a piece that comes after it.
pub(super) fn enabled_by_a_later_piece(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[0_i64; 3])?;
    let mut table = ground.table();
    table.piece_rows(16);
    for row in 0..60 {
        table.push(transfer::call(&accounts, row % 3, (row + 1) % 3, 1));
    }
    for account in 0..3 {
        table.push(deposit::call(&accounts, account, 100));
    }
    let stuck = table.push(transfer::call(&accounts, 0, 1, 1_000_000));
    let report = ground.run(&table)?;
    expect_eq!((report.committed, report.unresolved), (63, 1), "committed and unresolved\n{report}\n");
    expect_eq!(report.outcome(stuck), Outcome::Unresolved(Why::GuardNeverHeld), "the one that cannot");
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 300, "the money");
    Ok(())
}
