//! Messages of tests that cannot run here.

use std::io::Write;

use stm_runtime::{Device, EmulatorOptions};

/// Prints a line that test harnesses do not capture.
pub fn skipped(what: &str, why: &str) {
    // Not `eprintln`, which a test harness captures.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
}

/// Opens an emulated device. Where this machine cannot have one, prints that the test `what` is skipped.
pub fn emulated(what: &str, options: EmulatorOptions) -> Option<Device> {
    Device::emulated(options).map_err(|why| skipped(what, &why.to_string())).ok()
}
