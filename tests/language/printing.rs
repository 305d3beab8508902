//! `gpu_println!` prints where the transaction runs.

use std::process::Command;

use stm_runtime::prelude::*;
use stm_tests::{Backend, Ground};

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
enum Colour {
    Red,
    Green,
}

#[gpu_fn]
fn shout(x: i8, half: f32) {
    gpu_println!("x is {x} and half {half}");
}

#[gpu_transaction]
fn show(tx: &mut Tx, data: &Shared<u64>, pair: (bool, Option<i16>), colour: Colour) -> TxResult {
    let value = tx.read(data, 0)?;
    gpu_println!("{value} {{}} 100% {pair:?} {colour:?}");
    gpu_println!("{}, {:?}, {}", value + 1, [1_u8, 2], true);
    gpu_println!();
    shout(-5, 0.5);
    Ok(())
}

const LINES: [&str; 4] = [
    "18446744073709551610 {} 100% (true, Some(-3)) Green",
    "18446744073709551611, [1, 2], true",
    "",
    "x is -5 and half 0.5",
];

/// Where a process of this test prints to.
const PLACE: &str = "STM_TEST_PRINT";

#[test]
fn it_prints() {
    for backend in ["cpu", "threads", "fibers", "cuda:0"] {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(program);
        child.args(["--exact", "printing::prints_in_a_process", "--ignored", "--nocapture"]).env(PLACE, backend);
        let output = child.output().expect("it should start");
        let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
        if text.contains("no back end") {
            stm_tests::skip::skipped(&format!("printing on {backend}"), "it is not here");
            continue;
        }
        assert!(output.status.success(), "{backend}\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(&LINES.join("\n")), "{backend} prints\n{text}");
    }
}

#[test]
#[ignore = "a process of its own runs it"]
fn prints_in_a_process() {
    let backend = match std::env::var(PLACE).as_deref() {
        Ok("cpu") => Backend::Cpu,
        Ok("threads") => Backend::EmulatedThreads,
        Ok("cuda:0") => Backend::Gpu { ordinal: 0, threads: None },
        Ok("fibers") => Backend::EmulatedFibers { seed: 1 },
        _ => return,
    };
    let Ok(ground) = Ground::new(backend, Engine::default()) else { return println!("no back end") };
    let data = ground.shared(&[u64::MAX - 5]).unwrap();
    let mut table = ground.device.table();
    table.threads(1);
    table.push(show::call(&data, (true, Some(-3)), Colour::Green));
    assert_eq!(table.run().unwrap().committed, 1);
    let _ = Colour::Red;
}
