//! Fields that a batch changes by sums alone, beside batches where a procedure needs their values.

use stm_runtime::{Batch, Outcome, Shared};

use crate::environment::Environment;
use crate::failure::TestResult;
use crate::procedures::sums::{
    Till, VISITED, add_price, add_to_both, raise_price, see_sum, sell, sell_if_open, sell_in_all, sell_whole, set_open,
};
use crate::{expect, expect_eq};

const TILLS: u32 = 3;
const START: Till = Till { sum: -1, sales: u32::MAX, narrow: u16::MAX, is_open: false, last: 0 };

/// A batch, and the tills as they are after it.
struct Sales<'a> {
    tills: &'a Shared<Till>,
    batch: Batch<'static>,
    after: Vec<Till>,
}

impl Sales<'_> {
    fn sell(&mut self, at: u32, by: i64) {
        self.batch.push(sell::call(self.tills, at, by, 1));
        let till = &mut self.after[at as usize];
        till.sum += if by > 50 { 3 * by } else { 0 };
        till.sales = till.sales.wrapping_add(if by > 50 { 1 } else { 2 });
        till.narrow = till.narrow.wrapping_add(1);
        till.last = 1;
    }

    fn sell_in_all(&mut self, first: u32, count: u32, by: i64) {
        self.batch.push(sell_in_all::call(self.tills, first, count, by));
        for k in 0..count.min(VISITED) {
            let till = &mut self.after[((first + k) % TILLS) as usize];
            till.sum += by + if k % 2 == 0 { i64::from(k) } else { 0 };
        }
    }

    fn sell_whole(&mut self, at: u32, by: i64) {
        self.batch.push(sell_whole::call(self.tills, at, by, 1));
        let till = &mut self.after[at as usize];
        (till.sum, till.sales, till.last) = (till.sum + by, till.sales.wrapping_add(1), 1);
    }
}

/// Several additions to one element, in loops and branches, at the ends of their types. Every third batch has a procedure that reads
/// the sums, so they are not deferred there, and the same arrays serve both.
pub(super) fn sums_of_every_kind(environment: &Environment) -> TestResult {
    let tills = environment.shared(&[START; TILLS as usize])?;
    let mut after = vec![START; TILLS as usize];
    for turn in 0..4 {
        let mut sales = Sales { tills: &tills, batch: environment.batch(), after };
        let mut seen = Vec::new();
        for k in 0..environment.transactions(24) as u32 {
            sales.sell(k % TILLS, 47 + i64::from(k % 7));
            sales.sell_in_all(k, k % (VISITED + 2), 5 - i64::from(k));
            sales.sell_whole((k * 5 + 1) % TILLS, i64::from(k));
            if turn % 3 == 1 {
                seen.push(sales.batch.push(see_sum::call(&tills, k % TILLS)));
            }
        }
        let report = environment.run(&sales.batch)?;
        expect_eq!(report.committed as usize, sales.batch.len(), "all commit: {report}");
        expect_eq!(tills.to_vec()?, sales.after, "the tills after turn {turn}");
        let found = seen.iter().all(|ticket| matches!(report.outcome(*ticket), Outcome::Committed(_)));
        expect!(found, "the sums that were seen: {report}");
        after = sales.after;
    }
    Ok(())
}

/// What does not commit adds nothing, and what waits adds once.
pub(super) fn sums_of_what_commits(environment: &Environment) -> TestResult {
    let tills = environment.shared(&[START; TILLS as usize + 1])?;
    let mut batch = environment.batch();
    let (mut sum, count) = (0, environment.transactions(20) as u32);
    let (mut rejects, mut faults, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..count {
        let (open, closed) = (k % TILLS, TILLS);
        rejects.push(batch.push(sell_if_open::call(&tills, closed, 1_000, 0)));
        faults.push(batch.push(sell_if_open::call(&tills, closed, 1_000, 1)));
        beyond.push(batch.push(sell_if_open::call(&tills, TILLS + 1 + k, 1_000, 2)));
        batch.push(sell_if_open::call(&tills, open, i64::from(k), 2));
        batch.push(sell_whole::call(&tills, open, 1, 0));
        sum += i64::from(k) + 1;
        if k >= count.saturating_sub(TILLS) {
            batch.push(set_open::call(&tills, open, true));
        }
    }
    let report = environment.run(&batch)?;
    expect!(rejects.iter().all(|ticket| report.outcome(*ticket) == Outcome::Rejected(3)), "{report}");
    let faulted = |ticket| matches!(report.outcome(ticket), Outcome::Faulted(_));
    expect!(faults.into_iter().chain(beyond).all(faulted), "{report}");
    let after = tills.to_vec()?;
    expect_eq!(after[TILLS as usize], START, "the till that stays closed");
    let (mut sums, mut sales) = (0, 0);
    for till in &after[..TILLS as usize] {
        expect_eq!((till.narrow, till.is_open), (START.narrow, true), "what is written back, and what is set");
        (sums, sales) = (sums + till.sum - START.sum, sales + till.sales.wrapping_sub(START.sales));
    }
    expect_eq!((sums, sales), (sum, 2 * count), "sums and numbers of sales");
    Ok(())
}

/// A procedure that is called with one array twice, and sums of values that other transactions change meanwhile.
pub(super) fn sums_of_one_array_under_two_names(environment: &Environment) -> TestResult {
    let both = [environment.shared(&[0_u64; 2])?, environment.shared(&[0_u64; 2])?];
    let sums = environment.shared(&[0_u64; 2])?;
    let same = environment.shared(&[0_u64; 2])?;
    let prices = environment.shared(&[7_u64, 100])?;
    let mut batch = environment.batch();
    let count = environment.transactions(20) as u64;
    for k in 0..count {
        batch.push(add_to_both::call(&both[0], &both[1], 0, k));
        batch.push(add_to_both::call(&same, &same, (k % 2) as u32, 1));
        batch.push(add_price::call(&prices, &sums, 1, (k % 2) as u32));
        batch.push(raise_price::call(&prices, 0));
    }
    let report = environment.run(&batch)?;
    expect_eq!(report.committed, 4 * count, "all commit: {report}");
    let all = count * (count - 1) / 2;
    expect_eq!([both[0].to_vec()?, both[1].to_vec()?], [vec![all, 0], vec![2 * all, 0]], "two arrays");
    expect_eq!(same.to_vec()?, vec![2 * count.div_ceil(2), 2 * (count / 2)], "one array under two names");
    expect_eq!(sums.to_vec()?.iter().sum::<u64>(), 100 * count, "sums of prices");
    expect_eq!(prices.to_vec()?, vec![7 + count, 100], "the prices");
    Ok(())
}
