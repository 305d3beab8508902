//! Clusters, on a fake driver with two devices.

use std::sync::Arc;

use super::nvrtc::Nvrtc;
use super::peers::cluster;
use super::tests::run;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice, HostSliceMut};

/// More than the smallest memory that is divided: two pages of 4 KiB for each device.
const LARGE: usize = 5 * 4096;

#[test]
fn devices_share_memory_or_say_why_not() {
    // A device without a compiler is not opened.
    if let Err(why) = Nvrtc::find() {
        return eprintln!("SKIPPED: {why}");
    }
    run("_peers::large_memory_has_a_part_on_each_device", &[("FAKE_COUNT", "2")]);
    run("_peers::what_does_not_fit_is_said", &[("FAKE_COUNT", "2"), ("FAKE_TOTAL", "65536")]);
    run("_peers::devices_without_atomics_are_refused", &[("FAKE_COUNT", "2"), ("FAKE_ATOMICS", "0")]);
}

fn open() -> Arc<dyn Driver> {
    cluster(&[], false).unwrap()
}

#[test]
#[ignore = "started by devices_share_memory_or_say_why_not"]
fn large_memory_has_a_part_on_each_device() {
    let devices = open();
    assert_eq!(devices.describe(), "2 devices together: cuda:0 Fake (sm_90, 4 multiprocessors)");
    assert_eq!(devices.limits().threads, 2 * 4 * 512);
    let small = DeviceBuffer::new(&devices, "test", 100).unwrap();
    let before = devices.memory().unwrap();
    let large = DeviceBuffer::zeroed(&devices, "test", LARGE).unwrap();
    // Its middle is on another device than its ends, and copies do not notice.
    large.upload(4096 * 2 - 8, HostSlice::U64(&[1, 2, 3])).unwrap();
    let mut words = [9; 4];
    large.download(4096 * 2 - 16, HostSliceMut::U64(&mut words)).unwrap();
    assert_eq!(words, [0, 1, 2, 3]);
    let address = large.address();
    assert!(small.address() != address);
    drop(large);
    // Kept memory counts as free, and is used again.
    assert_eq!(devices.memory().unwrap(), before);
    assert_eq!(DeviceBuffer::new(&devices, "test", LARGE).unwrap().address(), address);
    assert!(Arc::ptr_eq(&devices, &open()), "a process has one");
}

#[test]
#[ignore = "started by devices_share_memory_or_say_why_not"]
fn what_does_not_fit_is_said() {
    let devices = open();
    let before = devices.memory().unwrap();
    let error = DeviceBuffer::new(&devices, "much", 1 << 20).map(|_| ()).unwrap_err();
    assert_eq!(error, GpuError::OutOfMemory { what: "much", needed: 1 << 20, free: before.free });
    assert_eq!(devices.memory().unwrap(), before);
}

#[test]
#[ignore = "started by devices_share_memory_or_say_why_not"]
fn devices_without_atomics_are_refused() {
    let why = cluster(&[0, 1], false).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("CUDA devices 0 and 1 cannot share memory: the link between them has no atomics"), "{why}");
    let why = cluster(&[1, 1], false).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("they are one device"), "{why}");
    assert_eq!(cluster(&[1], false).unwrap().describe(), "cuda:1 Fake (sm_90, 4 multiprocessors)");
}
