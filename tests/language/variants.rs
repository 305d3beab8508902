//! Enums with fields: made, matched, changed as a whole, passed, returned, stored.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;
use crate::values::Point;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Shape {
    Empty,
    Circle(i32),
    Rectangle { from: Point, size: (i32, i32) },
    Path([i32; 3], Option<u8>),
    Some(Side),
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Side {
    Left(bool),
    Right,
}

#[gpu_fn]
impl Point {
    fn length(&self) -> i32 {
        self.x.wrapping_abs() ^ self.y
    }
}

#[gpu_fn]
impl Shape {
    const UNIT: Shape = Shape::Circle(1);

    fn area(&self) -> i32 {
        match self {
            Self::Empty => 0,
            Self::Circle(r) if *r < 0 => -1,
            Self::Circle(r) => r.wrapping_mul(*r),
            Self::Rectangle { size: (w, h), .. } => w.wrapping_mul(*h),
            Shape::Path([a, _, c], _) => a ^ c,
            Shape::Some(Side::Left(true)) => 5,
            Shape::Some(_) => 6,
        }
    }

    fn turned(self, by: i32) -> Self {
        match self {
            Shape::Empty => Shape::UNIT,
            Shape::UNIT => Shape::Some(Side::Left(by > 2)),
            Shape::Circle(r) => Self::Rectangle { size: (by, r), from: Point { x: r, y: by } },
            Shape::Rectangle { from, size: (a @ 0..=9, _) } => Shape::Path([from.length(), from.x, a], Some(a as u8)),
            Shape::Rectangle { from, .. } => Shape::Path([from.length(), by, from.y], None),
            Shape::Path(list, Some(n)) => Shape::Circle(list[n as usize % 3]),
            Shape::Path([a, b, _], None) if a < b => Shape::Circle(b),
            Shape::Path(..) => Shape::Empty,
            Shape::Some(side) => Shape::Some(match side {
                Side::Left(false) => Side::Right,
                Side::Left(yes) => Side::Left(!yes),
                Side::Right => Side::Left(true),
            }),
        }
    }
}

#[gpu_fn]
fn shape(kind: u8, a: i32, b: i32) -> Shape {
    match kind % 7 {
        0 => Shape::Empty,
        1 => Shape::Circle(a),
        2 => Shape::Rectangle { from: Point { x: a, y: b }, size: (b, a) },
        3 => Shape::Path([a, b, a], Some(kind)),
        4 => Shape::Path([b, a, b], None),
        5 => Shape::Some(Side::Left(a > b)),
        _ => Shape::Some(Side::Right),
    }
}

#[gpu_fn]
fn turns(kind: u8, a: i32, b: i32) -> (Shape, i32, bool) {
    let mut it = shape(kind, a, b);
    let mut sum = it.area();
    let mut k = 0;
    while k < 4 && !matches!(it, Shape::Circle(7)) {
        it = it.turned(b);
        sum ^= it.area();
        k += 1;
    }
    let Shape::Circle(r) = it else { return (it, sum, false) };
    (Shape::Circle(r / 2), sum, r > 3)
}

#[gpu_fn]
fn alternatives(it: Shape, other: Shape) -> (i32, Option<Shape>, [Shape; 2]) {
    let a = match it {
        Shape::Circle(n) | Shape::Path([_, n, _], _) | Shape::Rectangle { from: Point { x: n, .. }, .. } => n,
        Shape::Some(Side::Left(_) | Side::Right) | Shape::Empty => -1,
    };
    let pair = [it, other];
    let found = if let [Shape::Circle(_), Shape::Circle(x)] = pair
        && x > 0
    {
        Some(pair[1])
    } else {
        None
    };
    let list = [pair[1], pair[a as usize % 2]];
    (a, found, list)
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Change<T, R> {
    Left(T),
    Right { value: R },
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Tagged<const KIND: u8, const EXACT: bool>(u32);

#[gpu_fn]
impl<const KIND: u8, const EXACT: bool> Tagged<KIND, EXACT> {
    const NONE: Self = Tagged(u32::MAX);

    fn tag(self) -> u64 {
        if EXACT && self.0 == Self::NONE.0 { 7 } else { (KIND as u64) << 32 | self.0 as u64 }
    }
}

/// Parameters of an `impl` that are no lengths, and bytes that become numbers.
#[gpu_fn]
fn tagged(bytes: [u8; 9], k: usize, exact: Tagged<3, true>) -> (u64, u64, i16, u32) {
    let one: Tagged<200, false> = Tagged(u32::from_le_bytes(bytes[2..6].try_into().unwrap()));
    let part: [u8; 2] = bytes[k..k + 2].try_into().expect("two");
    (one.tag(), exact.tag(), i16::from_be_bytes(part), u32::from_be_bytes(bytes[..=3].try_into().unwrap()))
}

#[gpu_fn]
impl<L: Copy + PartialOrd> Change<L, (L, L)> {
    fn put(self, old: L) -> L {
        match self {
            Change::Left(new) => new,
            Change::Right { value: (least, _) } if old < least => least,
            Change::Right { value: (_, most) } if old > most => most,
            _ => old,
        }
    }
}

#[gpu_fn]
fn both_put<L: Copy + PartialOrd>(first: Change<L, (L, L)>, second: Change<L, (L, L)>, old: L) -> L {
    second.put(first.put(old))
}

/// The type of a variable is known, although it also gets what a call returns.
#[gpu_fn]
fn placed(a: i32, b: Change<i32, (i32, i32)>) -> i32 {
    let mut old: i32 = a;
    old = both_put(b, Change::<i32, (i32, i32)>::Right { value: (-10, 10) }, old);
    both_put(Change::<i32, (i32, i32)>::Left(old), b, old)
}

/// The fields of a generic enum, whose types the parameter says.
#[gpu_fn]
fn changed(it: Change<u8, i64>, other: Change<Point, (u16, Side)>, least: i64, key: u8) -> (Change<u8, i64>, i32) {
    let length = match other {
        Change::Left(point) => point.length(),
        Change::Right { value: (n, side) } if n > 9 && side != Side::Right => 5,
        Change::Right { .. } => -1,
    };
    let it = match it {
        Change::Left(known) if known == key => Change::Left(known.max(9)),
        Change::Right { value } if value < least => Change::Right { value: value + 1 },
        _ => Change::Left(key),
    };
    (it, length)
}

same_as_plain! { enums_with_fields_mean_what_they_mean_in_rust:
    tagged(bytes: [u8; 9], k: usize, exact: Tagged<3, true>) -> (u64, u64, i16, u32);
    placed(a: i32, b: Change<i32, (i32, i32)>) -> i32;
    changed(it: Change<u8, i64>, other: Change<Point, (u16, Side)>, least: i64, key: u8) -> (Change<u8, i64>, i32);
    turns(kind: u8, a: i32, b: i32) -> (Shape, i32, bool);
    alternatives(it: Shape, other: Shape) -> (i32, Option<Shape>, [Shape; 2]);
}

#[gpu_transaction]
fn turn(tx: &mut Tx, shapes: &Shared<Shape>, at: u32, by: i32) -> TxResult<Shape> {
    let old = tx.read(shapes, at)?;
    tx.write(shapes, at, old.turned(by))?;
    Ok(old)
}

#[test]
fn elements_of_arrays_can_be_enums_with_fields() {
    everywhere("enums with fields in arrays", |environment| -> TestResult {
        let start: Vec<Shape> = (0..7).map(|kind| shape(kind, 3, 1)).collect();
        let shapes = environment.shared(&start)?;
        let mut batch = environment.batch();
        let tickets: Vec<_> = (0..7).map(|at| batch.push(turn::call(&shapes, at, 4))).collect();
        let report = environment.run_all(&batch)?;
        for (ticket, shape) in tickets.into_iter().zip(&start) {
            expect_eq!(report.outcome(ticket), Outcome::Committed(*shape), "the old shape");
        }
        let after: Vec<Shape> = start.iter().map(|shape| shape.turned(4)).collect();
        expect_eq!(shapes.to_vec()?, after, "the new shapes");
        Ok(())
    });
}
