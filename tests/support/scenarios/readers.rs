//! Transactions that write nothing, beside transactions that write: each must see one moment of the order.

use stm_runtime::{Outcome, Shared};

use crate::draw::Draw;
use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::bank::{audit, deposit, transfer};
use crate::procedures::readers::{
    Opposites, audit_once_rich, balance_of, change_opposites, follow, relink, sum_far, sum_opposites,
};
use crate::{expect, expect_all, expect_eq};

const ACCOUNTS: u32 = 8;
const FIRST: i64 = 100;
const PAID: i64 = 50;

/// Sums are those of whole deposits, and those that wait for all deposits see all of them. In several chunks.
pub(super) fn readers_of_all_kinds(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[FIRST; ACCOUNTS as usize])?;
    let next: Shared<u32> = environment.shared(&std::array::from_fn::<u32, 8, _>(|at| (at as u32 + 1) % ACCOUNTS))?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(6));
    let mut any = || draw.below(8) as u32;
    let count = environment.transactions(40);
    let all = i64::from(ACCOUNTS) * FIRST + PAID * count as i64;
    let (mut sums, mut late, mut found, mut refused) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..count {
        sums.push(batch.push(audit::call(&accounts, 0, ACCOUNTS)));
        batch.push(deposit::call(&accounts, any(), PAID));
        batch.push(transfer::call(&accounts, any(), any(), 7));
        if number % 4 == 0 {
            late.push(batch.push(audit_once_rich::call(&accounts, ACCOUNTS, all)));
            batch.push(relink::call(&next, any(), any()));
            found.push(batch.push(follow::call(&next, &accounts, any(), 1 + any())));
            refused.push(batch.push(balance_of::call(&accounts, any(), 90)));
        }
    }
    let report = environment.run_with(&batch, &environment.options().chunk_size(batch.len() / 2))?;
    expect_eq!(report.committed + report.rejected, batch.len() as u64, "the transactions that end once");
    for ticket in sums {
        let Outcome::Committed(sum) = report.outcome(ticket) else {
            return Err(Failure::Outcome("a sum should commit".to_owned()));
        };
        let deposits = sum - i64::from(ACCOUNTS) * FIRST;
        expect!(deposits % PAID == 0 && (0..=PAID * count as i64).contains(&deposits), "no moment has {sum}");
    }
    expect_all!(report, late, all, "a sum that waits for all deposits");
    for ticket in found {
        let outcome = report.outcome(ticket);
        expect!(matches!(outcome, Outcome::Committed((at, balance)) if at < ACCOUNTS && balance >= 0), "{outcome:?}");
    }
    for ticket in refused {
        let outcome = report.outcome(ticket);
        let is_right = matches!(outcome, Outcome::Rejected(3)) || matches!(outcome, Outcome::Committed(90..));
        expect!(is_right, "a balance: {outcome:?}");
    }
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), all, "the money");
    Ok(())
}

/// The accounts of the long walks, and those that a walk may visit in loops.
const FAR: u32 = 202;
const VISITED: u32 = 200;

/// Sums of more elements than sets in local memory have, beside transfers: each is of one moment. Elements that a walk visits again
/// do not count against its bound, and neither does one that it has visited outside of loops; one more is a fault.
pub(super) fn long_walks(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[FIRST; FAR as usize])?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(9));
    let (mut sums, mut faults) = (Vec::new(), Vec::new());
    for _ in 0..environment.transactions(8) {
        for _ in 0..6 {
            let (from, to) = (draw.below(FAR as usize) as u32, draw.below(FAR as usize) as u32);
            batch.push(transfer::call(&accounts, from, to, 3));
        }
        sums.push(batch.push(sum_far::call(&accounts, 0, VISITED + 1, 1)));
        sums.push(batch.push(sum_far::call(&accounts, 1, VISITED + 1, 2)));
        faults.push(batch.push(sum_far::call(&accounts, 0, VISITED + 2, 1)));
    }
    let report = environment.run(&batch)?;
    let most = i64::from(FAR) * FIRST;
    for ticket in sums {
        let outcome = report.outcome(ticket);
        expect!(matches!(outcome, Outcome::Committed(sum) if sum > 0 && sum < 3 * most), "a sum: {outcome:?}");
    }
    for ticket in faults {
        let Outcome::Faulted(fault) = report.outcome(ticket) else {
            return Err(Failure::Outcome("one element too many should be a fault".to_owned()));
        };
        expect!(fault.to_string().contains("max_accesses"), "{fault}");
    }
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), most, "the money");
    Ok(())
}

/// The same over records, where the number of elements follows from the loops and many reads are of elements that were read before.
pub(super) fn long_walks_over_records(environment: &Environment) -> TestResult {
    const RECORDS: usize = 70;
    let opposites = environment.shared(&[Opposites { up: 5, down: -5, changes: 0 }; RECORDS])?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(10));
    let (mut sums, mut changes) = (Vec::new(), 0);
    for round in 0..environment.transactions(8) as u32 {
        for _ in 0..6 {
            batch.push(change_opposites::call(&opposites, draw.below(RECORDS) as u32, 1));
            changes += 1;
        }
        sums.push(batch.push(sum_opposites::call(&opposites, 1 + round % 6)));
    }
    let report = environment.run(&batch)?;
    for ticket in sums {
        let outcome = report.outcome(ticket);
        expect!(
            matches!(outcome, Outcome::Committed((0, seen)) if seen <= 12 * changes),
            "sums of one moment: {outcome:?}"
        );
    }
    expect_eq!(report.committed, batch.len() as u64, "all commit: {report}");
    expect_eq!(opposites.to_vec()?.iter().map(|both| both.changes).sum::<u64>(), changes, "the changes");
    Ok(())
}
