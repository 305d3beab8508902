//! Methods and associated functions of records and enums, of traits too: their meaning, and that of receivers.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Counter {
    pub(crate) count: i32,
    pub(crate) step: i32,
}

#[gpu_fn]
impl Counter {
    pub(crate) const ZERO: Counter = Counter { count: 0, step: 1 };
    const MOST: i32 = 1_000;

    pub(crate) fn new(count: i32, step: i32) -> Self {
        Self { count: Self::clamped(count), step }
    }

    fn clamped(count: i32) -> i32 {
        if count > Self::MOST { Self::MOST } else { count }
    }

    /// Takes the value: the caller's stays as it was.
    fn advanced(mut self, by: i32) -> Self {
        self.count += self.step * by;
        self
    }

    fn next(&mut self) -> i32 {
        self.count += self.step;
        self.count
    }

    fn total(&self) -> i32 {
        self.count + self.step
    }

    fn farther(&self, other: &Counter) -> bool {
        self.total() > other.total()
    }

    fn replace(&mut self, with: Self) -> Self {
        let old = *self;
        *self = with;
        old
    }

    /// Has the name of a built-in method, and is also called by its path.
    fn max(self, other: Counter) -> Counter {
        if self.count.max(0) > other.count { self } else { other }
    }

    fn twice(&mut self) -> i32 {
        self.next() + self.next()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair {
    left: Counter,
    right: [Counter; 3],
    last: Option<Counter>,
}

#[gpu_fn]
impl Pair {
    fn of(left: Counter) -> Pair {
        Pair { left, right: [left, Counter::ZERO, left.advanced(2)], last: None }
    }

    fn at(&mut self, k: usize) -> i32 {
        self.left.next() + self.right[k].next()
    }

    fn keep(&mut self) {
        self.last = Some(self.right[2]);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(u8)]
enum Turn {
    Left,
    Right,
    Back = 9,
}

#[gpu_fn]
impl Turn {
    const FIRST: Turn = Turn::Left;

    fn of(n: i32) -> Self {
        match n {
            0 => Self::FIRST,
            1..=5 => Self::Right,
            _ => Self::Back,
        }
    }

    fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Back => self,
        }
    }

    fn sign(&self) -> i32 {
        match self {
            Turn::Left => -1,
            Turn::Right => 1,
            Turn::Back => 0,
        }
    }
}

trait Weigh {
    const UNIT: i32;

    fn weight(&self) -> i32;
    fn add_weight(&mut self, more: i32);
    fn light() -> Self;
}

#[gpu_fn]
impl Weigh for Counter {
    const UNIT: i32 = 3;

    fn weight(&self) -> i32 {
        self.total() * Self::UNIT
    }

    fn add_weight(&mut self, more: i32) {
        self.count += more / Self::UNIT;
    }

    fn light() -> Self {
        Self::ZERO
    }
}

#[gpu_fn]
impl Weigh for Turn {
    const UNIT: i32 = 1;

    fn weight(&self) -> i32 {
        *self as i32 * Self::UNIT
    }

    fn add_weight(&mut self, more: i32) {
        if more > 0 {
            *self = self.opposite();
        }
    }

