//! Guards: transactions that can be enabled commit, the others are listed as unresolved, and the run ends.

use stm_runtime::{Outcome, UnresolvedReason};

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{deposit, transfer};
use crate::procedures::guards::{pass_on, raise_flag, wait_only, wait_torn, write_then_wait};
use crate::procedures::pairs::raise_pair;
use crate::{expect, expect_eq};

/// Waiting transactions that can never be enabled, among others that commit.
pub(super) fn nothing_can_enable(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[10_i64; 4])?;
    let flags = environment.shared(&[0_u32; 2])?;
    let mut batch = environment.batch();
    let (mut stuck, mut good) = (Vec::new(), Vec::new());
    for transaction in 0..environment.transactions(40) as u32 {
        good.push(batch.push(transfer::call(&accounts, transaction % 4, (transaction + 1) % 4, 0)));
        stuck.push(batch.push(transfer::call(&accounts, transaction % 4, (transaction + 1) % 4, 1000)));
        batch.push(pass_on::call(&flags, 0, 1));
        batch.push(wait_only::call(&flags, 1));
    }
    let report = environment.run(&batch)?;
    let third = batch.len() as u64 / 4;
    expect_eq!((report.committed, report.unresolved), (third, 3 * third), "committed and unresolved");
    expect!(good.iter().all(|t| report.outcome(*t) == Outcome::Committed(())), "a good one did not commit");
    expect!(
        stuck.iter().all(|t| report.outcome(*t) == Outcome::Unresolved(UnresolvedReason::GuardNeverHeld)),
        "a stuck one has another outcome"
    );
    let listed = &report.unresolved_transactions[0];
    expect_eq!(
        (listed.transaction, listed.procedure, listed.reason),
        (1, "transfer", UnresolvedReason::GuardNeverHeld),
        "the first one listed"
    );
    expect_eq!(listed.arguments[2], ("amount", "1000".to_owned()), "its amount");
    expect_eq!(accounts.to_vec()?, [10; 4], "accounts");
    Ok(())
}

/// Transactions that wait until another procedure deposits money, at the very end of the batch.
pub(super) fn enabled_by_another_procedure(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[0_i64; 4])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(60);
    for transaction in 0..transactions as u32 {
        batch.push(transfer::call(&accounts, transaction % 4, (transaction + 1) % 4, 5));
    }
    for account in 0..4 {
        batch.push(deposit::call(&accounts, account, 5 * transactions as i64));
    }
    let report = environment.run_all(&batch)?;
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 20 * transactions as i64, "the money");
    expect!(report.passes >= 1, "no pass");
    Ok(())
}

/// Each transaction waits for the next one in the batch, so that every pass enables few of them.
pub(super) fn enabled_one_by_one(environment: &Environment) -> TestResult {
    let flags = environment.shared(&[0_u32; 101])?;
    let mut batch = environment.batch();
    for at in 0..100 {
        batch.push(pass_on::call(&flags, at + 1, at));
    }
    batch.push(raise_flag::call(&flags, 100));
    let report = environment.run_all(&batch)?;
    expect_eq!(flags.to_vec()?, [1; 101], "flags");
    expect!(report.is_complete(), "incomplete");
    Ok(())
}

/// Several wait for each flag, and only one of them raises the next one: one commit enables several transactions.
pub(super) fn enabled_together(environment: &Environment) -> TestResult {
    let flags = environment.shared(&[0_u32; 41])?;
    let mut batch = environment.batch();
    for at in 0..40 {
        (0..3).for_each(|_| _ = batch.push(wait_only::call(&flags, at + 1)));
        batch.push(pass_on::call(&flags, at + 1, at));
        (0..3).for_each(|_| _ = batch.push(wait_only::call(&flags, at)));
    }
    batch.push(raise_flag::call(&flags, 40));
    environment.run_all(&batch)?;
    expect_eq!(flags.to_vec()?, [1; 41], "flags");
    Ok(())
}

/// A guard after a write: postponed transactions have no effect.
pub(super) fn guard_after_write(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[0_i64; 8])?;
    let flags = environment.shared(&[0_u32; 8])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(80) {
        batch.push(write_then_wait::call(&cells, &flags, (transaction % 8) as u32, transaction as i64 + 1));
    }
    for at in 0..4 {
        batch.push(raise_flag::call(&flags, at));
    }
    let report = environment.run(&batch)?;
    let half = environment.transactions(80) as u64 / 2;
    expect_eq!((report.committed, report.unresolved), (half + 4, half), "committed and unresolved");
    let cells = cells.to_vec()?;
    expect!(cells[..4].iter().all(|value| *value > 0), "a write is missing: {cells:?}");
    expect_eq!(cells[4..], [0; 4], "the elements of those that wait");
    Ok(())
}

/// A guard that only a torn pair makes true.
pub(super) fn guard_on_torn_pair(environment: &Environment) -> TestResult {
    let halves = environment.shared(&[0_i64; 8])?;
    let seen = environment.shared(&[0_i64; 4])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(31);
    let transactions = environment.transactions(100);
    for _ in 0..transactions {
        batch.push(raise_pair::call(&halves, dice.index(4), 1));
        batch.push(wait_torn::call(&halves, &seen, dice.index(4)));
    }
    let report = environment.run(&batch)?;
    expect_eq!(
        (report.committed, report.unresolved),
        (transactions as u64, transactions as u64),
        "committed and unresolved"
    );
    Ok(())
}

/// A transaction that a later chunk enables.
pub(super) fn enabled_by_a_later_chunk(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[0_i64; 3])?;
    let mut batch = environment.batch();
    for transaction in 0..60 {
        batch.push(transfer::call(&accounts, transaction % 3, (transaction + 1) % 3, 1));
    }
    for account in 0..3 {
        batch.push(deposit::call(&accounts, account, 100));
    }
    let stuck = batch.push(transfer::call(&accounts, 0, 1, 1_000_000));
    let report = environment.run_with(&batch, &environment.options().chunk_size(16))?;
    expect_eq!((report.committed, report.unresolved), (63, 1), "committed and unresolved\n{report}\n");
    expect_eq!(report.outcome(stuck), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld), "the one that cannot");
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 300, "the money");
    Ok(())
}
