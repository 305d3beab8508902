//! Calls by a path: functions of generic types and of traits that rustc finds by the arguments and the result.

use stm_runtime::prelude::*;

use crate::harness::everywhere;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Ring<const N: usize> {
    items: [u32; N],
    len: usize,
}

#[gpu_fn]
impl<const N: usize> Ring<N> {
    fn new() -> Self {
        Self { items: [0; N], len: 0 }
    }

    fn of(item: u32) -> Self {
        let mut ring = Self::new();
        ring.push(item);
        ring
    }

    fn push(&mut self, item: u32) -> bool {
        if self.len == N {
            return false;
        }
        self.items[self.len] = item;
        self.len += 1;
        true
    }
}

#[gpu_fn]
fn filled(a: u32, b: u32) -> (Ring<2>, Ring<3>, [bool; 3]) {
    let mut two: Ring<2> = Ring::new();
    let three: Ring<3> = Ring::of(b);
    (two, three, [two.push(a), two.push(b), two.push(three.len as u32)])
}

#[gpu_fn]
fn pushed(a: u32, b: u32) -> Ring<3> {
    let mut ring = Ring::new();
    ring.push(a);
    ring.push(b);
    ring
}

#[gpu_fn]
fn emptied(ring: &mut Ring<3>) {
    *ring = Ring::new();
}

#[gpu_fn]
fn replaced(a: u32) -> [Ring<3>; 2] {
    let mut rings = [Ring::of(a), Ring::new()];
    rings[1] = Ring::of(a / 2);
    if a % 2 == 0 {
        emptied(&mut rings[0]);
    }
    rings
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Cursor<T, const N: usize> {
    text: [T; N],
    at: usize,
}

#[gpu_fn]
impl<T: Copy, const N: usize> Cursor<T, N> {
    fn new(text: [T; N]) -> Self {
        Self { text, at: 0 }
    }

    fn next(&mut self) -> Option<T> {
        let next = self.text.get(self.at).copied();
        self.at += 1;
        next
    }
}

#[gpu_fn]
fn last_of<const N: usize>(text: [u8; N]) -> u32 {
    let mut cursor = Cursor::new(text);
    let mut last = 0;
    while let Some(one) = cursor.next() {
        last = one as u32 + last % 7;
    }
    last
}

#[gpu_fn]
fn read(a: u32, b: u8) -> (u32, Option<u32>, Option<(u32, u8)>) {
    let mut cursor = Cursor::new([a, 7, u32::from(b)]);
    let mut pairs = Cursor::new([(a, b)]);
    cursor.next();
    (last_of([b, 3, 1, a as u8]) + last_of([b, 9]), cursor.next(), pairs.next())
}

/// What is made of two numbers.
#[gpu_fn]
trait Made {
    fn of_parts(a: u32, b: u32) -> Self;
    fn none() -> Self;
    fn weight(&self) -> u32;
    fn add(&mut self, more: u32);

    fn double(&self, more: u32) -> u32 {
        2 * (self.weight() % 1000) + more % 1000
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Sum(u32);

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_fn]
impl Made for Sum {
    fn of_parts(a: u32, b: u32) -> Self {
        Sum(a ^ b)
    }

    fn none() -> Self {
        Sum(5)
    }

    fn weight(&self) -> u32 {
        self.0
    }

    fn add(&mut self, more: u32) {
        self.0 ^= more;
    }
}

#[gpu_fn]
impl Made for Pair<u32> {
    fn of_parts(a: u32, b: u32) -> Self {
        Pair { a, b }
    }

    fn none() -> Self {
        Pair { a: 1, b: 2 }
    }

    fn weight(&self) -> u32 {
        self.a / 2 + self.b / 2
    }

    fn add(&mut self, more: u32) {
        self.b = more;
    }

    fn double(&self, more: u32) -> u32 {
        more
    }
}

#[gpu_fn]
impl Made for u32 {
    fn of_parts(a: u32, b: u32) -> Self {
        a & b
    }

    fn none() -> Self {
        3
    }

    fn weight(&self) -> u32 {
        *self / 4
    }

    fn add(&mut self, more: u32) {
        *self = more;
    }
}

#[gpu_fn]
fn made(a: u32, b: u32) -> (Sum, Pair<u32>, u32, [u32; 3]) {
    let sum: Sum = Made::of_parts(a, b);
    let mut pair: Pair<u32> = Made::of_parts(b, a);
    Made::add(&mut pair, 17);
    let number: u32 = Made::of_parts(a, 77);
    (sum, pair, number, [Made::weight(&sum), Made::weight(&pair), Made::weight(&number)])
}

#[gpu_fn]
fn nothing() -> Sum {
    Made::none()
}

#[gpu_fn]
fn made_for<T: Made>(a: u32, b: u32) -> T {
    let mut made = T::of_parts(a, b);
    made.add(T::double(&made, 3) + Made::double(&T::none(), 4) + <T as Made>::double(&made, 5));
    made
}

#[gpu_fn]
fn found(a: u32, b: u32) -> (Sum, Pair<u32>, u32, Sum) {
    let pair: Pair<u32> = made_for(b, a);
    let given = Made::double(&pair, 4) + Made::double(&Sum(a), 2);
    (made_for(a, b), pair, made_for(given, b), nothing())
}

same_as_plain! { rustc_finds_functions_by_their_results:
    filled(a: u32, b: u32) -> (Ring<2>, Ring<3>, [bool; 3]);
    pushed(a: u32, b: u32) -> Ring<3>;
    replaced(a: u32) -> [Ring<3>; 2];
    read(a: u32, b: u8) -> (u32, Option<u32>, Option<(u32, u8)>);
    made(a: u32, b: u32) -> (Sum, Pair<u32>, u32, [u32; 3]);
    found(a: u32, b: u32) -> (Sum, Pair<u32>, u32, Sum);
}

/// What is paid for out of an array.
#[gpu_fn]
trait Pay {
    fn price(&self) -> u32;

    fn pay(&self, tx: &mut Tx, cells: &Shared<u32>) -> TxResult<u32> {
        tx.write(cells, 0, self.price())?;
        Ok(1)
    }
}

#[gpu_fn]
impl Pay for Sum {
    fn price(&self) -> u32 {
        self.0
    }
}

#[gpu_fn]
impl Pay for Pair<u32> {
    fn price(&self) -> u32 {
        self.a
    }

    fn pay(&self, tx: &mut Tx, cells: &Shared<u32>) -> TxResult<u32> {
        tx.write(cells, 1, 100 * self.price())?;
        Ok(2)
    }
}

#[gpu_transaction]
fn pay(tx: &mut Tx, cells: &Shared<u32>, k: u32) -> TxResult<u32> {
    let pair = Pair { a: k, b: 0 };
    Ok(Pay::pay(&Sum(k), tx, cells)? + 10 * pair.pay(tx, cells)? + 100 * Pay::price(&pair))
}

#[test]
fn default_methods_with_arrays_are_found_by_the_trait() {
    everywhere("default methods with arrays", |environment| {
        let cells = environment.shared(&[0; 2])?;
        let mut batch = environment.batch();
        let paid = batch.push(pay::call(&cells, 7));
        assert_eq!(batch.run()?.outcome(paid), Outcome::Committed(721));
        assert_eq!(cells.to_vec()?, [7, 700]);
        Ok(())
    });
}
