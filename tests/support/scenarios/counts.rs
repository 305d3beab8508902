//! What a report counts: each transaction once, each wait once, and what a limit has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use stm_runtime::{Outcome, Report, Table, Why};

use crate::failure::{Failure, Verdict};
use crate::ground::{Backend, Ground};
use crate::kinds::counters::{increment, look};
use crate::kinds::endings::{grow, refuse};
use crate::kinds::guards::{pass_on, raise_flag, wait_only};
use crate::{expect, expect_eq};

/// Transactions that all wait for flags of their own, which nobody raises, are looked at once and postponed once; in chunks
/// as well.
pub(super) fn waits_are_counted_once(ground: &Ground) -> Verdict {
    let rows = ground.rows(40);
    let flags = ground.shared(&vec![0_u32; rows])?;
    for chunks in [1, 3] {
        let mut table = ground.table();
        table.piece_rows(rows.div_ceil(chunks));
        let waits: Vec<_> = (0..rows as u32).map(|at| table.push(wait_only::call(&flags, at))).collect();
        let report = ground.run(&table)?;
        expect_eq!((report.committed, report.unresolved), (0, rows as u64), "committed and unresolved");
        expect_eq!((report.postponements, report.passes), (rows as u64, 1), "postponements and passes");
        expect_eq!(report.conflicts.total(), 0, "conflicts");
        for wait in waits {
            expect_eq!(report.outcome(wait), Outcome::Unresolved(Why::GuardNeverHeld), "what waits for ever");
        }
    }
    Ok(())
}

/// A commit that only reads makes no guard true, so CPU threads do not look at the guards again.
pub(super) fn reads_enable_nothing(ground: &Ground) -> Verdict {
    let rows = ground.rows(40);
    let flags = ground.shared(&vec![0_u32; rows])?;
    let counters = ground.shared(&[7_i64; 4])?;
    let mut table = ground.table();
    let mut looks = Vec::new();
    for at in 0..rows as u32 {
        table.push(wait_only::call(&flags, at));
        looks.push(table.push(look::call(&counters, at % 4)));
    }
    let report = ground.run(&table)?;
    expect_eq!((report.committed, report.unresolved), (rows as u64, rows as u64), "committed and unresolved");
    for ticket in looks {
        expect_eq!(report.outcome(ticket), Outcome::Committed(7), "a counter");
    }
    let is_threaded = matches!(ground.backend, Backend::Cpu | Backend::CpuSeeded { .. }) && ground.is_concurrent();
    expect!(report.postponements >= rows as u64, "{} postponements of {rows}", report.postponements);
    expect!(!is_threaded || report.postponements == rows as u64, "{} postponements of {rows}", report.postponements);
    Ok(())
}

/// Whoever is finished stays finished: commits, rejects and faults, among those that need one pass after the other.
pub(super) fn finished_transactions_are_final(ground: &Ground) -> Verdict {
    for chunk in [usize::MAX, 60] {
        let flags = ground.shared(&[0_u32; 41])?;
        let bytes = ground.shared(&[250_u8])?;
        let numbers = ground.shared(&[0_i64; 2])?;
        let mut table = ground.table();
        table.piece_rows(chunk);
        for at in 0..40 {
            table.push(pass_on::call(&flags, at + 1, at));
            table.push(grow::call(&bytes, 0, 6));
            table.push(refuse::call(&numbers, 0, 10, 1000));
            table.push(increment::call(&numbers, 1));
        }
        table.push(raise_flag::call(&flags, 40));
        let told = told_at_most(&mut table);
        let report = ground.run(&table)?;
        let ended = (report.committed, report.faulted, report.rejected, report.unresolved);
        expect_eq!(ended, (81, 40, 40, 0), "endings\n{report}\n");
        expect_eq!((flags.to_vec()?, numbers.to_vec()?), (vec![1; 41], vec![0, 40]), "flags and numbers");
        let told = told.load(Ordering::Relaxed);
        expect_eq!(told, 161, "finished transactions that the progress function was told of last");
    }
    Ok(())
}

/// The most transactions of which the run's progress says that they are finished.
fn told_at_most(table: &mut Table) -> Arc<AtomicU64> {
    let most = Arc::new(AtomicU64::new(0));
    let seen = most.clone();
    table.progress(move |progress| _ = seen.fetch_max(progress.finished, Ordering::Relaxed));
    most
}

/// A run that ends before its time says why, and has done nothing of what is left.
pub(super) fn limits_leave_the_rest(ground: &Ground) -> Verdict {
    let report = pass_limit(ground, 5, 2, 5)?;
    // Four wait in the first pass and three in the second.
    expect_eq!((report.committed, report.passes, report.postponements), (2, 2, 7), "commits, passes and postponements");
    // On a CPU a commit wakes the next, which is then taken up for the third time; so no more than that commit in as many passes.
    let is_cpu = matches!(ground.backend, Backend::Cpu | Backend::CpuSeeded { .. });
    let limit = |limit| if is_cpu { 2 } else { limit };
    // More passes than a launch has.
    pass_limit(ground, 150, limit(100), 150)?;
    // In chunks.
    pass_limit(ground, 24, limit(3), 2)?;
    let late: fn(&mut Table) = |table| _ = table.time_limit(Duration::ZERO);
    let stopped: fn(&mut Table) = |table| _ = table.stop_when(Arc::new(AtomicBool::new(true)));
    for (why, limit) in [(Why::TimeLimit, late), (Why::Stopped, stopped)] {
        let counters = ground.shared(&[0_i64; 4])?;
        let mut table = ground.table();
        let tickets: Vec<_> = (0..40).map(|row| table.push(increment::call(&counters, row % 4))).collect();
        limit(&mut table);
        let report = ground.run(&table)?;
        for ticket in tickets {
            expect_eq!(report.outcome(ticket), Outcome::Unresolved(why), "the outcome");
        }
        expect_eq!(counters.to_vec()?, [0; 4], "counters");
    }
    Ok(())
}

/// One thread, and transactions of which each pass enables one from the end: at most as many commit as there are passes.
fn pass_limit(ground: &Ground, rows: u32, limit: u64, chunk: usize) -> Result<Report, Failure> {
    let mut initial = vec![0_u32; rows as usize];
    initial.push(1);
    let flags = ground.shared(&initial)?;
    let mut table = ground.table();
    let first = table.push(pass_on::call(&flags, 1, 0));
    (1..rows).for_each(|at| _ = table.push(pass_on::call(&flags, at + 1, at)));
    let report = ground.run(table.threads(1).piece_rows(chunk).pass_limit(limit))?;
    let (committed, passes) = (report.committed, report.passes);
    expect!((1..=limit).contains(&committed) && passes <= limit, "{committed} commits in {passes} passes");
    expect_eq!(report.outcome(first), Outcome::Unresolved(Why::PassLimit), "the first");
    expect_eq!(flags.to_vec()?.iter().filter(|flag| **flag == 1).count() as u64, committed + 1, "flags");
    Ok(report)
}
