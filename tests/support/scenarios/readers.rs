//! Transactions that write nothing, beside transactions that write: each must see one moment of the order.

use stm_runtime::{Outcome, Shared};

use crate::draw::Draw;
use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::bank::{audit, deposit, transfer};
use crate::procedures::readers::{audit_once_rich, balance_of, follow, relink};
use crate::{expect, expect_eq};

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
    for ticket in late {
        expect_eq!(report.outcome(ticket), Outcome::Committed(all), "a sum that waits for all deposits");
    }
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
