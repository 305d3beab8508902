//! Arrays that no procedure of a batch writes, beside batches that write them.

use stm_runtime::{Outcome, Shared};

use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::constants::{Shop, buy, raise_prices, sum_of_prices};
use crate::{expect, expect_eq};

/// The number of pieces, and of shops.
const PIECES: u32 = 8;
const SHOPS: u32 = 3;

/// The prices are written by some runs and only read by the runs in between, which leave them where they lie. A read past the end
/// faults in both.
pub(super) fn written_by_every_other_run(environment: &Environment) -> TestResult {
    let prices = environment.shared(&(0..i64::from(PIECES)).map(|piece| 100 * piece).collect::<Vec<_>>())?;
    let shops = environment.shared(&[Shop { tax: 10, sold: 0, open: true }; SHOPS as usize])?;
    let mut sold = 0;
    for turn in 0..4 {
        let raises = turn % 2;
        sold += sell(environment, &prices, &shops, raises)?;
        let found = shops.to_vec()?;
        expect_eq!(found.iter().map(|shop| shop.sold).sum::<i64>(), sold, "the sales until turn {turn}");
        expect!(found.iter().all(|shop| shop.tax == 10 && shop.open), "only sums change: {found:?}");
        let total = 100 * (0..i64::from(PIECES)).sum::<i64>();
        let raised = (turn + 1) / 2 * environment.transactions(30) as i64 * i64::from(PIECES);
        expect_eq!(prices.to_vec()?.iter().sum::<i64>(), total + raised, "the prices after turn {turn}");
    }
    Ok(())
}

/// Runs a batch that raises all prices `raises` times for each sale. Returns the sum of all sales.
fn sell(environment: &Environment, prices: &Shared<i64>, shops: &Shared<Shop>, raises: i64) -> Result<i64, Failure> {
    let mut batch = environment.batch();
    let (mut sales, mut sums, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
    for transaction in 0..environment.transactions(30) as u32 {
        sales.push(batch.push(buy::call(prices, shops, transaction % PIECES, transaction % SHOPS)));
        sums.push(batch.push(sum_of_prices::call(prices, PIECES)));
        if transaction % 5 == 0 {
            beyond.push(batch.push(buy::call(prices, shops, PIECES + transaction, transaction % SHOPS)));
        }
        (0..raises).for_each(|_| _ = batch.push(raise_prices::call(prices, PIECES, 1)));
    }
    let before = prices.to_vec()?.iter().sum::<i64>();
    let report = environment.run(&batch)?;
    for ticket in beyond {
        expect!(matches!(report.outcome(ticket), Outcome::Faulted(_)), "a price past the end: {report}");
    }
    for ticket in sums {
        let Outcome::Committed(sum) = report.outcome(ticket) else {
            return Err(Failure::Outcome(format!("no sum: {report}")));
        };
        expect_eq!((sum - before) % i64::from(PIECES), 0, "a sum of prices of one moment");
        expect!(
            raises > 0 || sum == before,
            "the sum of the prices is {sum}, and was {before} before a batch that raises no price"
        );
    }
    let cost = |ticket| match report.outcome(ticket) {
        Outcome::Committed(cost) => Ok(cost),
        _ => Err(Failure::Outcome(format!("not sold: {report}"))),
    };
    sales.into_iter().map(cost).sum()
}
