//! Push order on a device that takes turns.

use super::procedures::transfer;
use crate::{Device, EmulatorOptions, Engine, Order, RunOptions};

/// Transactions whose guards stay false have one turn, and are counted once.
#[test]
fn a_round_that_commits_nothing_is_the_last_one() {
    const WAITING: u64 = 80;
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let accounts = device.shared(&[0_i64; 4]).unwrap();
    let mut batch = device.batch();
    (0..WAITING).for_each(|k| _ = batch.push(transfer(&accounts, k as u32 % 4, (k as u32 + 1) % 4, 1)));
    for engine in Engine::ALL.iter().filter(|engine| engine.spec().keeps_order()) {
        let options = RunOptions::new().engine(*engine).order(Order::Pushed);
        let report = batch.run_with(&options).unwrap();
        let counts = (report.unresolved, report.postponements, report.passes);
        assert_eq!(counts, (WAITING, WAITING, 1), "{engine}: {report}");
    }
}
