//! Batches that a device runs in chunks: every outcome returns to its transaction, and unresolved transactions continue.

use stm_runtime::{Batch, Outcome, Shared, Ticket, UnresolvedReason};

use crate::environment::Environment;
use crate::failure::TestResult;
use crate::procedures::bank::{deposit, transfer};
use crate::procedures::endings::{grow, refuse};
use crate::procedures::guards::{pass_on, raise_flag};
use crate::procedures::records::{Purses, move_whole, see_purses};
use crate::procedures::types::{add_bytes, add_short, add_wide};
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
    let parts = if environment.backend.is_cpu() { 1 } else { 4 };
    expect_eq!(whole.arguments, parts * chunk.arguments, "bytes of arguments");
    expect_eq!(accounts.to_vec()?, [100; 4], "accounts");
    Ok(())
}

/// Procedures with arguments of all widths, called in an irregular order. Some wait for the last transaction, so that they continue
/// in later rounds. Each has its own arguments, and only as many bytes as they have.
pub(super) fn procedures_of_several_widths(environment: &Environment) -> TestResult {
    for options in [environment.options().chunk_size(8), environment.options()] {
        let sums = environment.shared(&[0_i64; 300])?;
        let flags = environment.shared(&[0_u32])?;
        let mut batch = environment.batch();
        let (mut tickets, mut expected, mut bytes) = (Vec::new(), [0_i64; 300], 0);
        for k in 0..60 {
            let (ticket, at, added, width) = add_somehow(&mut batch, &sums, &flags, k);
            expected[at as usize] += added;
            bytes += width;
            tickets.push((ticket, added));
        }
        batch.push(raise_flag::call(&flags, 0));
        let report = environment.run_with(&batch, &options)?;
        expect_eq!(report.committed, 61, "commits\n{report}\n");
        for (ticket, added) in tickets {
            expect_eq!(report.outcome(ticket), Outcome::Committed(added), "what {ticket:?} added");
        }
        expect_eq!(sums.to_vec()?, expected, "sums");
        let whole = environment.run_with(&batch, &environment.options())?.memory.arguments;
        expect_eq!(whole, bytes + 4, "bytes of arguments");
    }
    Ok(())
}

/// Pushes the k-th call. Returns its ticket, what it adds where, and the bytes of its arguments.
fn add_somehow(batch: &mut Batch, sums: &Shared<i64>, flags: &Shared<u32>, k: u32) -> (Ticket<i64>, u32, i64, u64) {
    let sign: i32 = if k.is_multiple_of(2) { 1 } else { -1 };
    match k * k % 7 {
        0 | 1 => {
            let (by, is_double) = ((sign * (100 + k as i32 % 27)) as i8, k.is_multiple_of(3));
            let more = if is_double { 2 * i64::from(by) } else { i64::from(by) };
            (batch.push(add_bytes::call(sums, flags, k as u8, by, is_double)), k, more, 3)
        }
        2 => {
            let by = (sign * (30_000 + k as i32)) as i16;
            (batch.push(add_short::call(sums, 240 + k as u16, by)), 240 + k, i64::from(by), 4)
        }
        _ => {
            let by = i64::from(sign) * (1 << 40) + i64::from(k);
            (batch.push(add_wide::call(sums, by, k % 3)), k % 3, by, 12)
        }
    }
}
