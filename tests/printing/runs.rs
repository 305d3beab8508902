//! Attempts, batches and limits.

use stm_runtime::prelude::*;
use stm_tests::engines_for_whole_arrays;

use crate::places::{everywhere, printed};

/// Prints before its guard.
#[gpu_transaction]
fn take(tx: &mut Tx, data: &Shared<u32>, amount: u32) -> TxResult {
    let left = tx.read(data, 0)?;
    gpu_println!("{amount} of {left}");
    tx.guard(left >= amount)?;
    if amount == 3 {
        return tx.reject(1);
    }
    tx.write(data, 0, left - amount)
}

pub(crate) fn attempts_that_come_to_nothing_print() {
    everywhere(|environment| {
        let data = environment.device.shared(&[5_u32]).expect("there is room");
        let mut batch = environment.device.batch();
        [9, 3, 4].into_iter().for_each(|amount| _ = batch.push(take::call(&data, amount)));
        let (report, lines) = printed(&batch, RunOptions::new().threads(1));
        assert_eq!((report.committed, report.rejected, report.unresolved), (1, 1, 1), "{environment}");
        assert_eq!(lines[..3], ["9 of 5", "3 of 5", "4 of 5"], "{environment}");
        assert!(lines[3..].iter().all(|line| line == "9 of 1") && lines.len() > 3, "{environment}: {lines:?}");
    });
}

/// Counts, and prints the old value.
#[gpu_transaction]
fn count(tx: &mut Tx, data: &Shared<u64>, number: u32) -> TxResult {
    let before = tx.read(data, 0)?;
    gpu_println!("{number} {before}");
    tx.write(data, 0, before + 1)
}

pub(crate) fn a_proof_prints_nothing() {
    const CALLS: u32 = 20;
    everywhere(|environment| {
        for engine in engines_for_whole_arrays() {
            let data = environment.device.shared(&[0_u64]).expect("there is room");
            let mut batch = environment.device.batch();
            (0..CALLS).for_each(|number| _ = batch.push(count::call(&data, number)));
            let (report, lines) = printed(&batch, RunOptions::new().engine(engine).check(true).threads(1));
            assert_eq!(
                (report.committed, report.serializable()),
                (u64::from(CALLS), Some(true)),
                "{environment} {engine}"
            );
            let want: Vec<String> = (0..CALLS).map(|number| format!("{number} {number}")).collect();
            assert_eq!(lines, want, "one attempt each on {environment} under {engine}");
        }
    });
}

/// Prints a number that the first procedure does not print.
#[gpu_transaction]
fn other(_tx: &mut Tx, number: u64) -> TxResult {
    gpu_println!("other {}", number + (1 << 40));
    Ok(())
}

/// Prints nothing.
#[gpu_transaction]
fn silent(tx: &mut Tx, data: &Shared<u64>) -> TxResult {
    tx.update(data, 0, |count| count + 1)
}

pub(crate) fn functions_print_side_by_side() {
    everywhere(|environment| {
        let data = environment.device.shared(&[0_u64, 0]).expect("there is room");
        let mut batch = environment.batch();
        for number in 0..300_u32 {
            batch.push(silent::call(&data));
            batch.push(count::call(&data, number));
            batch.push(other::call(u64::from(number)));
        }
        let (report, lines) = printed(&batch, environment.options());
        assert_eq!(report.committed, 900, "{environment}");
        assert!(report.notes.is_empty(), "{:?}", report.notes);
        let others = lines.iter().filter(|line| line.starts_with("other 10995116")).count();
        assert_eq!(others, 300, "{environment}: nothing conflicts with it");
        let mut numbers: Vec<&str> = lines.iter().filter_map(|line| line.split_once(' ')).map(|(a, _)| a).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 301, "{environment}: each prints at least once");
    });
}

/// Prints some hundred numbers at once.
#[gpu_transaction]
fn flood(_tx: &mut Tx, x: u64) -> TxResult {
    gpu_println!("{:?}", [x; 600]);
    Ok(())
}

/// More lines than a launch keeps.
const MANY: u64 = 3000;

pub(crate) fn lost_lines_are_counted() {
    everywhere(|environment| {
        let mut batch = environment.device.batch();
        (0..MANY).for_each(|x| _ = batch.push(flood::call(x)));
        let (report, lines) = printed(&batch, RunOptions::new().threads(32));
        assert_eq!(report.committed, MANY, "{environment}");
        for line in &lines {
            let number = line[1..].split(',').next().unwrap_or_default();
            assert_eq!(*line, format!("[{}]", [number; 600].join(", ")), "{environment}");
        }
        let lost = MANY - lines.len() as u64;
        if lost == 0 {
            assert!(report.notes.is_empty() && !environment.is_emulated(), "{environment}: {:?}", report.notes);
        } else {
            let expected = format!("are lost: {lost};");
            assert!(
                report.notes.iter().any(|note| note.contains(&expected)),
                "{environment} lost {lost}: {:?}",
                report.notes
            );
        }
        // The next run has an empty buffer again.
        let mut batch = environment.device.batch();
        batch.push(flood::call(7));
        assert_eq!(printed(&batch, RunOptions::new()).1.len(), 1, "{environment}");
    });
}
