//! Standard output: lines arrive there, and a run does not depend on it. Child processes of this program print.

use std::fs::OpenOptions;
use std::process::{Command, ExitCode, Stdio};

use stm_runtime::prelude::*;

use crate::places::{environment, names};

/// The variable that makes a process of this program print, and names its place.
const PLACE: &str = "STM_TEST_PRINT";
/// The sum of all accounts.
const MONEY: i64 = 20 * 1000;
/// The number of transfers of a child.
const TRANSFERS: u32 = 4000;

#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    gpu_println!("{} \u{1}\0 {} {:?}", from, balance, 0.1 + 0.2);
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// Runs the child, if this process is one. It prints its result on standard error.
pub(crate) fn child() -> Option<ExitCode> {
    let environment = environment(&std::env::var(PLACE).ok()?);
    let accounts = environment.device.shared(&[1000_i64; 20]).expect("there is room");
    let mut batch = environment.device.batch();
    for k in 0..TRANSFERS {
        batch.push(transfer::call(&accounts, k % 20, (k * 7 + 1) % 20, 1));
    }
    gpu_println!();
    gpu_println!("a line of the host: {}", 1);
    // Few threads, so that aborted attempts do not print more than a launch keeps.
    let report = batch.run_with(&RunOptions::new().threads(8)).expect("the batch should run");
    let money: i64 = accounts.to_vec().expect("the accounts are there").iter().sum();
    eprintln!("committed {}, money {money}, notes {:?}", report.committed, report.notes);
    Some(ExitCode::SUCCESS)
}

fn start(place: &str, output: Stdio) -> (Vec<u8>, String) {
    let program = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(program);
    child.env(PLACE, place).stdout(output).stderr(Stdio::piped());
    let output = child.spawn().and_then(|child| child.wait_with_output()).expect("it should start");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{place} ended with {}\n{errors}", output.status);
    assert!(errors.contains(&format!("committed {TRANSFERS}, money {MONEY}, notes ")), "{place}: {errors}");
    (output.stdout, errors)
}

pub(crate) fn lines_go_to_standard_output() {
    for place in names() {
        let (text, errors) = start(place, Stdio::piped());
        let text = String::from_utf8(text).expect("it prints text");
        assert!(text.starts_with("\na line of the host: 1\n"), "{place}");
        let lines = text.lines().skip(2).filter(|line| line.ends_with(" 0.30000000000000004")).count();
        assert!(lines >= TRANSFERS as usize && lines + 2 == text.lines().count(), "{place}: {lines} lines");
        assert!(text.contains("3 \u{1}\0 "), "{place}");
        assert!(errors.contains("notes []"), "{place}: {errors}");
    }
}

pub(crate) fn a_run_does_not_need_its_output() {
    for place in names() {
        // The other end is closed.
        let (_, closed) = std::io::pipe().expect("there are pipes");
        let (_, errors) = start(place, closed.into());
        assert!(errors.contains("could not be written to standard output"), "{place}: {errors}");
        if let Ok(full) = OpenOptions::new().write(true).open("/dev/full") {
            let (_, errors) = start(place, full.into());
            assert!(errors.contains("could not be written to standard output"), "{place}: {errors}");
        }
    }
}
