//! Partitions: a transaction accesses one of them, and no two partitions interact.

use stm_runtime::{FaultCode, Outcome, Partitioned, Report, RunOptions, Ticket, UnresolvedReason};

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::locals::{
    COUNTERS, Seat, count, count_found, leave_duty, pass_on, sit_down, spoil, stand_up, sum,
};
use crate::{expect, expect_all, expect_eq};

/// The number of partitions of the arrays.
const PARTS: u32 = 3;

/// Checks that the results are the first `transactions` numbers, once each.
fn each_once(report: &Report, tickets: &[Ticket<u32>], transactions: u32) -> TestResult {
    let mut seen = Vec::new();
    for ticket in tickets {
        match report.outcome(*ticket) {
            Outcome::Committed(value) => seen.push(value),
            other => expect!(false, "transaction {} ended with {other:?}", ticket.transaction()),
        }
    }
    seen.sort_unstable();
    expect_eq!(seen, (0..transactions).collect::<Vec<_>>(), "what the transactions saw");
    Ok(())
}

/// All transactions of a partition on one element, known or read, in an array with more partitions and in one with fewer; and
/// again with chunk boundaries within partitions, and with idle lanes.
pub(super) fn parts_count(environment: &Environment) -> TestResult {
    count_in_parts(environment, &environment.options())?;
    let odd = environment.options().lanes(5).chunk_size(environment.transactions(30) + 7);
    count_in_parts(environment, &odd)
}

fn count_in_parts(environment: &Environment, options: &RunOptions) -> TestResult {
    let mut batch = environment.batch();
    let counters = environment.device.partitioned::<u32, COUNTERS>(&[0; COUNTERS * (PARTS as usize + 1)])?;
    let places = environment.device.partitioned::<u8, 2>(&[1, 3].repeat(PARTS as usize))?;
    let transactions = environment.transactions(30) as u32;
    let mut tickets = vec![Vec::new(); 2 * PARTS as usize];
    for transaction in 0..2 * transactions * PARTS {
        // Interleaved partitions, and one partition after the other.
        let part =
            if transaction < transactions * PARTS { transaction % PARTS } else { transaction / transactions % PARTS };
        let ticket = match transaction % 2 {
            0 => batch.push(count::call(&counters.part(part)?, 1)),
            _ => batch.push(count_found::call(&places.part(part)?, &counters.part(part)?, 1)),
        };
        tickets[(2 * part + transaction % 2) as usize].push(ticket);
    }
    let report = environment.run_all_with(&batch, options)?;
    let mut expected = Vec::new();
    for group in &tickets {
        each_once(&report, group, group.len() as u32)?;
        expected.extend([0, group.len() as u32]);
    }
    expected.extend([0; COUNTERS]);
    expect_eq!(counters.to_vec()?, expected, "counters");
    Ok(())
}

/// Transfers within a partition, from an account with funds to those that wait for them.
pub(super) fn parts_keep_their_money(environment: &Environment) -> TestResult {
    let mut initial = vec![0_i64; 8 * PARTS as usize];
    (0..PARTS as usize).for_each(|part| initial[8 * part] = 100 * (1 + part as i64));
    let accounts = environment.device.partitioned::<i64, 8>(&initial)?;
    let mut batch = environment.batch();
    let mut sums: Vec<(u32, Ticket<i64>)> = Vec::new();
    for _ in 0..environment.transactions(3) {
        // Each waits for the next one.
        for step in (0..8).rev() {
            for part in 0..PARTS {
                batch.push(pass_on::call(&accounts.part(part)?, step, (step + 1) % 8, 10));
                sums.push((part, batch.push(sum::call(&accounts.part(part)?))));
            }
        }
    }
    let report = environment.run_all(&batch)?;
    for (part, ticket) in sums {
        expect_eq!(report.outcome(ticket), Outcome::Committed(100 * (1 + i64::from(part))), "the sum of a part");
    }
    expect_eq!(accounts.to_vec()?, initial, "accounts after full rounds");
    Ok(())
}

