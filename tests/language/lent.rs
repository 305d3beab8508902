//! Names that are references: those in patterns of loops, and parameters that are passed on.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Item {
    key: u32,
    pair: (u32, u8),
    kind: Option<u32>,
}

#[gpu_fn]
fn of_slice(pairs: &[(u32, u8)], items: &[Item; 3]) -> u32 {
    let mut sum = 0_u32;
    for (a, b) in pairs {
        sum = sum.wrapping_mul(3) ^ a ^ *b as u32;
    }
    for (k, Item { pair: (a, _), .. }) in items.into_iter().enumerate() {
        sum ^= *a & k as u32;
    }
    let list = pairs;
    for (a, _) in list.iter() {
        sum ^= a >> 1;
    }
    sum
}

#[gpu_fn]
fn lent(pairs: [(u32, u8); 4], items: [Item; 3]) -> u32 {
    let mut sum = of_slice(&pairs, &items);
    for (a, b) in pairs.iter() {
        sum ^= a ^ *b as u32;
    }
    for (a, b) in &pairs {
        sum ^= *a >> (*b % 4);
    }
    for (k, (a, b)) in pairs.iter().enumerate() {
        sum ^= *a & k as u32 ^ u32::from(*b);
    }
    for &(a, b) in &pairs {
        sum ^= a & b as u32;
    }
    for Item { key, pair: (x, y), kind } in &items {
        sum ^= key ^ x ^ *y as u32;
        if let Some(kind) = kind {
            sum ^= *kind;
        }
    }
    for Item { key, .. } in items.iter().rev() {
        sum ^= *key;
        if *key > 3 {
            break;
        }
    }
    for (Item { key, .. }, (a, _)) in items.iter().zip(pairs.iter()) {
        sum ^= key & a;
    }
    for [a, b] in [[1_u32, 2], [3, sum % 8]].iter() {
        sum ^= *a * *b;
    }
    sum
}

#[gpu_fn]
fn used(list: &[u32; 4]) -> usize {
    list.iter().take_while(|&&value| value % 5 != 0).count()
}

#[gpu_fn]
fn raise(list: &mut [u32; 4], by: u32) -> usize {
    let at = used(list) % 4;
    list[at] = list[at].wrapping_add(by);
    at
}

#[gpu_fn]
fn raise_twice(list: &mut [u32; 4], by: u32) -> usize {
    let first = raise(list, by);
    list.swap(0, 1);
    let part = &mut list[2];
    *part ^= by;
    first + raise(list, first as u32) + used(list)
}

#[gpu_fn]
fn lent_on(list: [u32; 4], by: u32) -> ([u32; 4], usize) {
    let mut list = list;
    let used = raise_twice(&mut list, by);
    (list, used)
}

same_as_plain! {
    names_of_references_are_lent_on:
    lent(pairs: [(u32, u8); 4], items: [Item; 3]) -> u32;
    lent_on(list: [u32; 4], by: u32) -> ([u32; 4], usize);
}
