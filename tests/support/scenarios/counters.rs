//! Increments: every addition must be in the final value, and every transaction must have read a different value.

use stm_runtime::{Outcome, Shared, Ticket};

use crate::environment::{Dice, Environment};
use crate::failure::{Failure, TestResult};
use crate::procedures::counters::{
    increment, increment_found, increment_found_narrow, increment_narrow, increment_run, look, look_narrow, total,
};
use crate::procedures::endings::grow_wrapping;
use crate::{expect, expect_eq};

/// Numbers of counters that a batch shares.
const SIZES: [usize; 3] = [1, 2, 4];

pub(super) fn lost_update(environment: &Environment) -> TestResult {
    for size in SIZES {
        let counters = environment.shared(&vec![0_i64; size])?;
        let mut batch = environment.batch();
        let transactions = environment.transactions(200);
        for transaction in 0..transactions {
            batch.push(increment::call(&counters, (transaction * 7 % size) as u32));
        }
        environment.run_all(&batch)?;
        expect_eq!(counters.to_vec()?.iter().sum::<i64>(), transactions as i64, "sum of {size} counters");
    }
    Ok(())
}

pub(super) fn lost_update_narrow(environment: &Environment) -> TestResult {
    for size in SIZES {
        let counters = environment.shared(&vec![0_i32; size])?;
        let mut batch = environment.batch();
        let transactions = environment.transactions(200);
        for transaction in 0..transactions {
            batch.push(increment_narrow::call(&counters, (transaction % size) as u32));
        }
        environment.run_all(&batch)?;
        expect_eq!(counters.to_vec()?.iter().sum::<i32>(), transactions as i32, "sum of {size} counters");
    }
    Ok(())
}

/// Indices that are read, so that no engine can know them before the body; wide and narrow counters.
pub(super) fn lost_update_found(environment: &Environment) -> TestResult {
    let places = environment.shared(&[0_u32, 1, 0, 1])?;
    let wide = environment.shared(&[0_i64; 2])?;
    let narrow = environment.shared(&[0_i32; 2])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(1);
    let transactions = environment.transactions(100);
    let wide_tickets: Vec<_> =
        (0..transactions).map(|_| batch.push(increment_found::call(&places, &wide, dice.index(4)))).collect();
    let narrow_tickets: Vec<_> =
        (0..transactions).map(|_| batch.push(increment_found_narrow::call(&places, &narrow, dice.index(4)))).collect();
    let report = environment.run_all(&batch)?;
    let seen = wide_tickets.into_iter().map(|ticket| committed(&report, ticket)).collect::<Result<Vec<_>, _>>()?;
    all_different(seen, &wide.to_vec()?)?;
    let narrow_seen = narrow_tickets.into_iter().map(|ticket| committed(&report, ticket).map(i64::from));
    let finals: Vec<i64> = narrow.to_vec()?.into_iter().map(i64::from).collect();
    all_different(narrow_seen.collect::<Result<Vec<_>, _>>()?, &finals)
}

/// One at a time in the order of the proof, each transaction counts one more than the one before it.
pub(super) fn proved_order(environment: &Environment) -> TestResult {
    let (places, counter) = (environment.shared(&[0_u32])?, environment.shared(&[0_i64])?);
    let mut batch = environment.batch();
    let transactions = environment.transactions(50);
    let tickets: Vec<_> = (0..transactions).map(|_| batch.push(increment_found::call(&places, &counter, 0))).collect();
    let report = environment.run_all(&batch)?;
    let order = report.proof.iter().flat_map(|proof| proof.order());
    let seen = order.map(|at| committed(&report, tickets[*at as usize])).collect::<Result<Vec<_>, _>>()?;
    let expected = if report.proof.is_some() { transactions as i64 } else { 0 };
    expect_eq!(seen, (0..expected).collect::<Vec<_>>(), "the results in that order");
    Ok(())
}

fn committed<R: stm_runtime::GpuData>(report: &stm_runtime::Report, ticket: Ticket<R>) -> Result<R, Failure> {
    match report.outcome(ticket) {
        Outcome::Committed(result) => Ok(result),
        _ => Err(Failure::Outcome(format!("transaction {} did not commit", ticket.transaction()))),
    }
}

/// Checks that each value below a counter's final value was read once.
fn all_different(mut seen: Vec<i64>, finals: &[i64]) -> TestResult {
    let mut expected: Vec<i64> = finals.iter().flat_map(|last| 0..*last).collect();
    seen.sort_unstable();
    expected.sort_unstable();
    expect!(seen == expected, "increments saw {seen:?}");
    Ok(())
}

