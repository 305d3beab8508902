//! Paths to items of other modules and other crates, imported, renamed, or by a glob.

use super::{everywhere, value};
use stm_runtime::prelude::*;
use stm_tests::offer::{self, Goods as Stock, LIMIT as MOST, State, bring as deliver, cost as price_of};

mod rules {
    use stm_runtime::prelude::*;

    pub(super) mod limits {
        /// A limit.
        pub(in crate::paths) const LOW: u32 = 1;
        /// Another limit, computed from the first.
        pub(in crate::paths) const HIGH: u32 = LOW + super::STEP;
    }

    const STEP: u32 = 2;

    #[gpu_fn]
    pub(super) fn clamp(x: u32) -> u32 {
        x.clamp(self::limits::LOW, limits::HIGH)
    }

    /// Takes an array and the handle through two modules.
    #[gpu_fn]
    pub(super) fn sell(tx: &mut Tx, shop: &Shared<super::Stock>, at: u32, count: u32) -> TxResult<i64> {
        let goods = stm_tests::offer::take(tx, shop, at, clamp(count))?;
        Ok(super::price_of(goods, clamp(count)))
    }
}

mod globs {
    use super::rules::limits::*;
    use super::*;

    /// Uses names from globs.
    #[gpu_transaction]
    pub(super) fn low(tx: &mut Tx, shop: &Shared<Stock>, at: u32) -> TxResult<u32> {
        let goods: Stock = tx.read(shop, at)?;
        let new = Stock { state: State::Old, count: HIGH.max(goods.count), ..goods };
        tx.write(shop, at, new)?;
        Ok(new.count + LOW + MOST)
    }
}

/// Uses paths of every sort.
#[gpu_transaction]
fn sell(tx: &mut Tx, shop: &Shared<offer::Goods>, at: u32, count: u32) -> TxResult<(i64, State)> {
    let paid = crate::paths::rules::sell(tx, shop, at, count)?;
    let more = self::rules::clamp(count) + rules::limits::LOW + MOST + offer::LIMIT;
    let state = match tx.read(&shop.state, at)? {
        offer::State::New if more > MOST => State::Old,
        state => state,
    };
    Ok((paid + i64::from(more), state))
}

/// Another module with the same name in it.
mod other {
    use super::*;

    #[gpu_transaction]
    pub(super) fn sell(tx: &mut Tx, shop: &Shared<Stock>, at: u32) -> TxResult<i64> {
        tx.read(&shop.price, at)
    }
}

/// Runs a transaction of another crate, and one of this crate with types and functions of that crate.
#[test]
fn paths_mean_what_rustc_says() {
    everywhere(|device| {
        let goods = |count, state| Stock { count, price: 10, state };
        let shop = device.shared(&[goods(4, State::New), goods(0, State::New), goods(9, State::Old)])?;
        let mut batch = device.batch();
        let first = batch.push(sell::call(&shop, 0, 7));
        let waits = batch.push(sell::call(&shop, 1, 1));
        let _ = batch.push(deliver::call(&shop, 1, 50));
        let low = batch.push(globs::low::call(&shop, 2));
        let price = batch.push(other::sell::call(&shop, 0));
        let report = batch.run_with(&RunOptions::new().check(true))?;
        assert_eq!(value(report.outcome(first)), (30 + 3 + 1 + 10, State::Old));
        assert_eq!(value(report.outcome(waits)), (10 + 1 + 1 + 10, State::Old));
        assert_eq!(value(report.outcome(low)), 9 + 1 + 5);
        assert_eq!(value(report.outcome(price)), 10);
        assert_eq!(shop.count.to_vec()?, [1, 4, 9]);
        Ok(())
    });
}
