//! Transfers: the sum of all balances is constant, for every lock coverage.

use stm_runtime::Shared;

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{
    audit, audit_narrow, deposit, transfer, transfer_between, transfer_between_found, transfer_found, transfer_narrow,
    turn_around,
};
use crate::{expect, expect_all, expect_eq};

/// Transfers between random accounts of an array; all of them can commit.
fn transfers(environment: &Environment, accounts: &Shared<i64>, transactions: usize) -> TestResult {
    let before: i64 = accounts.to_vec()?.iter().sum();
    let mut batch = environment.batch();
    let mut dice = Dice::new(21);
    for _ in 0..transactions {
        let (from, to) = (dice.index(accounts.len()), dice.index(accounts.len()));
        batch.push(transfer::call(accounts, from, to, dice.below(5) as i64));
    }
    environment.run_all(&batch)?;
    let after = accounts.to_vec()?;
    expect_eq!(after.iter().sum::<i64>(), before, "the money");
    expect!(after.iter().all(|balance| *balance >= 0), "overdrawn: {after:?}");
    Ok(())
}

pub(super) fn money_is_conserved(environment: &Environment) -> TestResult {
    for accounts in [2, 10, 1000] {
        let accounts = environment.shared(&vec![100_000_i64; accounts])?;
        transfers(environment, &accounts, environment.transactions(300))?;
    }
    Ok(())
}

/// Transfers from an account to itself, and between accounts that two parameters name in either order.
pub(super) fn same_account(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[50_i64, 50])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(100) as u32 {
        batch.push(transfer::call(&accounts, transaction % 2, transaction % 2, 30));
    }
    environment.run_all(&batch)?;
    expect_eq!(accounts.to_vec()?, [50, 50], "accounts after transfers to themselves");
    transfers(environment, &accounts, 0)?;
    let one = environment.shared(&[1_000_000_i64])?;
    transfers(environment, &one, environment.transactions(100))
}

pub(super) fn money_is_conserved_narrow(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[100_000_i32; 6])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(22);
    let mut audits = Vec::new();
    for transaction in 0..environment.transactions(300) {
        if transaction % 8 == 7 {
            audits.push(batch.push(audit_narrow::call(&accounts, 0, 6)));
        } else {
            batch.push(transfer_narrow::call(&accounts, dice.index(6), dice.index(6), dice.below(5) as i32));
        }
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, audits, 600_000, "an audit");
    Ok(())
}

/// Ten addresses known before the body, of ten elements or fewer. If these are all elements, their sum is known.
pub(super) fn ten_at_a_time(environment: &Environment) -> TestResult {
    for size in [5, 10] {
        let before: Vec<i64> = (0..size as i64).collect();
        let ring = environment.shared(&before)?;
        let mut batch = environment.batch();
        let mut dice = Dice::new(25);
        let mut sums = Vec::new();
        for _ in 0..environment.transactions(80) {
            let (at, by) = (dice.index(size) as usize, dice.index(3) as usize + 1);
            let all = (size == 10 && by != 2).then_some(45);
            let ticket = batch.push(turn_around::call(&ring, at, by, all));
            sums.extend(all.map(|_| ticket));
        }
        let report = environment.run_all(&batch)?;
        expect_all!(report, sums, 45, "what ten have together");
        let mut after = ring.to_vec()?;
        after.sort_unstable();
        expect_eq!(after, before, "what is in the ring");
    }
    Ok(())
}

/// Several elements under one lock word, of which a transaction accesses two: locked before the body, and during it.
pub(super) fn same_lock(environment: &Environment) -> TestResult {
    for coverage in [2, 4] {
        let accounts = environment.device.shared_with(&[100_000_i64; 8], coverage)?;
        transfers(environment, &accounts, environment.transactions(150))?;
        found_transfers(environment, &accounts)?;
    }
    Ok(())
}

/// One lock word for everything.
pub(super) fn coverage_beyond_the_array(environment: &Environment) -> TestResult {
    let accounts = environment.device.shared_with(&[100_000_i64; 5], 64)?;
    transfers(environment, &accounts, environment.transactions(100))?;
    found_transfers(environment, &accounts)
}

fn found_transfers(environment: &Environment, accounts: &Shared<i64>) -> TestResult {
    let before: i64 = accounts.to_vec()?.iter().sum();
    let names: Vec<u32> = (0..accounts.len() as u32).collect();
    let places = environment.device.shared_with(&names, accounts.coverage())?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(23);
    let mut audits = Vec::new();
    for transaction in 0..environment.transactions(120) {
        if transaction % 10 == 9 {
            audits.push(batch.push(audit::call(accounts, 0, accounts.len() as u32)));
        } else {
            let (at, to) = (dice.index(accounts.len()), dice.index(accounts.len()));
            batch.push(transfer_found::call(&places, accounts, at, to, dice.below(5) as i64));
        }
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, audits, before, "an audit");
    Ok(())
}

/// Read-only transactions over all elements, against writers of all elements.
pub(super) fn long_readers_and_writers(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[1000_i64; 48])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(24);
    let mut audits = Vec::new();
    for transaction in 0..environment.transactions(200) {
        if transaction % 4 == 3 {
            audits.push(batch.push(audit::call(&accounts, 0, 48)));
        } else {
            batch.push(transfer::call(&accounts, dice.index(48), dice.index(48), 1));
        }
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, audits, 48_000, "an audit");
    // Again with deposits: sums grow, and no audit may see a partial deposit.
    let mut batch = environment.batch();
    for _ in 0..environment.transactions(60) {
        batch.push(deposit::call(&accounts, dice.index(48), 1));
        batch.push(audit::call(&accounts, dice.index(24), 24));
    }
    environment.run_all(&batch)?;
    Ok(())
}

/// Two procedures on pairs of arrays, with enough pairs that they share code, and one procedure with code of its own. Each array
/// is also paired with itself.
pub(super) fn many_arrays(environment: &Environment) -> TestResult {
    let arrays: Vec<Shared<i64>> = (0..4).map(|_| environment.shared(&[100_000_i64; 4])).collect::<Result<_, _>>()?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(29);
    for transaction in 0..environment.transactions(400) {
        let (from, to) = (&arrays[transaction % 4], &arrays[transaction / 4 % 4]);
        match dice.below(5) {
            0 => _ = batch.push(transfer::call(&arrays[2], dice.index(4), dice.index(4), dice.below(5) as i64)),
            1 | 2 => _ = batch.push(transfer_between::call(from, to, dice.index(4), dice.below(5) as i64)),
            _ => _ = batch.push(transfer_between_found::call(from, to, dice.index(4), dice.below(5) as i64)),
        }
    }
    let report = environment.run_all_with(&batch, &environment.options().profile(true))?;
    expect_eq!(report.committed, batch.len() as u64, "commits\n{report}");
    let mut money = 0;
    for array in &arrays {
        money += array.to_vec()?.iter().sum::<i64>();
    }
    expect_eq!(money, 1_600_000, "the money of all arrays");
    Ok(())
}
