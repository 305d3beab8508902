//! A plan that hands batches to the host, again and again.

use super::procedures::transfer;
use crate::{Device, EmulatorOptions, RunOptions, Selection};

/// A second run may get the memory of the first one's statuses, with what they were.
#[test]
fn a_second_run_on_the_host_starts_anew() {
    const TRANSACTIONS: u64 = 2000;
    for seed in 0..4 {
        let options = EmulatorOptions { plan: Some(seed), ..EmulatorOptions::threads() };
        let Ok(device) = Device::emulated(options) else { return };
        let accounts = device.shared(&[TRANSACTIONS as i64; 4]).unwrap();
        let mut batch = device.batch();
        (0..TRANSACTIONS).for_each(|k| _ = batch.push(transfer(&accounts, k as u32 % 4, (k as u32 + 1) % 4, 1)));
        for run in 0..3 {
            let report = batch.run_with(&RunOptions::new().engine(Selection::plan())).unwrap();
            assert_eq!(report.committed, TRANSACTIONS, "run {run} of plan {seed}: {report}");
        }
        assert_eq!(accounts.to_vec().unwrap(), [TRANSACTIONS as i64; 4]);
    }
}
