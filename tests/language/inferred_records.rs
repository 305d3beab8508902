//! Generic records without their arguments: the fields, or the arguments of the function that makes one, say what they are.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair<T> {
    a: T,
    b: T,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Two<A, B> {
    a: A,
    b: B,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Maybe<T> {
    Just(T),
    Nothing,
}

#[gpu_fn]
impl<T: Copy> Pair<T> {
    fn new(a: T, b: T) -> Self {
        Pair { a, b }
    }
    fn swapped(self) -> Self {
        Pair { a: self.b, b: self.a }
    }
    fn first(&self) -> T {
        self.a
    }
}

#[gpu_fn]
impl<A: Copy, B: Copy> Two<A, B> {
    fn new(a: A, b: B) -> Two<A, B> {
        Two { a, b }
    }
    fn turned(self) -> Two<B, A> {
        Two { a: self.b, b: self.a }
    }
}

#[gpu_fn]
fn paired<T: Copy>(a: T, b: T) -> Pair<T> {
    Pair { a, b }
}

#[gpu_fn]
fn paired_new<T: Copy>(a: T, b: T) -> Pair<T> {
    Pair::new(a, b)
}

#[gpu_fn]
fn made(x: u32, y: u32) -> (u32, u32) {
    let p = Pair { a: x, b: 2_u32 };
    let q = Pair::new(x, y);
    let r = Pair::new(1_u64, 2);
    (p.a ^ q.b, r.a as u32 + q.first())
}

#[gpu_fn]
fn nested(x: u32, y: i64) -> (u32, i64, u32) {
    let n = Pair { a: Two { a: x, b: y }, b: Two { a: 3, b: 4 } };
    let m = Pair::new(Pair::new(x, 1), Pair::new(2_u32, 3));
    let t = Two::new(Pair { a: x, b: x }, y).turned();
    (n.a.a ^ m.b.a, n.b.b ^ t.a, t.b.first())
}

#[gpu_fn]
fn of_results(x: u32, y: u32) -> Pair<Pair<u32>> {
    let p = paired(x, y);
    let q = paired_new(p.b, 3);
    paired(p, q.swapped())
}

#[gpu_fn]
fn of_choices(x: u32, y: i64) -> (u32, i64) {
    let p = Pair { a: x, b: x };
    let q = Pair { a: y, b: y };
    let m: Maybe<u32> = if x > 3 { Maybe::Just(x) } else { Maybe::Nothing };
    let n = match m {
        Maybe::Just(k) => k,
        Maybe::Nothing => 0,
    };
    let z = Some(Pair::new(y, 2)).map(|p| p.a).unwrap_or(1);
    (p.a ^ n, q.b ^ z)
}

#[gpu_fn]
fn in_lists(x: u32, y: u32) -> u32 {
    let list = [Pair::new(x, y), Pair { a: 1, b: 2 }];
    let mut sum = 0_u32;
    for p in list.iter() {
        sum = sum.wrapping_add(p.a);
    }
    let Pair { a, b } = Pair::new(y, x).swapped();
    sum ^ a ^ b ^ Pair::new(x, y).a
}

#[gpu_fn]
fn assigned(x: u32, y: u32) -> u32 {
    let mut best = Pair::new(0, 0);
    if x > y {
        best = Pair::new(x, y);
    }
    let t = Two { a: true, b: x };
    let u = Two { a: y, b: 3_u8 };
    if t.a { best.a } else { u.a }
}

/// The function writes one of them with its argument; the others are still of what their fields or their use say.
#[gpu_fn]
fn beside_others(x: u32, y: i64, known: Pair<Two<i16, bool>>) -> (u32, i64, i16) {
    let none: Pair<Option<u32>> = Pair { a: None, b: Some(x) };
    let wide = Pair { a: 2_u128, b: y as u128 };
    let checked: Result<u32, u8> = if x > 3 { Ok(x) } else { Err(7) };
    let results = Pair { a: checked, b: checked };
    let open = (Pair { a: none.b, b: none.a }).a;
    let least = match &known {
        Pair { a: Two { a: 1..=9, .. }, .. } => 1,
        Pair { b, .. } => b.a,
    };
    (open.unwrap_or(4) ^ results.b.unwrap_or(9), wide.b as i64, least)
}

#[gpu_fn]
fn of_several_types(x: u32, y: u32) -> (u32, u64) {
    let numbers = Pair { a: 1_u32, b: x };
    let (truths, letters) = (Pair { a: x > y, b: false }, Pair { a: 'a', b: 'b' });
    let inner = Pair { a: Two { a: x, b: y }, b: Two { a: 5, b: 3 } };
    let (passed, whole) = (Two { a: 5, b: x }, Two { a: y, b: 4 });
    let sum = if truths.a && letters.a < letters.b { numbers.b } else { inner.a.b };
    (sum ^ inner.b.a, second(whole) ^ doubled(passed.a))
}

#[gpu_fn]
fn beside_a_written_one(x: u32, y: u32) -> Pair<u32> {
    let truths = Pair { a: x > y, b: true };
    let letters = Pair { a: 'a', b: 'b' };
    if truths.a && letters.a < letters.b { Pair { a: x, b: 2 } } else { Pair { a: 1, b: 2 } }
}

#[gpu_fn]
fn doubled(x: u64) -> u64 {
    x << 1
}

#[gpu_fn]
fn second(two: Two<u32, u64>) -> u64 {
    two.b
}

same_as_plain! { records_are_of_what_they_are_made_of:
    beside_others(x: u32, y: i64, known: Pair<Two<i16, bool>>) -> (u32, i64, i16);
    of_several_types(x: u32, y: u32) -> (u32, u64);
    beside_a_written_one(x: u32, y: u32) -> Pair<u32>;
    made(x: u32, y: u32) -> (u32, u32);
    nested(x: u32, y: i64) -> (u32, i64, u32);
    of_results(x: u32, y: u32) -> Pair<Pair<u32>>;
    of_choices(x: u32, y: i64) -> (u32, i64);
    in_lists(x: u32, y: u32) -> u32;
    assigned(x: u32, y: u32) -> u32;
}
