//! Invalid input and broken surroundings, each with the typed error or the reported outcome that must result.
//!
//! Faults inside transactions (index out of range, overflow, division by zero, more accesses than declared) are in the
//! conformance suite, for every engine and back end; programs that must not compile are in `ui`.

#[cfg(unix)]
mod cache;
mod calls;
mod children;
mod limits;
mod memory;
mod names;
mod options;
mod programs;
mod surroundings;

use stm_runtime::{Device, EmulatorOptions};
use stm_tests::skip::emulated;

/// Returns the devices that need no GPU.
fn devices() -> Vec<Device> {
    [Device::cpu(2)].into_iter().chain(emulated("bad input in the emulator", EmulatorOptions::threads())).collect()
}
