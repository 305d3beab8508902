//! Operators on parameters for types: as bounds, or traits of the program, say; for numbers, and for records with operators of their own.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, GpuData)]
struct Money {
    cents: i64,
}

#[gpu_fn]
impl Add for Money {
    type Output = Money;
    fn add(self, o: Money) -> Money {
        Money { cents: self.cents.wrapping_add(o.cents) }
    }
}

#[gpu_fn]
impl Sub for Money {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Money { cents: self.cents.wrapping_sub(o.cents) }
    }
}

#[gpu_fn]
fn twice<T: Copy + Add<Output = T>>(x: T) -> T {
    x + x
}

#[gpu_fn]
fn apart<T>(x: T, y: T) -> T
where
    T: Copy + Sub<Output = T> + PartialOrd,
{
    if x > y { x - y } else { y - x }
}

#[gpu_fn]
trait Amount: Copy + Add<Output = Self> {
    const ZERO: Self;
    fn half(self) -> Self;
    fn plus_half(self) -> Self {
        self + self.half()
    }
}

#[gpu_fn]
impl Amount for u32 {
    const ZERO: Self = 0;
    fn half(self) -> Self {
        self / 2
    }
}

#[gpu_fn]
impl Amount for i64 {
    const ZERO: i64 = 0;
    fn half(self) -> i64 {
        self / 2
    }
}

#[gpu_fn]
impl Amount for Money {
    const ZERO: Self = Money { cents: 0 };
    fn half(self) -> Self {
        Money { cents: self.cents / 2 }
    }
}

#[gpu_fn]
fn summed<T: Amount, const N: usize>(list: [T; N]) -> T {
    let mut sum = T::ZERO;
    for x in list {
        sum = sum + x.half();
    }
    sum
}

#[gpu_fn]
fn halves<T: Amount>(a: T, b: T) -> T {
    a.half() + b.half()
}

#[gpu_fn]
fn doubled(a: u32, b: i64) -> (u32, i64, i64) {
    let m = Money { cents: b / 4 };
    (twice(a / 4), twice(b / 4), twice(m).cents)
}

#[gpu_fn]
fn of_lists(a: u32, b: i64, c: u32) -> (u32, i64, i64) {
    let m = Money { cents: b / 4 };
    (summed([a, c]), summed([b, 3]), summed([m, m, Money { cents: 3 }]).cents)
}

#[gpu_fn]
fn of_halves(a: u32, b: i64, c: u32) -> (u32, i64, i64) {
    let m = Money { cents: b / 4 };
    (halves(a, c), halves(b, 3), halves(m, m).plus_half().cents)
}

#[gpu_fn]
fn of_numbers(a: u32, b: u32) -> (u32, u32) {
    (apart(a, b), (a / 4).plus_half())
}

#[gpu_fn]
impl AddAssign for Money {
    fn add_assign(&mut self, o: Money) {
        self.cents = self.cents.wrapping_add(o.cents);
    }
}

#[gpu_fn]
trait Num: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> {}

#[gpu_fn]
impl Num for u32 {}

#[gpu_fn]
impl Num for i64 {}

#[gpu_fn]
impl Num for Money {}

#[gpu_fn]
fn distance<T: Num>(a: T, b: T) -> T {
    if a > b { a - b } else { b - a }
}

#[gpu_fn]
fn added<T: Copy + AddAssign>(a: T, b: T) -> T {
    let mut s = a;
    s += b;
    s
}

#[gpu_fn]
fn avg<T: Copy + Add<Output = T> + std::ops::Div<Output = T> + From<u8>>(a: T, b: T) -> T {
    (a + b) / T::from(2)
}

#[gpu_fn]
fn sum_all<T: Copy + Default + Add<Output = T>, const N: usize>(list: [T; N]) -> T {
    list.iter().fold(T::default(), |a, b| a + *b)
}

#[gpu_fn]
fn distances(a: u32, b: i64) -> (u32, i64, i64) {
    (distance(a, 7), distance(b / 4, 3), distance(Money { cents: b }, Money { cents: 3 }).cents)
}

#[gpu_fn]
fn assigning(a: u32, b: i64) -> (u32, i64, i64) {
    (added(a / 2, 7), added(b / 4, 3), added(Money { cents: b }, Money { cents: 3 }).cents)
}

#[gpu_fn]
fn folded(a: u32, b: i64) -> (u32, i64) {
    (sum_all([a / 2, 7]), sum_all([Money { cents: b }, Money { cents: 3 }]).cents)
}

#[gpu_fn]
fn averages(a: u32, b: i64) -> (u32, i64) {
    (avg(a / 2, 7), avg(b / 2, 7))
}

/// Overflows in the function of the operator, and in that of a number.
#[gpu_fn]
impl Mul for Money {
    type Output = Money;
    fn mul(self, other: Money) -> Money {
        Money { cents: self.cents * other.cents }
    }
}

#[gpu_fn]
fn squared<T: Copy + Mul<Output = T>>(x: T) -> T {
    x * x
}

#[gpu_fn]
fn opposite<T: Neg<Output = T>>(x: T) -> T {
    -x
}

#[gpu_fn]
impl Neg for Money {
    type Output = Money;
    fn neg(self) -> Money {
        Money { cents: 1000 / (self.cents % 2) }
    }
}

#[gpu_fn]
fn faulting(a: i64, b: i32) -> (i64, i64) {
    (squared(Money { cents: a }).cents, squared(b) as i64)
}

#[gpu_fn]
fn negated(a: i64, b: i32) -> (i64, i32) {
    (if a > 4 { opposite(Money { cents: a }).cents } else { 1 }, opposite(b))
}

same_as_plain! { operators_come_from_bounds_and_traits:
    doubled(a: u32, b: i64) -> (u32, i64, i64);
    of_lists(a: u32, b: i64, c: u32) -> (u32, i64, i64);
    of_halves(a: u32, b: i64, c: u32) -> (u32, i64, i64);
    of_numbers(a: u32, b: u32) -> (u32, u32);
    distances(a: u32, b: i64) -> (u32, i64, i64);
    assigning(a: u32, b: i64) -> (u32, i64, i64);
    folded(a: u32, b: i64) -> (u32, i64);
    averages(a: u32, b: i64) -> (u32, i64);
    faulting(a: i64, b: i32) -> (i64, i64);
    negated(a: i64, b: i32) -> (i64, i32);
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Turn {
    None,
    Half,
}

#[gpu_fn]
impl Add for Turn {
    type Output = Turn;

    fn add(self, other: Turn) -> Turn {
        if self == other { Turn::None } else { Turn::Half }
    }
}

#[gpu_fn]
fn turn_of(n: u32) -> Turn {
    if n == 0 { Turn::None } else { Turn::Half }
}

#[gpu_transaction]
fn turned(_tx: &mut Tx, n: u32) -> TxResult<Turn> {
    Ok(if n > 3 { twice::<Turn>(turn_of(3)) } else { twice(turn_of(n)) })
}

#[gpu_transaction]
fn unknown(_tx: &mut Tx) -> TxResult<bool> {
    let turn = twice(turn_of(3));
    Ok(turn == Turn::None)
}

#[test]
fn an_operator_that_is_not_found_is_not_that_of_numbers() {
    assert!(turned::kernel().facts().is_ok());
    let error = unknown::kernel().facts().expect_err("a literal does not say what it is a turn of");
    assert!(error.to_string().contains("write it in the call of this function, as in `twice::<Turn>(..)`"), "{error}");
}
