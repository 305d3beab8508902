//! Traits: functions that return `Self`, default methods, types of the language; methods with the names of built-in ones.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Hash(i32);

/// What can be joined.
#[gpu_fn]
trait Monoid {
    fn empty() -> Self;
    fn join(self, other: Self) -> Self;
}

#[gpu_fn]
impl Monoid for Hash {
    fn empty() -> Self {
        Hash(1)
    }

    fn join(self, other: Self) -> Self {
        Hash(self.0.wrapping_mul(3) ^ other.0)
    }
}

#[gpu_fn]
fn joined<T: Monoid + Copy, const N: usize>(list: [T; N]) -> T {
    let mut all = T::empty();
    for one in list {
        all = all.join(one);
    }
    all
}

#[gpu_fn]
fn hashed(a: i32, b: i32) -> (Hash, Hash) {
    (joined([Hash(a), Hash(b)]), joined([Hash(b).join(Hash::empty())]))
}

#[gpu_fn]
impl Monoid for u32 {
    fn empty() -> Self {
        7
    }

    fn join(self, other: Self) -> Self {
        self.rotate_left(3) ^ other
    }
}

#[gpu_fn]
impl Monoid for (u32, bool) {
    fn empty() -> Self {
        (<u32 as Monoid>::empty(), true)
    }

    fn join(self, other: Self) -> Self {
        (self.0.join(other.0), self.1 ^ other.1)
    }
}

/// Functions of a trait for types of the language.
#[gpu_fn]
fn of_language(a: u32, b: bool) -> (u32, (u32, bool)) {
    let one = <u32 as Monoid>::join(a, <u32 as Monoid>::empty());
    let two: (u32, bool) = <(u32, bool) as Monoid>::empty();
    (one, <(u32, bool) as Monoid>::join(two, (a, b)))
}

/// What has a price; an `impl` can have its own total.
#[gpu_fn]
trait Priced {
    const FEE: i32;

    fn price(&self) -> i32;

    fn quantity(&self) -> i32 {
        1
    }

    fn total(&self, fee: i32) -> i32 {
        self.price().wrapping_mul(self.quantity()).wrapping_add(fee)
    }

    fn above(&self, other: &Self) -> bool {
        self.total(0) > other.total(0)
    }
}

#[gpu_fn]
impl Priced for Hash {
    const FEE: i32 = 3;

    fn price(&self) -> i32 {
        self.0
    }
}

#[gpu_fn]
impl Priced for i32 {
    const FEE: i32 = 5;

    fn price(&self) -> i32 {
        self / 2
    }

    fn quantity(&self) -> i32 {
        Self::FEE
    }

    fn above(&self, other: &Self) -> bool {
        *self > *other / 3
    }
}

#[gpu_fn]
impl Priced for (i32, Hash) {
    const FEE: i32 = 7;

    fn price(&self) -> i32 {
        self.1.price() ^ self.0.price()
    }

    fn total(&self, fee: i32) -> i32 {
        self.price() ^ fee
    }
}

#[gpu_fn]
impl Priced for Option<Hash> {
    const FEE: i32 = 9;

    fn price(&self) -> i32 {
        match self {
            Some(hash) => hash.total(1),
            None => 0,
        }
    }
}

#[gpu_fn]
impl Priced for Queue {
    const FEE: i32 = 11;

    fn price(&self) -> i32 {
        self.len() as i32
    }

    fn quantity(&self) -> i32 {
        self.max(0)
    }

    fn total(&self, fee: i32) -> i32 {
        self.price() + fee
    }
}

#[gpu_fn]
fn worth<P: Priced>(what: &P, other: &P) -> i32 {
    let more = if what.above(other) { 1 } else { 2 };
    what.total(P::FEE).wrapping_add(other.quantity()).wrapping_mul(more)
}

#[gpu_fn]
fn priced(a: i32, b: i32) -> [i32; 6] {
    let (one, two) = (Queue { items: [a, b, 3], len: 2 }, Queue { items: [b; 3], len: 3 });
    let (some, other) = (Some(Hash(a)), Some(Hash(b)));
    [
        worth(&Hash(a), &Hash(b)),
        worth(&a, &b),
        worth(&(a, Hash(b)), &(b, Hash(a))),
        worth(&some, &other),
        worth(&one, &two),
        a.total(1).wrapping_add(one.total(2)) ^ (b, Hash(a)).quantity(),
    ]
}

