//! What depends on the environment of a process runs in a process of its own: this program, started again.

use std::path::Path;
use std::process::{Command, Output};

use stm_runtime::nvrtc::Nvrtc;
use stm_runtime::{Device, EmulatorOptions};
use stm_tests::kinds::bank::transfer;

/// Tells the second process what to do.
const TASK: &str = "STM_TEST_TASK";

/// Starts it with that task and environment.
pub(super) fn child(task: &str, environment: &[(&str, &Path)]) -> Command {
    let program = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(program);
    command.args(["--ignored", "--exact", "children::second_process", "--nocapture", "--test-threads=1"]);
    command.env(TASK, task);
    for (name, value) in environment {
        command.env(name, value);
    }
    command
}

/// What a finished second process said.
pub(super) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What the second process does. On its own it does nothing.
#[test]
#[ignore = "started by other tests"]
fn second_process() {
    match std::env::var(TASK).as_deref() {
        Ok("emulate") => emulate(),
        Ok("nvrtc") => match Nvrtc::find() {
            Ok(found) => println!("found {}", found.path().display()),
            Err(error) => println!("error {error}"),
        },
        Ok("auto") => println!("auto {}", Device::auto().expect("some device").choice()),
        _ => {}
    }
}

/// A small run in the emulator. Prints the notes of the report.
fn emulate() {
    let device = match Device::emulated(EmulatorOptions::threads()) {
        Ok(device) => device,
        Err(error) => return println!("error {error}"),
    };
    let accounts = device.shared(&[10_i64; 4]).expect("room for four accounts");
    let mut table = device.table();
    for row in 0..20 {
        table.push(transfer::call(&accounts, row % 4, (row + 1) % 4, 1));
    }
    match table.run() {
        Ok(report) => println!("committed {}, notes {:?}", report.committed, report.notes),
        Err(error) => println!("error {error}"),
    }
}
