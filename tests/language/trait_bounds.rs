//! Traits of the program that require others, those of operators and order among them.

use std::ops::Add;

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

#[gpu_fn]
trait Named: Copy {
    fn id(&self) -> u32;
}

#[gpu_fn]
trait Ranked: Named + PartialOrd {
    const TOP: Self;
    fn rank(&self) -> u32 {
        self.id() * 2
    }
    fn better(self, o: Self) -> Self {
        if self > o { self } else { o }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Eq, Ord, GpuData)]
struct Card {
    k: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Eq, Ord, GpuData)]
struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_fn]
impl Named for Card {
    fn id(&self) -> u32 {
        self.k % 100
    }
}

#[gpu_fn]
impl Ranked for Card {
    const TOP: Self = Card { k: 77 };
}

#[gpu_fn]
impl Named for u32 {
    fn id(&self) -> u32 {
        *self % 100
    }
}

#[gpu_fn]
impl Ranked for u32 {
    const TOP: u32 = 5;
}

#[gpu_fn]
impl<T: Ranked> Named for Pair<T> {
    fn id(&self) -> u32 {
        self.a.id() + self.b.rank()
    }
}

#[gpu_fn]
impl<T: Ranked> Ranked for Pair<T> {
    const TOP: Self = Pair { a: T::TOP, b: T::TOP };
}

#[gpu_fn]
fn best<T: Ranked>(a: T, b: T) -> T {
    a.better(b).better(T::TOP)
}

#[gpu_fn]
fn sorted<T: Ord + Copy>(a: T, b: T) -> Pair<T> {
    if a < b { Pair { a, b } } else { Pair { a: b, b: a } }
}

#[gpu_fn]
impl<T: Ord + Copy> Pair<T> {
    fn most(&self) -> T {
        self.a.max(self.b)
    }
    fn least(self) -> T {
        std::cmp::min(self.a, self.b)
    }
    fn order(&self, o: &Self) -> std::cmp::Ordering {
        self.a.cmp(&o.a)
    }
    fn swap_if(&mut self) {
        if self.a > self.b {
            let t = self.a;
            self.a = self.b;
            self.b = t;
        }
    }
}

#[gpu_fn]
fn of_ranks(x: u32, y: u32) -> (u32, u32, u32) {
    (
        best(x, y).rank(),
        best(Card { k: x }, Card { k: y }).id(),
        best(Pair { a: Card { k: x }, b: Card { k: 3 } }, Pair { a: Card { k: y }, b: Card { k: 4 } }).rank(),
    )
}

#[gpu_fn]
fn of_pairs(x: u32, y: u32) -> (u32, u32, u32, bool) {
    let p = sorted(x, y);
    let q = sorted(Card { k: x }, Card { k: y });
    let mut r = Pair { a: x, b: y };
    r.swap_if();
    (p.most() ^ r.a, q.most().k, q.least().k, p.order(&r) == std::cmp::Ordering::Equal)
}

#[gpu_fn]
fn of_results(x: u32, y: u32) -> u32 {
    sorted(sorted(x, y), sorted(y, x)).most().most()
}

same_as_plain! { traits_require_others:
    of_ranks(x: u32, y: u32) -> (u32, u32, u32);
    of_pairs(x: u32, y: u32) -> (u32, u32, u32, bool);
    of_results(x: u32, y: u32) -> u32;
}

#[gpu_fn]
trait Amount: Copy + Add<Output = Self> + PartialOrd {
    const ZERO: Self;
}

#[gpu_fn]
impl Amount for u32 {
    const ZERO: u32 = 0;
}

#[gpu_fn]
impl Amount for i64 {
    const ZERO: i64 = 0;
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, GpuData)]
struct Money {
    cents: i64,
}

#[gpu_fn]
impl Add for Money {
    type Output = Money;
    fn add(self, o: Money) -> Money {
        Money { cents: self.cents + o.cents }
    }
}

#[gpu_fn]
impl Amount for Money {
    const ZERO: Money = Money { cents: 0 };
}

#[gpu_fn]
fn add_to<T: Amount>(tx: &mut Tx, cells: &Shared<T>, at: u32, by: T) -> TxResult<T> {
    let old = tx.read(cells, at)?;
    let new = old + by;
    tx.guard(new >= T::ZERO)?;
    tx.write(cells, at, new)?;
    Ok(new)
}

#[gpu_fn]
fn both<T: Amount>(tx: &mut Tx, cells: &Shared<T>, by: T) -> TxResult<T> {
    let a = add_to(tx, cells, 0, by)?;
    Ok(a + add_to(tx, cells, 1, a)?)
}

#[gpu_fn]
fn update<T: Amount>(tx: &mut Tx, cells: &Shared<T>, by: T) -> TxResult {
    tx.update(cells, 0, |x| x + by)
}

#[gpu_transaction]
fn change(tx: &mut Tx, small: &Shared<u32>, wide: &Shared<i64>, money: &Shared<Money>) -> TxResult<(u32, i64, i64)> {
    update(tx, wide, 3)?;
    update(tx, money, Money { cents: 3 })?;
    Ok((both(tx, small, 2)?, both(tx, wide, 3)?, both(tx, money, Money { cents: 4 })?.cents))
}

#[gpu_transaction(instantiate(u32, Money))]
fn change_both<T: Amount>(tx: &mut Tx, cells: &Shared<T>, by: T) -> TxResult<T> {
    both(tx, cells, by)
}

#[test]
fn functions_with_bounds_change_arrays() {
    everywhere("functions with bounds", |environment| -> TestResult {
        let a = environment.shared(&[1_u32, 2])?;
        let b = environment.shared(&[1_i64, 2])?;
        let m = environment.shared(&[Money { cents: 1 }, Money { cents: 2 }])?;
        let mut batch = environment.batch();
        let t = batch.push(change::call(&a, &b, &m));
        let report = environment.run_all(&batch)?;
        expect_eq!(report.outcome(t), Outcome::Committed((3 + 5, 7 + 9, 8 + 10)), "the sums");
        let mut batch = environment.batch();
        let t = batch.push(change_both::call(&m, Money { cents: 1 }));
        let report = environment.run_all(&batch)?;
        expect_eq!(report.outcome(t), Outcome::Committed(Money { cents: 9 + 19 }), "the sums");
        Ok(())
    });
}