/// Calls by the name of the trait.
#[gpu_fn]
fn by_name<T: Priced + Copy>(one: &T, other: T) -> i32 {
    Priced::price(one).wrapping_sub(Priced::total(&other, 3))
}

#[gpu_fn]
fn named(a: i32, b: i32) -> [i32; 4] {
    let one = Hash(a);
    let all = Monoid::join(Hash(b), one);
    [Priced::price(&one), Priced::price(&Monoid::join(all, one)), by_name(&one, Hash(b)), Priced::quantity(&all)]
}

#[gpu_fn]
impl Priced for char {
    const FEE: i32 = 13;

    fn price(&self) -> i32 {
        match self {
            'a'..='z' => *self as i32 - 'a' as i32,
            _ => Self::FEE,
        }
    }

    fn total(&self, fee: i32) -> i32 {
        self.price() * 2 + fee
    }
}

#[gpu_fn]
impl Monoid for char {
    fn empty() -> Self {
        Self::from_u32(97).unwrap_or('?')
    }

    fn join(self, other: Self) -> Self {
        Self::from_u32(u32::max(self as u32, other as u32)).unwrap_or(Self::from(b'!'))
    }
}

/// Methods of a type, default ones, too, by the name of the trait.
#[gpu_fn]
fn of_trait(a: i32, b: i32, letter: u8) -> ([i32; 7], char) {
    let (one, letter) = (Hash(a), char::from(letter));
    let all = joined([letter, <char as Monoid>::empty(), 'x']);
    let quantity = <Hash as Priced>::quantity(&one) + <Two<Hash, i32> as Priced>::quantity(&Two(one, b));
    let totals = [
        <Hash as Priced>::total(&one, b),
        <char as Priced>::total(&letter, b % 8),
        <Two<Hash, i32> as Priced>::total(&Two(one, b), 2),
        worth(&letter, &all),
        worth(&one, &Hash(b)),
        Hash::price(&one),
        quantity,
    ];
    (totals, <char as Monoid>::join(all, letter))
}

#[gpu_fn]
impl<T: Copy> Priced for Two<T, i32> {
    const FEE: i32 = 1;

    fn price(&self) -> i32 {
        self.1
    }

    fn quantity(&self) -> i32 {
        self.1 ^ 3
    }
}

/// Its methods have the names of built-in ones.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Queue {
    items: [i32; 3],
    len: usize,
}

#[gpu_fn]
impl Queue {
    fn len(&self) -> usize {
        self.len
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn max(&self, least: i32) -> i32 {
        self.items[0].max(self.items[1]).max(least)
    }

    fn pow(&mut self, by: i32) -> usize {
        for k in 0..self.len {
            self.items[k] = self.items[k].wrapping_pow(2) ^ by;
        }
        self.len
    }

    fn or(self, other: &Queue) -> Queue {
        if self.is_empty() { *other } else { self }
    }

    fn sin(self) -> i32 {
        self.items[2]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Two<A, B>(A, B);

#[gpu_fn]
fn turned<A: Copy, B: Copy>(two: Two<A, B>) -> Two<B, A> {
    Two(two.1, two.0)
}

#[gpu_fn]
fn queued(a: i32, b: i32) -> (Two<Queue, i32>, Two<i32, bool>) {
    let mut lists = [Queue { items: [a, b, 7], len: 2 }, Queue { items: [b; 3], len: 0 }];
    let at = lists[1].len();
    let count = lists[at].pow(b.max(a)) as i32;
    let both = lists[1].or(&lists[0]);
    let Two(empty, sum) = turned(Two(lists[0].max(count), lists[1].is_empty()));
    (Two(both, both.sin().max(count)), Two(sum, empty))
}

same_as_plain! { methods_are_the_types_own:
    hashed(a: i32, b: i32) -> (Hash, Hash);
    named(a: i32, b: i32) -> [i32; 4];
    of_language(a: u32, b: bool) -> (u32, (u32, bool));
    of_trait(a: i32, b: i32, letter: u8) -> ([i32; 7], char);
    priced(a: i32, b: i32) -> [i32; 6];
    queued(a: i32, b: i32) -> (Two<Queue, i32>, Two<i32, bool>);
}
