//! A plan that hands batches to the host, again and again.

use super::procedures::transfer;
use crate::gpu::backend::{ALONG, HostUse, LISTED_FROM, Limits};
use crate::gpu::schedule::place::Place;
use crate::gpu::schedule::{choice, remembered};
use crate::{Device, EmulatorOptions, Engine, Order, RunOptions, Selection};

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

#[test]
fn a_place_that_was_left_is_not_the_first_one_of_the_next_run() {
    const DEVICE: Limits = Limits {
        block: 256,
        threads: 1 << 16,
        shared: 1 << 15,
        spread: true,
        host: HostUse::Never,
        along: ALONG,
        lists: LISTED_FROM,
    };
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let accounts = device.shared(&[100_i64; 64]).unwrap();
    let mut batch = device.batch();
    (0..64).for_each(|k| _ = batch.push(transfer(&accounts, k, (k + 1) % 64, 1)));
    let options = RunOptions::new().order(Order::Pushed).resolve(&Selection::plan());
    let job = batch.job(&options);
    let engines = || -> Vec<Engine> {
        choice::in_push_order(&job, DEVICE, || remembered::demand(&job)).iter().map(|turns| turns.engine).collect()
    };
    let first = engines();
    remembered::leave(&job, Place::Device(first[0]), 1.0);
    assert_eq!(engines(), first[1..]);
}
