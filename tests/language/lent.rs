//! Patterns in loops that give references: their names are references to the parts.

use stm_runtime::prelude::*;

use crate::harness::same_as_plain;

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

same_as_plain! {
    names_in_patterns_are_references:
    lent(pairs: [(u32, u8); 4], items: [Item; 3]) -> u32;
}
