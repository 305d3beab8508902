//! Tests that depend on the environment of a process run in a process of their own: this program, started again.

use std::path::Path;
use std::process::{Command, Output};

use stm_runtime::nvrtc::Nvrtc;
use stm_runtime::raw::Gpu;
use stm_runtime::{Device, EmulatorOptions};
use stm_tests::procedures::bank::transfer;

/// The variable that gives the second process its task.
const TASK: &str = "STM_TEST_TASK";

/// Returns a command that starts this program with that task and environment.
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

/// Returns the output of a finished second process.
pub(super) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs the task of the second process. Without a task it does nothing.
#[test]
#[ignore = "started by other tests"]
fn second_process() {
    match std::env::var(TASK).as_deref() {
        Ok("emulate") => emulate(),
        Ok("memory") => super::memory::work(),
        Ok("save") => super::surroundings::save(),
        Ok("nvrtc") => match Nvrtc::find() {
            Ok(found) => println!("found {}", found.path().display()),
            Err(error) => println!("error {error}"),
        },
        Ok("break") => break_the_context(),
        Ok("auto") => println!("auto {}", Device::auto().expect("some device").reason()),
        _ => {}
    }
}

/// Runs a small batch in the emulator. Prints the notes of the report.
fn emulate() {
    let device = match Device::emulated(EmulatorOptions::threads()) {
        Ok(device) => device,
        Err(error) => return println!("error {error}"),
    };
    let accounts = device.shared(&[10_i64; 4]).expect("room for four accounts");
    let mut batch = device.batch();
    for transaction in 0..20 {
        batch.push(transfer::call(&accounts, transaction % 4, (transaction + 1) % 4, 1));
    }
    match batch.run() {
        Ok(report) => println!("committed {}, notes {:?}", report.committed, report.notes),
        Err(error) => println!("error {error}"),
    }
}

/// Lets a hand-written kernel write to an invalid address, and then uses the device again. Prints the result of each step.
fn break_the_context() {
    let (device, gpu) = match (Device::cuda(0), Gpu::cuda(0)) {
        (Ok(device), Ok(gpu)) => (device, gpu),
        (Err(error), _) | (_, Err(error)) => return println!("no device: {error}"),
    };
    let accounts = device.shared(&[10_i64; 4]).expect("room for four accounts");
    let run = || {
        let mut batch = device.batch();
        batch.push(transfer::call(&accounts, 0, 1, 1));
        batch.run().map(|report| report.committed)
    };
    println!("before {:?}", run());
    let kernel = "struct stm_params { unsigned long long* at; };\n\
                  extern \"C\" __global__ void stm_run(const __grid_constant__ stm_params p) { *p.at = 1; }";
    let program = gpu.compile(kernel).expect("a kernel that compiles");
    // SAFETY: none: the kernel writes to an address that no buffer has, which the device reports. This process then only reads
    // errors from the device.
    println!("kernel {:?}", unsafe { program.launch(1, 1, &[8]) });
    println!("run {:?}", run());
    println!("read {:?}", accounts.to_vec());
    println!("again {:?}", Device::cuda(0).map(|_| ()));
    println!("auto {}", Device::auto().expect("some device").reason());
}
