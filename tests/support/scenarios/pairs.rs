//! Anomalies of two transactions: write skew, torn snapshots, and their effect on doomed attempts.

use stm_runtime::RunOptions;

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::pairs::{
    follow, follow_narrow, leave_duty, leave_duty_wide, leave_team, raise_pair, raise_pair_narrow, refuse_torn,
    see_pair, see_pair_narrow, shift_index, use_index, wait_whole,
};
use crate::{expect, expect_all, expect_eq};

/// The number of pairs that the batches share; few, so that transactions conflict.
const PAIRS: usize = 4;

/// Two on call in each of many pairs; both want to leave, and exactly one may. The two are adjacent in the batch, so that
/// neighbouring threads run them at the same time.
pub(super) fn write_skew(environment: &Environment) -> TestResult {
    let pairs = environment.transactions(150);
    let on_call = environment.shared(&vec![true; 2 * pairs])?;
    let mut batch = environment.batch();
    for me in 0..2 * pairs as u32 {
        batch.push(leave_duty::call(&on_call, me, me ^ 1));
    }
    let report = environment.run(&batch)?;
    expect_eq!((report.committed, report.rejected), (pairs as u64, pairs as u64), "those who left and stayed");
    let left = on_call.to_vec()?;
    let broken = left.chunks(2).position(|pair| pair[0] == pair[1]);
    expect_eq!(broken, None, "a pair of which both or none left");
    Ok(())
}

pub(super) fn write_skew_wide(environment: &Environment) -> TestResult {
    let pairs = environment.transactions(150);
    let on_call = environment.shared(&vec![1_u64; 2 * pairs])?;
    let mut batch = environment.batch();
    for me in 0..2 * pairs as u32 {
        batch.push(leave_duty_wide::call(&on_call, me, me ^ 1));
    }
    let report = environment.run(&batch)?;
    expect_eq!((report.committed, report.rejected), (pairs as u64, pairs as u64), "those who left and stayed");
    let broken = on_call.to_vec()?.chunks(2).position(|pair| pair[0] == pair[1]);
    expect_eq!(broken, None, "a pair of which both or none left");
    Ok(())
}

/// Write skew among teams of six, whose members are found in loops.
pub(super) fn write_skew_in_loops(environment: &Environment) -> TestResult {
    leave_teams(environment, &environment.options())
}

/// The same where one lane of each warp runs transactions.
pub(super) fn write_skew_of_one_lane(environment: &Environment) -> TestResult {
    leave_teams(environment, &environment.options().lanes(1).threads(environment.bearable(4)))
}

fn leave_teams(environment: &Environment, options: &RunOptions) -> TestResult {
    let teams = environment.transactions(120) / 6;
    let on_call = environment.shared(&vec![1_u32; 6 * teams])?;
    let mut batch = environment.batch();
    for team in 0..teams as u32 {
        (0..6).for_each(|me| _ = batch.push(leave_team::call(&on_call, team, me)));
    }
    let report = environment.run_with(&batch, options)?;
    expect_eq!((report.committed, report.rejected), (4 * teams as u64, 2 * teams as u64), "those who left and stayed");
    let broken = on_call.to_vec()?.chunks(6).position(|team| team.iter().sum::<u32>() != 2);
    expect_eq!(broken, None, "a team that too many left");
    Ok(())
}

/// Each transaction sets one element to the other plus one: only the proof can tell whether there is a serial order.
pub(super) fn overtaking(environment: &Environment) -> TestResult {
    let wide = environment.shared(&[0_i64; 3])?;
    let narrow = environment.shared(&[0_i32; 3])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(3);
    for _ in 0..environment.transactions(120) {
        let (from, step) = (dice.index(3), dice.index(2) + 1);
        batch.push(follow::call(&wide, from, (from + step) % 3));
        batch.push(follow_narrow::call(&narrow, from, (from + step) % 3));
    }
    environment.run_all(&batch)?;
    Ok(())
}

pub(super) fn torn_snapshot(environment: &Environment) -> TestResult {
    let halves = environment.shared(&[5_i64; 2 * PAIRS])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(4);
    let mut seen = Vec::new();
    for _ in 0..environment.transactions(150) {
        batch.push(raise_pair::call(&halves, dice.index(PAIRS), 1));
        seen.push(batch.push(see_pair::call(&halves, dice.index(PAIRS))));
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, seen, 0, "the difference of a pair");
    Ok(())
}

pub(super) fn torn_snapshot_narrow(environment: &Environment) -> TestResult {
    let halves = environment.shared(&[5_i32; 2 * PAIRS])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(5);
    let mut seen = Vec::new();
    for _ in 0..environment.transactions(150) {
        batch.push(raise_pair_narrow::call(&halves, dice.index(PAIRS), 1));
        seen.push(batch.push(see_pair_narrow::call(&halves, dice.index(PAIRS))));
    }
    let report = environment.run_all(&batch)?;
    expect_all!(report, seen, 0, "the difference of a pair");
    Ok(())
}

/// A reject that is based on an inconsistent snapshot would be a wrong outcome.
pub(super) fn torn_reject(environment: &Environment) -> TestResult {
    let halves = environment.shared(&[5_i64; 2 * PAIRS])?;
    let seen = environment.shared(&[0_i64; PAIRS])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(6);
    for _ in 0..environment.transactions(150) {
        batch.push(raise_pair::call(&halves, dice.index(PAIRS), 1));
        batch.push(refuse_torn::call(&halves, &seen, dice.index(PAIRS)));
    }
    environment.run_all(&batch)?;
    Ok(())
}

/// An index made from two elements is in range in every consistent state.
pub(super) fn zombie_index(environment: &Environment) -> TestResult {
    let parts = environment.shared(&[3_i64, 2].repeat(PAIRS))?;
    let targets = environment.shared(&[0_i64; 6])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(7);
    let transactions = environment.transactions(150);
    for _ in 0..transactions {
        let by = if dice.below(2) == 0 { 1000 } else { -1000 };
        batch.push(shift_index::call(&parts, dice.index(PAIRS), by));
        batch.push(use_index::call(&parts, &targets, dice.index(PAIRS)));
    }
    let report = environment.run(&batch)?;
    expect!(report.faulted == 0, "a doomed attempt's index was reported: {}", report.faults[0]);
    expect_eq!(report.committed, 2 * transactions as u64, "committed");
    expect_eq!(targets.to_vec()?, [0, 0, 0, 0, 0, transactions as i64], "the targets");
    Ok(())
}

/// A loop that ends in every consistent state.
pub(super) fn zombie_loop(environment: &Environment) -> TestResult {
    let parts = environment.shared(&[3_i64, 2].repeat(PAIRS))?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(8);
    let mut waits = Vec::new();
    for _ in 0..environment.transactions(100) {
        batch.push(shift_index::call(&parts, dice.index(PAIRS), 7));
        waits.push(batch.push(wait_whole::call(&parts, dice.index(PAIRS), 5)));
    }
    let report = environment.run(&batch)?;
    expect!(report.faulted == 0, "a doomed attempt's loop was reported: {}", report.faults[0]);
    expect_all!(report, waits, 0, "rounds of waiting");
    Ok(())
}