/// An index past the partition is a fault, also within the array; and a partition without progress delays no other.
pub(super) fn parts_stay_apart(environment: &Environment) -> TestResult {
    let accounts = environment.device.partitioned::<i64, 8>(&[50; 8 * PARTS as usize])?;
    let mut batch = environment.batch();
    let (first, middle, last) = (accounts.part(0)?, accounts.part(1)?, accounts.part(PARTS - 1)?);
    let transactions = environment.transactions(10) as i64;
    let (mut beyond, mut never, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..transactions {
        beyond.push(batch.push(pass_on::call(&first, 0, 8, 1)));
        sums.push(batch.push(sum::call(&first)));
        never.push(batch.push(pass_on::call(&middle, 0, 1, 1000)));
        batch.push(pass_on::call(&last, 7, 0, 0));
    }
    beyond.push(batch.push(pass_on::call(&last, u32::MAX, 0, 1)));
    let report = environment.run(&batch)?;
    let transactions = transactions as u64;
    expect_eq!(
        (report.committed, report.faulted, report.unresolved),
        (2 * transactions, transactions + 1, transactions),
        "endings\n{report}\n"
    );
    for ticket in beyond {
        let outcome = report.outcome(ticket);
        expect!(matches!(&outcome, Outcome::Faulted(f) if f.code == FaultCode::IndexOutOfRange), "{outcome:?}");
    }
    expect_all!(report, sums, 400, "the sum of a part");
    for ticket in never {
        expect_eq!(
            report.outcome(ticket),
            Outcome::Unresolved(UnresolvedReason::GuardNeverHeld),
            "what waits for ever"
        );
    }
    expect_eq!(accounts.to_vec()?, [50; 8 * PARTS as usize], "accounts");
    Ok(())
}

/// Undone writes are never read, and there is no write skew.
pub(super) fn parts_undo_and_do_not_skew(environment: &Environment) -> TestResult {
    let accounts = environment.device.partitioned::<i64, 8>(&[1; 8 * PARTS as usize])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(61);
    let transactions = environment.transactions(40);
    let (mut sums, mut left) = (Vec::new(), Vec::new());
    for transaction in 0..transactions as u32 {
        let part = accounts.part(transaction % PARTS)?;
        batch.push(spoil::call(&part, dice.index(8), dice.index(8)));
        let duty = 2 * dice.index(4);
        let (components, stays) = if transaction % 2 == 0 { (duty, duty + 1) } else { (duty + 1, duty) };
        left.push(batch.push(leave_duty::call(&part, components, stays)));
        sums.push(batch.push(sum::call(&part)));
    }
    let report = environment.run(&batch)?;
    expect_eq!(
        (report.committed, report.rejected),
        (2 * transactions as u64, transactions as u64),
        "endings\n{report}\n"
    );
    for ticket in sums {
        let outcome = report.outcome(ticket);
        expect!(matches!(outcome, Outcome::Committed(4..=8)), "a sum: {outcome:?}");
    }
    let gone = left.into_iter().filter(|ticket| report.outcome(*ticket) == Outcome::Committed(true)).count();
    let now = accounts.to_vec()?;
    expect_eq!(now.iter().sum::<i64>(), 8 * i64::from(PARTS) - gone as i64, "those on duty");
    expect!(
        now.chunks(2).all(|pair| pair[0] + pair[1] >= 1 && pair.iter().all(|one| *one >= 0)),
        "nobody left: {now:?}"
    );
    Ok(())
}

/// Contended seats in each partition: records, by field and whole, and through functions.
pub(super) fn parts_hold_records(environment: &Environment) -> TestResult {
    let free = Seat { taken: None, changes: 0 };
    let seats: Partitioned<Seat, 4> = environment.device.partitioned(&[free; 4 * PARTS as usize])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(12).min(120) as u32;
    for who in 0..transactions {
        let (part, at) = (seats.part(who % PARTS)?, who / PARTS % 4);
        batch.push(stand_up::call(&part, at, who));
        batch.push(sit_down::call(&part, at, who));
    }
    environment.run_all(&batch)?;
    let sat =
        |seat: u32| (0..transactions).filter(|who| who % PARTS == seat / 4 && who / PARTS % 4 == seat % 4).count();
    for (seat, now) in (0..).zip(seats.to_vec()?) {
        expect_eq!(now, Seat { taken: None, changes: (2 * sat(seat)) as u8 }, "seat {seat}");
    }
    Ok(())
}
