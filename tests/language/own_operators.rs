//! Operators on records and between types, `==` of records and enums, `max` and `min` of `core::cmp` as imported names.

use std::cmp::{max, min};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Money {
    cents: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Point(f32, f32);

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Account {
    money: Money,
    count: u8,
    at: Point,
}

impl Money {
    const FEE: Money = Money { cents: 7 };
}

#[gpu_fn]
impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self::Output {
        Self { cents: self.cents + other.cents }
    }
}

#[gpu_fn]
impl From<u8> for Money {
    fn from(small: u8) -> Money {
        Money { cents: small as i32 * 100 }
    }
}

#[gpu_fn]
impl Sub<i32> for Money {
    type Output = Money;
    fn sub(self, cents: i32) -> Money {
        Money { cents: self.cents - cents }
    }
}

#[gpu_fn]
impl Mul for Money {
    type Output = i64;
    fn mul(self, other: Money) -> i64 {
        self.cents as i64 * other.cents as i64
    }
}

#[gpu_fn]
impl Div<u8> for Money {
    type Output = (i32, i32);
    fn div(self, by: u8) -> Self::Output {
        (self.cents / by as i32, self.cents % by as i32)
    }
}

#[gpu_fn]
impl Rem<Money> for Money {
    type Output = Option<Money>;
    fn rem(self, by: Money) -> Option<Money> {
        Some(Money { cents: self.cents.checked_rem(by.cents)? })
    }
}

#[gpu_fn]
impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        *self = *self + other;
    }
}

#[gpu_fn]
impl SubAssign<u8> for Money {
    fn sub_assign(&mut self, other: u8) {
        self.cents -= other as i32;
    }
}

#[gpu_fn]
impl Neg for Point {
    type Output = Point;
    fn neg(self) -> Point {
        Point(-self.0, -self.1)
    }
}

#[gpu_fn]
impl Mul<f32> for Point {
    type Output = Point;
    fn mul(self, by: f32) -> Point {
        Point(self.0 * by, self.1 * by)
    }
}

#[gpu_fn]
impl MulAssign<f32> for Point {
    fn mul_assign(&mut self, by: f32) {
        *self = *self * by;
    }
}

/// An inherent method of that name is no operator.
#[gpu_fn]
impl Point {
    fn add(&mut self, by: f32) {
        self.0 += by;
    }
}

#[gpu_fn]
fn twice(money: Money) -> Money {
    money + money
}

#[gpu_fn]
fn first<T: Copy>(list: [T; 2]) -> T {
    list[0]
}

#[gpu_fn]
fn operators(a: Money, b: Money, by: u8) -> (Money, i64, (i32, i32), Option<Money>) {
    let sum = a + b + Money::FEE - by as i32;
    let all = [a, b].iter().fold(Money::FEE, |sum, x| sum + *x);
    let chosen = if by > 3 { twice(a) + sum } else { first([b, a]) + all - 2 };
    let chosen = Money::from(by) - 3 + chosen;
    (chosen, sum * b, a / by, chosen % b)
}

#[gpu_fn]
fn assigned(account: Account, other: Money, by: f32) -> (Account, u8) {
    let mut account = account;
    account.money += other;
    account.money -= 3;
    account.at = -(account.at * 2.0) * by;
    account.at *= 0.5;
    account.at.add(by);
    account.count -= 1;
    let mut count = account.count * 2 % 7 + 1;
    count += account.count / 3;
    (account, count)
}

/// Fields are numbers, whose operators fault where they stand.
#[gpu_fn]
fn fields(account: Account, by: u8) -> (i32, u8) {
    let cents = -account.money.cents * 3;
    let rest = account.count % by;
    (cents, rest - 1)
}

#[gpu_fn]
fn of_core(account: Account, other: u8, list: [i16; 3]) -> (u8, i16, i32) {
    let most = max(account.count, other);
    let least = min(list[0], max(list[1], list[2]));
    (min(most, 99) + 1, least, max(account.money.cents, -5) / 2)
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Shape {
    Dot,
    Line(Point, [u8; 2]),
    Named { id: Option<u8>, level: Level },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
enum Level {
    Low,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair<T> {
    both: [T; 2],
    last: Option<T>,
}

#[gpu_fn]
fn equal(a: Shape, b: Shape, c: Account) -> [bool; 8] {
    let one: Pair<Shape> = Pair { both: [a, b], last: None };
    let two: Pair<Shape> = Pair { both: [b, a], last: Some(a) };
    let dot = c == Account { money: c.money, ..c };
    let list = [a, Shape::Dot, b];
    [
        a == b,
        one != two,
        (a, 1) == (b, 1),
        one.last == two.last,
        dot,
        [a, b] == two.both,
        list.contains(&Shape::Dot),
        a != list[2],
    ]
}

#[gpu_fn]
fn elements(list: [Money; 3], at: usize, by: Money, small: u8) -> ([Money; 3], Account) {
    let mut list = list;
    let mut account = Account { money: by, count: small, at: Point(0.5, 1.0) };
    list[at % 4] += by;
    for money in list.iter_mut().skip(1) {
        *money += Money::FEE;
        *money -= small;
    }
    let mut both = [account; 2];
    both[at % 2].money += list[0];
    both[1].count += 1;
    account = both[1];
    (list, account)
}

same_as_plain! { operators_of_records_are_functions:
    elements(list: [Money; 3], at: usize, by: Money, small: u8) -> ([Money; 3], Account);
    operators(a: Money, b: Money, by: u8) -> (Money, i64, (i32, i32), Option<Money>);
    assigned(account: Account, other: Money, by: f32) -> (Account, u8);
    fields(account: Account, by: u8) -> (i32, u8);
    of_core(account: Account, other: u8, list: [i16; 3]) -> (u8, i16, i32);
    equal(a: Shape, b: Shape, c: Account) -> [bool; 8];
}
