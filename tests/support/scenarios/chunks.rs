//! Batches that a device runs in chunks: every outcome returns to its transaction, and unresolved transactions continue.

use stm_runtime::{Outcome, UnresolvedReason};

use crate::environment::{Backend, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{deposit, transfer};
use crate::procedures::endings::{grow, refuse};
use crate::procedures::guards::{pass_on, raise_flag};
use crate::procedures::records::{Purses, move_whole, see_purses};
use crate::{expect, expect_eq};

/// Procedures with and without results of several components; commits, faults, rejects and guards; chunk boundaries anywhere.
/// A later chunk makes the guards of an earlier one true.
pub(super) fn every_outcome_comes_back(environment: &Environment) -> TestResult {
    let start = |owner: i64| Purses { left: 100 * owner, right: 7, moves: 0, to_left: false };
    let purses = environment.shared(&[start(1), start(2), start(3)])?;
    let flags = environment.shared(&[0_u32; 31])?;
    let bytes = environment.shared(&[250_u8])?;
    let numbers = environment.shared(&[0_i64])?;
    let mut batch = environment.batch();
    let (mut seen, mut moved, mut waits, mut faults) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in 0..30 {
        waits.push(batch.push(pass_on::call(&flags, at + 1, at)));
        seen.push(batch.push(see_purses::call(&purses, at % 2)));
        faults.push(batch.push(grow::call(&bytes, 0, 6)));
        moved.push(batch.push(move_whole::call(&purses, 2, 1)));
        batch.push(refuse::call(&numbers, 0, 10, 1000));
    }
    batch.push(raise_flag::call(&flags, 30));
    let report = environment.run_with(&batch, &environment.options().chunk_size(32))?;
    let ended = (report.committed, report.faulted, report.rejected, report.unresolved);
    expect_eq!(ended, (91, 30, 30, 0), "endings\n{report}\n");
    for (at, ticket) in seen.into_iter().enumerate() {
        expect_eq!(report.outcome(ticket), Outcome::Committed(start(1 + at as i64 % 2)), "purses that nobody moves");
    }
    let mut moves: Vec<u16> = moved
        .into_iter()
        .filter_map(|ticket| if let Outcome::Committed(n) = report.outcome(ticket) { Some(n) } else { None })
        .collect();
    moves.sort_unstable();
    expect!(moves.iter().copied().eq(0..30), "moves {moves:?}");
    expect!(
        waits.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(())),
        "one that waited is left"
    );
    for ticket in faults {
        let outcome = report.outcome(ticket);
        expect!(
            matches!(&outcome, Outcome::Faulted(fault) if fault.transaction == ticket.transaction()),
            "a fault: {outcome:?}"
        );
    }
    Ok(())
}

/// Transactions that are left of many chunks continue in later rounds with their own arguments and return their own outcomes.
pub(super) fn what_is_left_goes_on(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[0_i64; 16])?;
    let mut batch = environment.batch();
    let never: Vec<_> =
        (0..20).map(|at| batch.push(transfer::call(&accounts, 15, at % 8, 1 + i64::from(at)))).collect();
    for at in 0..14 {
        batch.push(transfer::call(&accounts, at, at + 1, 100));
    }
    batch.push(deposit::call(&accounts, 0, 100));
    let report = environment.run_with(&batch, &environment.options().chunk_size(8))?;
    expect_eq!((report.committed, report.unresolved), (15, 20), "committed and unresolved\n{report}\n");
    for ticket in never {
        expect_eq!(
            report.outcome(ticket),
            Outcome::Unresolved(UnresolvedReason::GuardNeverHeld),
            "what waits for ever"
        );
    }
    let mut last = [0; 16];
    last[14] = 100;
    expect_eq!(accounts.to_vec()?, last, "accounts");
    let listed: Vec<usize> = report.unresolved_transactions.iter().map(|transaction| transaction.transaction).collect();
    expect!(listed.iter().copied().eq(0..20), "unresolved: {listed:?}");
    Ok(())
}

/// A chunk takes at most the memory that the user allows.
pub(super) fn chunks_are_as_large_as_asked(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[100_i64; 4])?;
    let mut batch = environment.batch();
    (0..64)
        .for_each(|transaction| _ = batch.push(transfer::call(&accounts, transaction % 4, (transaction + 1) % 4, 1)));
    let whole = environment.run_all(&batch)?.memory;
    let chunk = environment.run_all_with(&batch, &environment.options().chunk_size(16))?.memory;
    // CPU threads copy nothing.
    let parts = if matches!(environment.backend, Backend::Cpu | Backend::CpuSeeded { .. }) { 1 } else { 4 };
    expect_eq!(whole.arguments, parts * chunk.arguments, "bytes of arguments");
    expect_eq!(accounts.to_vec()?, [100; 4], "accounts");
    Ok(())
}
