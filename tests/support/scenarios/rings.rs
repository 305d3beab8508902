//! Versions and commit records that engines keep in rings for a limited time; and the order in which commits take effect.

use stm_runtime::Engine;

use crate::environment::{Backend, Dice, Environment};
use crate::failure::{Failure, TestResult};
use crate::procedures::bank::{audit, transfer};
use crate::procedures::counters::{increment, increment_found, look};
use crate::{expect, expect_all, expect_eq};

/// Returns the engine with every parameter at its smallest value: rings are so short that they wrap all the time.
fn at_least(engine: Engine) -> Result<Engine, Failure> {
    let parameters: Vec<_> = engine.parameters().collect();
    Ok(parameters.iter().try_fold(engine, |engine, (parameter, _)| engine.with(parameter.name, parameter.least))?)
}

/// The shortest rings: a transaction that reads during two commits of others finds its version overwritten, and a transaction
/// that commits finds commit records overwritten.
pub(super) fn shortest_rings(environment: &Environment) -> TestResult {
    let environment = &environment.under(at_least(environment.engine)?);
    let mut overwritten = 0;
    for threads in [2, 12, 32] {
        overwritten += versions(environment, threads)?;
    }
    // Fibers switch within transactions. Host threads need not.
    let keeps_versions = environment.engine.parameters().any(|(parameter, _)| parameter.name == "versions");
    if keeps_versions && matches!(environment.backend, Backend::EmulatedFibers { .. }) {
        expect!(overwritten > 0, "no transaction found its version overwritten");
    }
    [3, 6].into_iter().try_for_each(|threads| records(environment, threads))
}

/// Runs one counter with transactions that only read it: the proof knows the value at each version. Returns how often a version
/// was overwritten before it was read.
fn versions(environment: &Environment, threads: usize) -> Result<u64, Failure> {
    let counters = environment.shared(&[0_i64])?;
    let mut batch = environment.batch();
    let options = environment.options().threads(environment.bearable(threads));
    let transactions = environment.transactions(200);
    for _ in 0..transactions {
        batch.push(increment::call(&counters, 0));
        batch.push(look::call(&counters, 0));
    }
    let report = environment.run_all_with(&batch, &options)?;
    expect_eq!(counters.to_vec()?, [transactions as i64], "the counter");
    Ok(report.conflicts.overwritten)
}

fn records(environment: &Environment, threads: usize) -> TestResult {
    let places = environment.shared(&[0_u32, 1])?;
    let counters = environment.shared(&[0_i64; 2])?;
    let mut batch = environment.batch();
    let options = environment.options().threads(environment.bearable(threads));
    let mut dice = Dice::new(71);
    let transactions = environment.transactions(100);
    (0..transactions).for_each(|_| _ = batch.push(increment_found::call(&places, &counters, dice.index(2))));
    environment.run_all_with(&batch, &options)?;
    expect_eq!(counters.to_vec()?.iter().sum::<i64>(), transactions as i64, "sum of counters");
    Ok(())
}

/// Commits of several warps, some of which pause while others commit: a reader of a commit must also see all earlier ones.
/// There are two warps also where a server orders the commits.
pub(super) fn commits_of_several_warps(environment: &Environment) -> TestResult {
    const ACCOUNTS: usize = 12;
    let environment = &environment.with_pauses()?;
    let accounts = environment.shared(&[100_i64; ACCOUNTS])?;
    let mut batch = environment.batch();
    // Where each block runs one transaction at a time, its other threads are fibers as well.
    let is_served = environment.engine.spec().execution().is_served();
    let options = environment.options().threads(if is_served { 64 } else { environment.bearable(64) });
    let mut dice = Dice::new(72);
    let mut audits = Vec::new();
    for _ in 0..environment.transactions(40) {
        for _ in 0..2 {
            batch.push(transfer::call(&accounts, dice.index(ACCOUNTS), dice.index(ACCOUNTS), 1));
        }
        audits.push(batch.push(audit::call(&accounts, 0, ACCOUNTS as u32)));
    }
    let report = environment.run_all_with(&batch, &options)?;
    expect_all!(report, audits, 100 * ACCOUNTS as i64, "an audit");
    Ok(())
}
