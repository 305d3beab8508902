//! Several devices as one: each copies its part of large memory.

use super::numbers;
use super::procedures::transfer;
use crate::prelude::*;
use crate::{EmulatorOptions, Engine};

/// Elements go up and down, move from one layout to another, and are repeated, in parts whose borders are within elements.
#[test]
fn each_device_copies_its_part() {
    const LEN: u64 = 5003;
    for devices in [2, 3] {
        let Ok(device) = Device::emulated(EmulatorOptions { devices, ..EmulatorOptions::threads() }) else { return };
        let mut expected: Vec<i64> = (0..LEN as i64).map(|at| 1000 + at * at).collect();
        let accounts = device.shared(&expected).unwrap();
        let alike = device.shared(&vec![7_i64; LEN as usize]).unwrap();
        for name in ["priority", "istm", "priority"] {
            let engine: Engine = name.parse().unwrap();
            let (mut batch, mut next) = (device.batch(), numbers(3));
            for _ in 0..3000 {
                let [from, to] = [next(LEN), next(LEN)];
                batch.push(transfer(&accounts, from as u32, to as u32, 1));
                batch.push(transfer(&alike, from as u32, from as u32, 1));
                expected[from as usize] -= 1;
                expected[to as usize] += 1;
            }
            let report = batch.run_with(&RunOptions::new().engine(engine)).unwrap();
            assert_eq!(report.committed, 6000, "{report}");
            assert_eq!(accounts.to_vec().unwrap(), expected, "{devices} devices, {engine}");
            assert_eq!(alike.to_vec().unwrap(), [7; LEN as usize], "{devices} devices, {engine}");
        }
    }
}