pub(super) fn lost_update_in_loops(environment: &Environment) -> TestResult {
    let counters = environment.shared(&[0_i64; 12])?;
    runs_and_sums(
        environment,
        &counters,
        Runs { transactions: environment.transactions(120), seed: 2, sums: 6, longer_than: 0 },
    )
}

/// A batch of runs of increments, of 1 to 8 elements at random places, and sums over all elements.
struct Runs {
    transactions: usize,
    seed: u64,
    /// One of every `sums` transactions is a sum.
    sums: usize,
    /// The lower bound of the length of runs, exclusive.
    longer_than: usize,
}

fn runs_and_sums(environment: &Environment, counters: &Shared<i64>, runs: Runs) -> TestResult {
    let length = counters.len() as u32;
    let mut batch = environment.batch();
    let mut dice = Dice::new(runs.seed);
    let (mut added, mut sums) = (0, Vec::new());
    for transaction in 0..runs.transactions {
        let n = dice.index(8 - runs.longer_than) + 1 + runs.longer_than as u32;
        if transaction % runs.sums == runs.sums - 1 {
            sums.push(batch.push(total::call(counters, length)));
        } else {
            batch.push(increment_run::call(counters, dice.index(counters.len() - 7), n));
            added += i64::from(n);
        }
    }
    let report = environment.run_all(&batch)?;
    expect_eq!(counters.to_vec()?.iter().sum::<i64>(), added, "sum of counters");
    for ticket in sums {
        let sum = committed(&report, ticket)?;
        expect!((0..=added).contains(&sum), "a sum of {sum}");
    }
    Ok(())
}

/// Transactions that read one element and nothing else: the proof knows the value at each version.
pub(super) fn single_reads(environment: &Environment) -> TestResult {
    for coverage in [1, 2] {
        let wide = environment.device.shared_with(&[0_i64; 2], coverage)?;
        let narrow = environment.device.shared_with(&[0_i32; 2], coverage)?;
        let mut batch = environment.batch();
        let mut dice = Dice::new(3);
        let transactions = environment.transactions(80);
        let mut looks = Vec::new();
        for _ in 0..transactions {
            batch.push(increment::call(&wide, dice.index(2)));
            batch.push(increment_narrow::call(&narrow, dice.index(2)));
            let (one, other) = (look::call(&wide, dice.index(2)), look_narrow::call(&narrow, dice.index(2)));
            looks.push((batch.push(one), batch.push(other)));
        }
        let report = environment.run_all(&batch)?;
        for (one, other) in looks {
            let seen = (committed(&report, one)?, i64::from(committed(&report, other)?));
            let possible = 0..=transactions as i64;
            expect!(possible.contains(&seen.0) && possible.contains(&seen.1), "a look saw {seen:?}");
        }
    }
    Ok(())
}

/// Elements in one word of memory, under one lock word or each under its own: a store to one must not overwrite a store to
/// another.
pub(super) fn neighbours_in_one_word(environment: &Environment) -> TestResult {
    for coverage in [1, 2, 8] {
        let bytes = environment.device.shared_with(&[0_u8; 8], coverage)?;
        let mut batch = environment.batch();
        let each = environment.transactions(16);
        for transaction in 0..8 * each {
            batch.push(grow_wrapping::call(&bytes, (transaction % 8) as i32, (transaction % 8) as u8 + 1));
        }
        environment.run_all(&batch)?;
        let expected: Vec<u8> = (1..=8).map(|by| (each * by) as u8).collect();
        expect_eq!(bytes.to_vec()?, expected, "bytes, {coverage} under a lock");
    }
    Ok(())
}

/// Transactions that write more elements than the array has lock words.
pub(super) fn more_writes_than_locks(environment: &Environment) -> TestResult {
    for coverage in [4, 16] {
        let counters = environment.device.shared_with(&[0_i64; 10], coverage)?;
        runs_and_sums(
            environment,
            &counters,
            Runs { transactions: environment.transactions(60), seed: 4, sums: 4, longer_than: 4 },
        )?;
    }
    Ok(())
}

/// The largest number of threads for the emulator, all on one element.
pub(super) fn all_threads_on_one_element(environment: &Environment) -> TestResult {
    let counters = environment.shared(&[0_i64; 1])?;
    let mut batch = environment.batch();
    let mut options = environment.options();
    if environment.is_emulated() {
        options = options.threads(environment.bearable(256));
    }
    let transactions = environment.transactions(600);
    for _ in 0..transactions {
        batch.push(increment::call(&counters, 0));
    }
    environment.run_all_with(&batch, &options)?;
    expect_eq!(counters.to_vec()?, [transactions as i64], "the counter");
    Ok(())
}
