//! Several devices as one: each copies its part of large memory.

use std::sync::Arc;

use super::numbers;
use super::procedures::transfer;
use crate::backend::Content;
use crate::error::GpuError;
use crate::gpu::backend::{Allocation, Driver, MemoryInfo};
use crate::gpu::cluster::{ClusterBackend, ClusterMemory};
use crate::gpu::device::GpuDevice;
use crate::gpu::emulator::EmulatorBackend;
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

/// The memory of an emulator, of which the first device has all small memory.
struct Divided(Arc<EmulatorBackend>);

/// The bytes from which memory has a part on each device: 100 elements.
const DIVIDED: u64 = 1600;

impl ClusterMemory for Divided {
    fn info(&self) -> Result<MemoryInfo, GpuError> {
        self.0.info()
    }

    fn divided(&self) -> u64 {
        DIVIDED
    }

    fn page(&self) -> usize {
        16
    }

    fn part(&self, of: &Allocation) -> Option<usize> {
        (of.bytes as u64 >= DIVIDED).then(|| of.bytes.div_ceil(2).next_multiple_of(16))
    }

    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        Driver::alloc(&*self.0, what, bytes)
    }

    fn free(&self, allocation: Allocation, content: Option<Content>) {
        Driver::free(&*self.0, allocation, content);
    }

    fn find(&self, content: Content, bytes: usize) -> Option<Allocation> {
        Driver::find(&*self.0, content, bytes)
    }

    fn forget(&self, batch: u64) {
        Driver::forget(&*self.0, batch);
    }
}

#[stm_macros::gpu_transaction(crate = crate)]
fn look(tx: &mut Tx, accounts: &Shared<i64>, at: u32) -> TxResult<i64> {
    tx.read(accounts, at)
}

/// Returns two devices that run launches of more than 64 threads together, if there is a compiler.
fn two() -> Option<Device> {
    let backend = Arc::new(EmulatorBackend::open(EmulatorOptions::threads()).ok()?);
    let devices = vec![backend.clone() as Arc<dyn Driver>, backend.clone()];
    let cluster = ClusterBackend::new(devices, Arc::new(Divided(backend)), 64);
    Some(Device::new(GpuDevice::of(Arc::new(cluster)), "a test".into()))
}

/// A small launch lists nothing, also where transactions wait and come again.
#[test]
fn a_small_launch_is_on_one_device() {
    let Some(device) = two() else { return };
    for threads in [1, 32, 128] {
        let mut balances = [0_i64; 200];
        balances[0] = 10;
        let accounts = device.shared(&balances).unwrap();
        let mut batch = device.batch();
        (0..150).rev().for_each(|at| _ = batch.push(transfer(&accounts, at, at + 1, 10)));
        let report = batch.run_with(&RunOptions::new().engine(Engine::PRIORITY).threads(threads)).unwrap();
        assert_eq!(report.committed, 150, "{threads} threads: {report}");
        assert_eq!(accounts.to_vec().unwrap()[150], 10, "{threads} threads");
    }
}

/// A batch whose elements are all on the first device runs there, unless it writes none.
#[test]
fn one_device_alone_runs_what_it_has_all_of() {
    let Some(device) = two() else { return };
    for (len, writes, alone) in [(99, true, true), (100, true, false), (99, false, false)] {
        let accounts = device.shared(&vec![10_i64; len]).unwrap();
        let mut batch = device.batch();
        for at in 0..60 {
            if writes {
                batch.push(transfer(&accounts, at, at + 1, 1));
            } else {
                batch.push(look::call(&accounts, at));
            }
        }
        let report = batch.run().unwrap();
        assert_eq!(
            (report.committed, accounts.to_vec().unwrap().iter().sum::<i64>()),
            (60, 10 * len as i64),
            "{report}"
        );
        assert_eq!(report.notes.iter().any(|note| note.starts_with("one device of the cluster")), alone, "{report}");
    }
}

/// Each device reads small arrays from a copy: those that nothing changes, and others while transactions only read.
#[test]
fn devices_read_copies_of_small_arrays() {
    let Some(device) = two() else { return };
    let values: Vec<i64> = (0..90).map(|at| 1000 + at * at).collect();
    for writes in [false, true] {
        let accounts = device.shared(&values).unwrap();
        let (mut batch, mut looks) = (device.batch(), Vec::new());
        for at in 0..600 {
            looks.push(batch.push(look::call(&accounts, at % 90)));
            if writes {
                batch.push(transfer(&accounts, at % 90, (at + 7) % 90, 1));
            }
        }
        let engine: Engine = "readers-at-rest".parse().unwrap();
        let report = batch.run_with(&RunOptions::new().engine(engine).check(true).chunk_size(400)).unwrap();
        assert_eq!(report.committed, if writes { 1200 } else { 600 }, "{report}");
        assert_eq!(report.notes.iter().any(|note| note.contains("all devices ran the others")), writes, "{report}");
        if !writes {
            let expected = (0..600).map(|at| Outcome::Committed(values[at % 90]));
            assert!(looks.iter().map(|look| report.outcome(*look)).eq(expected));
        }
    }
}
