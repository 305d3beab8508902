//! Updates in any order, in a run that could end before all of them are decided upon: here every run is taken for one
//! (`SHORT_VISITS` in `schedule/visits.rs`), so that the changes of those that pass are summed up.

use crate::EmulatorOptions;
use crate::prelude::*;

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