    fn light() -> Self {
        Self::FIRST
    }
}

#[gpu_fn]
fn by_value(a: i32, b: i32) -> (i32, i32) {
    let counter = Counter::new(a, b);
    let later = counter.advanced(2).advanced(-1);
    (counter.count, later.count)
}

#[gpu_fn]
fn by_reference(a: i32, b: i32) -> (i32, i32, i32) {
    let mut counter = Counter::new(a, b);
    let first = counter.next();
    let sum = counter.count + counter.next() * 2 + counter.count;
    (first, sum, counter.total() - counter.twice())
}

#[gpu_fn]
fn of_references(a: i32, b: i32) -> (bool, Counter, Counter) {
    let (mut one, two) = (Counter::new(a, 1), Counter::new(b, 2));
    let farther = one.farther(&two) || Counter::farther(&two, &Counter::ZERO);
    let old = one.replace(two.advanced(1));
    Counter::next(&mut one);
    (farther, old, one)
}

#[gpu_fn]
fn parts(a: i32, k: usize) -> (i32, i32, Pair) {
    let mut pair = Pair::of(Counter::new(a, 2));
    let first = pair.at(k);
    let second = pair.right[k].advanced(pair.right[0].count).count;
    pair.keep();
    if let Some(mut last) = pair.last {
        pair.left.count += last.next();
    }
    (first, second, pair)
}

/// An element of an array is a place: the arguments may read the same array.
#[gpu_fn]
fn elements(a: i32, k: usize) -> ([Counter; 3], i32, bool) {
    let mut all = [Counter::new(a, 1), Counter::ZERO, Counter::new(2, a)];
    let got = all[k].replace(all[1]).count + all[(k + 1) % 3].next();
    let farther = all[0].farther(&all[k]);
    (all, got, farther)
}

/// The receiver is evaluated before the arguments, and its index is checked before they can fault.
#[gpu_fn]
fn order(a: i32, k: usize) -> i32 {
    let mut all = [Counter::new(a, 1); 3];
    let mut n = 1;
    let first = all[k].advanced(10 / a).count;
    let second = Counter::new(n, 1).advanced({
        n += 1;
        n
    });
    let mut counter = Counter::ZERO;
    let third = counter.advanced({
        counter.count = 5;
        1
    });
    first + second.count + third.count + counter.count + all[k].next()
}

/// Arguments call methods of the receiver, which only some of them change.
#[gpu_fn]
fn nested(a: i32, k: usize) -> (Counter, i32, Pair) {
    let mut counter = Counter::new(a, 3);
    let old = counter.replace(Counter::new(counter.total(), counter.step)).advanced(counter.next());
    counter.count += counter.next();
    let sum = counter.count + counter.twice() + counter.advanced(counter.twice()).count;
    let mut pair = Pair::of(old);
    let got = pair.left.advanced(pair.at(k)).count + pair.right[k].advanced(pair.at(1)).count;
    pair.right[k].add_weight(pair.right[2].weight());
    (counter, sum + got, pair)
}

#[gpu_fn]
fn enums(a: i32, b: i32) -> (Turn, i32, i32) {
    let mut turn = Turn::of(a);
    turn.add_weight(b);
    (turn.opposite(), turn.sign() * 10 + Turn::FIRST.sign(), turn.weight())
}

#[gpu_fn]
fn of_traits(a: i32, b: i32) -> (i32, i32, Counter) {
    let mut counter = Counter::light();
    counter.add_weight(a);
    let weight = <Counter as Weigh>::weight(&counter) + <Turn as Weigh>::light().weight();
    (weight, Counter::UNIT + <Turn as Weigh>::UNIT + b % 7, counter)
}

/// The type of a receiver comes from a field, a call, an `Option`, an array or a constant.
#[gpu_fn]
fn receivers(a: i32, b: i32) -> (i32, i32, i32, i32) {
    let pair = Pair { last: Some(Counter::new(b, 3)), ..Pair::of(Counter::ZERO) };
    let mut best = None;
    for counter in pair.right {
        if counter.total() > a {
            best = Some(counter);
        }
    }
    let found = match best {
        Some(counter) => counter.total(),
        None => Counter::ZERO.total(),
    };
    let both = (pair, Turn::of(a));
    let unwrapped = pair.last.unwrap().advanced(1).total();
    (found, unwrapped, both.1.opposite().sign(), both.0.left.farther(&pair.left) as i32)
}

#[gpu_fn]
fn helper(pair: Pair, turn: &Turn, counter: &mut Counter) -> i32 {
    counter.next() + pair.left.total() * turn.sign() + counter.total()
}

#[gpu_fn]
fn from_helpers(a: i32, b: i32) -> (i32, Counter) {
    let mut counter = Counter::new(b, a);
    let got = helper(Pair::of(counter), &Turn::of(a), &mut counter);
    (got, counter)
}

#[gpu_fn]
fn by_path(a: i32, b: i32) -> Counter {
    let most = Counter::max(Counter::new(a, 1), Counter::new(b, 2));
    Counter { step: most.step.min(1), ..most }
}

/// The receivers are operators on fields, whose types only rustc knows.
#[gpu_fn]
fn of_operators(a: i32, b: i32) -> (i32, i32) {
    let counter = Counter { step: a, ..Counter::new(b, a) };
    ((counter.step | 1).wrapping_neg(), (counter.step & 7).min(counter.step ^ 5))
}

same_as_plain! { methods_mean_what_they_mean_in_rust:
    of_operators(a: i32, b: i32) -> (i32, i32);
    by_value(a: i32, b: i32) -> (i32, i32);
    by_reference(a: i32, b: i32) -> (i32, i32, i32);
    of_references(a: i32, b: i32) -> (bool, Counter, Counter);
    parts(a: i32, k: usize) -> (i32, i32, Pair);
    elements(a: i32, k: usize) -> ([Counter; 3], i32, bool);
    order(a: i32, k: usize) -> i32;
    nested(a: i32, k: usize) -> (Counter, i32, Pair);
    enums(a: i32, b: i32) -> (Turn, i32, i32);
    of_traits(a: i32, b: i32) -> (i32, i32, Counter);
    receivers(a: i32, b: i32) -> (i32, i32, i32, i32);
    from_helpers(a: i32, b: i32) -> (i32, Counter);
    by_path(a: i32, b: i32) -> Counter;
}
