//! Invalid input and broken surroundings, each with the typed error or the reported outcome that must result.
//!
//! Faults inside transactions (index out of range, overflow, division by zero, more accesses than declared) are in the
//! conformance suite, for every engine and back end; programs that must not compile are in `ui`.

#[cfg(unix)]
#[path = "bad_input/cache.rs"]
mod cache;
#[path = "bad_input/calls.rs"]
mod calls;
#[path = "bad_input/children.rs"]
mod children;
#[path = "bad_input/limits.rs"]
mod limits;
#[path = "bad_input/memory.rs"]
mod memory;
#[path = "bad_input/names.rs"]
mod names;
#[path = "bad_input/options.rs"]
mod options;
#[path = "bad_input/programs.rs"]
mod programs;
#[path = "bad_input/surroundings.rs"]
mod surroundings;

use stm_runtime::{Device, EmulatorOptions};
use stm_tests::skip::skipped;

/// Returns the devices that need no GPU.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::cpu(2)];
    match Device::emulated(EmulatorOptions::threads()) {
        Ok(device) => devices.push(device),
        Err(why) => skipped("bad input in the emulator", &why.to_string()),
    }
    devices
}
