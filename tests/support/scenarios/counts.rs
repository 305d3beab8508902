//! The counts in reports: each transaction once, each wait once, and what a limit leaves undone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use stm_runtime::{Outcome, Report, RunOptions, UnresolvedReason};

use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::counters::{increment, look};
use crate::procedures::endings::{grow, refuse};
use crate::procedures::guards::{pass_on, raise_flag, wait_only};
use crate::{expect, expect_all, expect_eq};

/// Transactions that wait for flags that are never raised are executed once and postponed once; in chunks as well.
pub(super) fn waits_are_counted_once(environment: &Environment) -> TestResult {
    let transactions = environment.transactions(40);
    let flags = environment.shared(&vec![0_u32; transactions])?;
    for chunks in [1, 3] {
        let mut batch = environment.batch();
        let options = environment.options().chunk_size(transactions.div_ceil(chunks));
        let waits: Vec<_> = (0..transactions as u32).map(|at| batch.push(wait_only::call(&flags, at))).collect();
        let report = environment.run_with(&batch, &options)?;
        expect_eq!((report.committed, report.unresolved), (0, transactions as u64), "committed and unresolved");
        expect_eq!((report.postponements, report.passes), (transactions as u64, 1), "postponements and passes");
        expect_eq!(report.conflicts.total(), 0, "conflicts");
        for wait in waits {
            expect_eq!(
                report.outcome(wait),
                Outcome::Unresolved(UnresolvedReason::GuardNeverHeld),
                "what waits for ever"
            );
        }
    }
    Ok(())
}

/// Read-only commits make no guard true, so CPU threads do not evaluate the guards again.
pub(super) fn reads_enable_nothing(environment: &Environment) -> TestResult {
    let transactions = environment.transactions(40);
    let flags = environment.shared(&vec![0_u32; transactions])?;
    let counters = environment.shared(&[7_i64; 4])?;
    let mut batch = environment.batch();
    let mut looks = Vec::new();
    for at in 0..transactions as u32 {
        batch.push(wait_only::call(&flags, at));
        looks.push(batch.push(look::call(&counters, at % 4)));
    }
    let report = environment.run(&batch)?;
    expect_eq!(
        (report.committed, report.unresolved),
        (transactions as u64, transactions as u64),
        "committed and unresolved"
    );
    expect_all!(report, looks, 7, "a counter");
    let is_threaded = environment.backend.is_cpu() && environment.is_concurrent();
    expect!(report.postponements >= transactions as u64, "{} postponements of {transactions}", report.postponements);
    expect!(
        !is_threaded || report.postponements == transactions as u64,
        "{} postponements of {transactions}",
        report.postponements
    );
    Ok(())
}

/// Finished transactions stay finished: commits, rejects and faults, among transactions that need several passes.
pub(super) fn finished_transactions_are_final(environment: &Environment) -> TestResult {
    for chunk in [usize::MAX, 60] {
        let flags = environment.shared(&[0_u32; 41])?;
        let bytes = environment.shared(&[250_u8])?;
        let numbers = environment.shared(&[0_i64; 2])?;
        let mut batch = environment.batch();
        for at in 0..40 {
            batch.push(pass_on::call(&flags, at + 1, at));
            batch.push(grow::call(&bytes, 0, 6));
            batch.push(refuse::call(&numbers, 0, 10, 1000));
            batch.push(increment::call(&numbers, 1));
        }
        batch.push(raise_flag::call(&flags, 40));
        let (options, reported) = reported_at_most(environment.options().chunk_size(chunk));
        let report = environment.run_with(&batch, &options)?;
        let ended = (report.committed, report.faulted, report.rejected, report.unresolved);
        expect_eq!(ended, (81, 40, 40, 0), "endings\n{report}\n");
        expect_eq!((flags.to_vec()?, numbers.to_vec()?), (vec![1; 41], vec![0, 40]), "flags and numbers");
        let reported = reported.load(Ordering::Relaxed);
        expect_eq!(reported, 161, "finished transactions at the last call of the progress function");
    }
    Ok(())
}

/// Returns options that record the largest number of finished transactions that the run's progress has reported.
fn reported_at_most(options: RunOptions) -> (RunOptions, Arc<AtomicU64>) {
    let most = Arc::new(AtomicU64::new(0));
    let seen = most.clone();
    let options = options.progress(move |progress| _ = seen.fetch_max(progress.finished, Ordering::Relaxed));
    (options, most)
}

/// A run that a limit ends early gives the reason, and the remaining transactions have no effect.
pub(super) fn limits_leave_the_rest(environment: &Environment) -> TestResult {
    let report = pass_limit(environment, 5, 2, 5)?;
    // Four wait in the first pass and three in the second.
    expect_eq!((report.committed, report.passes, report.postponements), (2, 2, 7), "commits, passes and postponements");
    // On a CPU a commit wakes the next transaction, which then runs for the third time, so at most two commit in two passes.
    let is_cpu = environment.backend.is_cpu();
    let limit = |limit| if is_cpu { 2 } else { limit };
    // More passes than a launch has.
    pass_limit(environment, 150, limit(100), 150)?;
    // In chunks.
    pass_limit(environment, 24, limit(3), 2)?;
    let late = environment.options().time_limit(Duration::ZERO);
    let stopped = environment.options().stop_when(Arc::new(AtomicBool::new(true)));
    for (why, options) in [(UnresolvedReason::TimeLimit, late), (UnresolvedReason::Stopped, stopped)] {
        let counters = environment.shared(&[0_i64; 4])?;
        let mut batch = environment.batch();
        let tickets: Vec<_> =
            (0..40).map(|transaction| batch.push(increment::call(&counters, transaction % 4))).collect();
        let report = environment.run_with(&batch, &options)?;
        for ticket in tickets {
            expect_eq!(report.outcome(ticket), Outcome::Unresolved(why), "the outcome");
        }
        expect_eq!(counters.to_vec()?, [0; 4], "counters");
    }
    Ok(())
}

/// Runs transactions on one thread; each pass enables one from the end, so at most one commits per pass.
fn pass_limit(environment: &Environment, transactions: u32, limit: u64, chunk: usize) -> Result<Report, Failure> {
    let mut initial = vec![0_u32; transactions as usize];
    initial.push(1);
    let flags = environment.shared(&initial)?;
    let mut batch = environment.batch();
    let first = batch.push(pass_on::call(&flags, 1, 0));
    (1..transactions).for_each(|at| _ = batch.push(pass_on::call(&flags, at + 1, at)));
    let options = environment.options().threads(1).chunk_size(chunk).pass_limit(limit);
    let report = environment.run_with(&batch, &options)?;
    let (committed, passes) = (report.committed, report.passes);
    expect!((1..=limit).contains(&committed) && passes <= limit, "{committed} commits in {passes} passes");
    expect_eq!(report.outcome(first), Outcome::Unresolved(UnresolvedReason::PassLimit), "the first");
    expect_eq!(flags.to_vec()?.iter().filter(|flag| **flag == 1).count() as u64, committed + 1, "flags");
    Ok(report)
}
