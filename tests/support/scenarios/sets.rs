//! Read-own-writes and repeatable reads within a transaction.

use stm_runtime::Outcome;

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::counters::{increment, increment_narrow};
use crate::procedures::pairs::{raise_pair, shift_index};
use crate::procedures::sets::{
    fill_again_then_sum, fill_then_sum, half_by_half, read_again, read_same, read_then_raise, read_twice, set_pair,
    set_pair_found, sum_again, sum_in_turn, write_then_read, write_twice,
};
use crate::{expect, expect_all, expect_eq};

pub(super) fn repeated_read(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[0_i64; 2])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(11);
    let mut reads = Vec::new();
    for _ in 0..environment.transactions(120) {
        batch.push(increment::call(&cells, dice.index(2)));
        reads.push(batch.push(read_again::call(&cells, dice.index(2), 6)));
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, reads, true, "the repeated reads agree");
    Ok(())
}

/// Loops that read elements again, in read-only transactions, under writers that keep sums constant.
pub(super) fn repeated_reads_in_loops(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[100_i64, 200, 300, 400])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(15);
    let (mut sums, mut turns) = (Vec::new(), Vec::new());
    for _ in 0..environment.transactions(60) {
        batch.push(shift_index::call(&cells, dice.index(2), 10));
        sums.push(batch.push(sum_again::call(&cells, 1000)));
        turns.push(batch.push(sum_in_turn::call(&cells)));
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, sums, true, "all sums agree");
    for ticket in turns {
        // The first two three times, the third twice; the sum of the first two is always 300.
        let Outcome::Committed(sum) = report.outcome(ticket) else { continue };
        expect!((sum - 900) % 20 == 0, "a sum of {sum} in turn");
    }
    Ok(())
}

/// The same with as few set entries as there are elements, so that repeated reads must be compacted.
pub(super) fn repeated_reads_half_by_half(environment: &Environment) -> TestResult {
    let halves = environment.shared(&[5_i64; 4])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(16);
    let mut differences = Vec::new();
    for transaction in 0..environment.transactions(120) {
        batch.push(raise_pair::call(&halves, dice.index(2), 1));
        differences.push(batch.push(half_by_half::call(&halves, dice.index(2), transaction as u32 % 4 + 1)));
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, differences, 0, "the difference of two halves");
    Ok(())
}

/// Two names for one element, in transactions that read it and in those that write it.
pub(super) fn repeated_read_narrow(environment: &Environment) -> TestResult {
    let places = environment.shared(&[0_u32, 1])?;
    let cells = environment.shared(&[0_i32; 2])?;
    let seen = environment.shared(&[0_i32; 2])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(12);
    let mut reads = Vec::new();
    let transactions = environment.transactions(100);
    for _ in 0..transactions {
        let at = dice.index(2);
        batch.push(increment_narrow::call(&cells, dice.index(2)));
        reads.push(batch.push(read_twice::call(&cells, &seen, at, at)));
        reads.push(batch.push(read_same::call(&cells, &seen, dice.index(2))));
        reads.push(batch.push(read_then_raise::call(&places, &cells, dice.index(2))));
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, reads, true, "both reads agree");
    expect_eq!(cells.to_vec()?.iter().sum::<i32>(), 2 * transactions as i32, "sum");
    Ok(())
}

pub(super) fn read_own_write(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[-1_i64; 3])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(13);
    let mut reads = Vec::new();
    for transaction in 0..environment.transactions(150) as i64 {
        let at = dice.index(3);
        reads.push((transaction, batch.push(write_then_read::call(&cells, at, at, transaction))));
        batch.push(write_then_read::call(&cells, at, (at + 1) % 3, transaction));
    }
    let report = environment.run_all(&batch)?;
    for (transaction, ticket) in reads {
        expect_eq!(report.outcome(ticket), Outcome::Committed(transaction), "its own write");
    }
    Ok(())
}

/// With a lock word for each element, and with one for four.
pub(super) fn read_own_write_in_loops(environment: &Environment) -> TestResult {
    [1, 4].into_iter().try_for_each(|coverage| own_writes_in_loops(environment, coverage))
}

fn own_writes_in_loops(environment: &Environment, coverage: usize) -> TestResult {
    let cells = environment.device.shared_with(&[-1_i64; 10], coverage)?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(14);
    let mut sums = Vec::new();
    for transaction in 0..environment.transactions(80) as i64 {
        let n = dice.index(8) + 1;
        sums.push((transaction * i64::from(n), batch.push(fill_then_sum::call(&cells, dice.index(3), n, transaction))));
    }
    let report = environment.run_all(&batch)?;
    for (sum, ticket) in sums {
        expect_eq!(report.outcome(ticket), Outcome::Committed(sum), "the sum of its own writes");
    }
    Ok(())
}

/// Write sets too large for a linear search, and small ones between them: each attempt reads its own writes.
pub(super) fn own_writes_of_large_sets(environment: &Environment) -> TestResult {
    const CELLS: usize = 200;
    let cells = environment.shared(&[-1_i64; CELLS])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(17);
    let mut sums = Vec::new();
    for transaction in 0..environment.transactions(30) as i64 {
        let n = if transaction % 3 == 0 { dice.index(4) + 1 } else { dice.index(8) + 16 };
        let span = (dice.index(CELLS - n as usize), n);
        let call = fill_again_then_sum::call(&cells, span, dice.index(CELLS), transaction);
        sums.push(((transaction + 1) * i64::from(n), batch.push(call)));
    }
    let report = environment.run_all(&batch)?;
    for (own, ticket) in sums {
        let outcome = report.outcome(ticket);
        // The proof checks the other elements.
        expect!(matches!(outcome, Outcome::Committed((sum, _)) if sum == own), "{outcome:?}, not the sum {own}");
    }
    Ok(())
}

/// Blind writes: pairs must stay pairs.
pub(super) fn blind_writes(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[0_i64; 6])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(200) {
        batch.push(set_pair::call(&cells, (transaction % 3) as u32, transaction as i64 + 1));
    }
    environment.run_all(&batch)?;
    let torn = cells.to_vec()?.chunks(2).position(|pair| pair[0] != pair[1] || pair[0] == 0);
    expect_eq!(torn, None, "a pair written by two transactions");
    Ok(())
}

pub(super) fn blind_writes_found(environment: &Environment) -> TestResult {
    let places = environment.shared(&[0_u32, 1, 2])?;
    let cells = environment.shared(&[0_i32; 6])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(200) {
        batch.push(set_pair_found::call(&places, &cells, (transaction % 3) as u32, transaction as i32 + 1));
    }
    environment.run_all(&batch)?;
    let torn = cells.to_vec()?.chunks(2).position(|pair| pair[0] != pair[1] || pair[0] == 0);
    expect_eq!(torn, None, "a pair written by two transactions");
    Ok(())
}

/// One element written twice by two names: odd values come first, even ones are final.
pub(super) fn last_write_stays(environment: &Environment) -> TestResult {
    let cells = environment.shared(&[0_i64; 2])?;
    let mut batch = environment.batch();
    for transaction in 0..environment.transactions(100) as u32 {
        batch.push(write_twice::call(&cells, transaction % 2, transaction % 2, 2 * i64::from(transaction) + 1));
    }
    environment.run_all(&batch)?;
    let odd = cells.to_vec()?.iter().position(|value| value % 2 != 0);
    expect_eq!(odd, None, "an element that kept its first write");
    Ok(())
}
