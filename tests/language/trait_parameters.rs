//! Traits with parameters for types, implemented for types of the program and of the language.

use stm_runtime::prelude::*;

/// What one can be made of.
#[gpu_fn]
trait Compute<K> {
    fn compute(key: K) -> Self;
    fn weight(&self, key: &K) -> u32;
    fn raise(&mut self, key: K);
}

#[gpu_fn]
impl Compute<u32> for i64 {
    fn compute(key: u32) -> i64 {
        i64::from(key) * 3 - 1
    }

    fn weight(&self, key: &u32) -> u32 {
        *self as u32 / 2 + *key / 2
    }

    fn raise(&mut self, key: u32) {
        *self += i64::from(key);
    }
}

#[gpu_fn]
impl Compute<(u8, bool)> for [u32; 2] {
    fn compute((a, yes): (u8, bool)) -> [u32; 2] {
        [u32::from(a), u32::from(yes)]
    }

    fn weight(&self, key: &(u8, bool)) -> u32 {
        self[0] % 100 + u32::from(key.0)
    }

    fn raise(&mut self, key: (u8, bool)) {
        self[usize::from(key.1)] = u32::from(key.0);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Sum(u32);

#[gpu_fn]
impl Compute<u32> for Sum {
    fn compute(key: u32) -> Sum {
        Sum(key / 2)
    }

    fn weight(&self, key: &u32) -> u32 {
        self.0 / 2 + *key / 2
    }

    fn raise(&mut self, key: u32) {
        self.0 ^= key;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Lines<K, V, const WAYS: usize> {
    lines: [Option<(K, V)>; WAYS],
    misses: u32,
}

#[gpu_fn]
impl<K, V, const WAYS: usize> Lines<K, V, WAYS>
where
    K: Copy + Eq,
    V: Copy + Compute<K>,
{
    fn find(&self, key: K) -> Option<usize> {
        self.lines.iter().position(|line| line.is_some_and(|(known, _)| known == key))
    }

    fn get(&mut self, key: K) -> V {
        let at = match self.find(key) {
            Some(at) => at,
            None => {
                self.misses += 1;
                self.lines[WAYS - 1] = Some((key, V::compute(key)));
                WAYS - 1
            }
        };
        self.lines[..=at].rotate_right(1);
        let Some((_, value)) = self.lines[0] else { unreachable!() };
        value
    }
}

#[gpu_fn]
fn cached(a: u32, b: u8) -> (Lines<u32, i64, 2>, i64, Lines<(u8, bool), [u32; 2], 3>, [u32; 2]) {
    let mut numbers: Lines<u32, i64, 2> = Lines { lines: [None; 2], misses: 0 };
    let mut pairs: Lines<(u8, bool), [u32; 2], 3> = Lines { lines: [None; 3], misses: 0 };
    let sum = numbers.get(a) + numbers.get(a / 2) + numbers.get(a);
    let pair = pairs.get((b, a % 2 == 0));
    (numbers, sum, pairs, pair)
}

#[gpu_fn]
fn weighed<K: Copy, V: Compute<K>>(key: K) -> u32 {
    let mut made = V::compute(key);
    made.raise(key);
    made.weight(&key)
}

#[gpu_fn]
fn weights(a: u32) -> [u32; 3] {
    let number: i64 = Compute::compute(a);
    let sum: Sum = Compute::compute(a);
    [number.weight(&4), sum.weight(&a), weighed::<u32, i64>(a)]
}

#[gpu_fn]
fn raised(a: u32, b: u8) -> (i64, Sum, [u32; 2]) {
    let (mut number, mut sum, mut pair) = (5_i64, Sum(3), [a, 9]);
    number.raise(a);
    sum.raise(a);
    pair.raise((b, a % 2 == 0));
    (number, sum, pair)
}

#[gpu_fn]
fn stated(b: u8) -> u32 {
    weighed::<_, [u32; 2]>((b, true))
}

/// An order that a type without fields stands for.
#[gpu_fn]
trait Order<T> {
    fn before(a: &T, b: &T) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Smallest;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Greatest;

#[gpu_fn]
impl Order<(u32, u8)> for Smallest {
    fn before(a: &(u32, u8), b: &(u32, u8)) -> bool {
        a < b
    }
}

#[gpu_fn]
impl Order<u32> for Greatest {
    fn before(a: &u32, b: &u32) -> bool {
        a > b
    }
}

#[gpu_fn]
fn sift_up<O: Order<T>, T: Copy, const N: usize>(items: &mut [T; N], start: usize) {
    let mut at = start;
    while at > 0 {
        let parent = (at - 1) / 2;
        if !O::before(&items[at], &items[parent]) {
            break;
        }
        items.swap(at, parent);
        at = parent;
    }
}

#[gpu_fn]
fn heaped(a: u32, b: u8) -> ([(u32, u8); 4], [u32; 3]) {
    let (mut pairs, mut numbers) = ([(a, b), (7, b), (a / 2, 3), (a, 0)], [a, u32::from(b), 77]);
    for at in 1..4 {
        sift_up::<Smallest, _, 4>(&mut pairs, at);
    }
    sift_up::<Greatest, u32, 3>(&mut numbers, 1);
    sift_up::<Greatest, _, _>(&mut numbers, 2);
    (pairs, numbers)
}

same_as_plain! { traits_with_parameters:
    cached(a: u32, b: u8) -> (Lines<u32, i64, 2>, i64, Lines<(u8, bool), [u32; 2], 3>, [u32; 2]);
    weights(a: u32) -> [u32; 3];
    raised(a: u32, b: u8) -> (i64, Sum, [u32; 2]);
    stated(b: u8) -> u32;
    heaped(a: u32, b: u8) -> ([(u32, u8); 4], [u32; 3]);
}
