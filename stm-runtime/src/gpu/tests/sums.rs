//! Updates in any order, in a run that could end before all of them are decided upon: here every run is taken for one
//! (`SHORT_VISITS` in `schedule/visits.rs`), so that the changes of those that pass are summed up.

use crate::prelude::*;
use crate::{EmulatorOptions, Selection};

#[stm_macros::gpu_transaction(crate = crate)]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    tx.update(accounts, to, |balance| balance + amount)
}

#[test]
fn what_passes_changes_elements_once_and_what_does_not_pass_runs_later() {
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let accounts = device.shared(&[1000_i64, 10, 0]).unwrap();
    let mut batch = device.with_engine("commuting").unwrap().batch();
    for _ in 0..50 {
        batch.push(pay::call(&accounts, 0, 2, 3));
        batch.push(pay::call(&accounts, 1, 2, 4));
    }
    let report = batch.run().unwrap();
    assert_eq!((report.committed, report.unresolved), (52, 48), "{report}");
    assert_eq!(accounts.to_vec().unwrap(), [850, 2, 158]);
}

/// A part of the batch shows that most accounts have too little, so nothing more is summed up.
#[test]
fn where_many_have_too_little_all_run_under_locks() {
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    for (start, pay_all) in [(3_i64, false), (1000, true)] {
        let accounts = device.shared(&[start; 512]).unwrap();
        let mut batch = device.with_engine("commuting").unwrap().batch();
        for k in 0..2048_u32 {
            batch.push(pay::call(&accounts, k % 512, (k * 7 + 1) % 512, 2));
        }
        let report = batch.run().unwrap();
        let found = accounts.to_vec().unwrap();
        assert_eq!(found.iter().sum::<i64>(), 512 * start, "{report}");
        assert!(found.iter().all(|balance| *balance >= 0), "{report}");
        assert_eq!(report.unresolved == 0, pay_all || report.committed == 2048, "{report}");
        // Under locks there are conflicts, or attempts that wait.
        assert_eq!(report.conflicts.total() + report.postponements == 0, pay_all, "{report}");
    }
}

/// What the stages leave has turns in one block, where the plan begins on the device and there are not very few elements.
#[test]
fn what_is_left_of_any_order_has_turns() {
    const TRANSACTIONS: usize = 1000;
    const ACCOUNTS: u32 = 96;
    let mut have_had_turns = false;
    for seed in 0..8 {
        // More threads than have accounts of their own.
        let options = EmulatorOptions { plan: Some(seed), threads: 256, ..EmulatorOptions::threads() };
        let Ok(device) = Device::emulated(options) else { return };
        let accounts = device.shared(&[3_i64; ACCOUNTS as usize]).unwrap();
        let (mut batch, mut tickets) = (device.batch(), Vec::new());
        for k in 0..TRANSACTIONS as u32 {
            let (from, amount) = (k * 7 % ACCOUNTS, 1 + i64::from(k % 3));
            tickets.push((from, amount, batch.push(pay::call(&accounts, from, k * 11 % (ACCOUNTS - 1), amount))));
        }
        let report = batch.run_with(&RunOptions::new().engine(Selection::plan())).unwrap();
        let found = accounts.to_vec().unwrap();
        assert_eq!(found.iter().sum::<i64>(), 3 * i64::from(ACCOUNTS), "seed {seed}: {report}");
        assert!(found.iter().all(|balance| *balance >= 0), "seed {seed}: {found:?}");
        assert_eq!(report.committed + report.unresolved, TRANSACTIONS as u64, "seed {seed}: {report}");
        for (from, amount, ticket) in tickets {
            let can_pay = found[from as usize] >= amount;
            assert!(!can_pay || report.outcome(ticket) == Outcome::Committed(()), "seed {seed}: {from} pays {amount}");
        }
        have_had_turns |= report.steps().iter().any(|step| step.method.to_string().starts_with("in-turns"));
    }
    assert!(have_had_turns);
}
