//! Closures that methods take by their name, and functions of `std::iter`.

use std::iter;

use stm_runtime::prelude::*;

#[gpu_fn]
fn passed(list: [u32; 6], most: u32, some: Option<u32>) -> (usize, u32, bool, Option<u32>) {
    let bound = most % 9;
    let small = |x: &&u32| **x % 10 < bound;
    let shifted = |x: u32| x.wrapping_mul(3) ^ bound;
    let mut seen = 0_u32;
    let mut note = |x: &u32| seen ^= *x;
    list.iter().for_each(&mut note);
    let count = list.iter().filter(small).count();
    let sum = list.iter().copied().map(shifted).fold(0, |a, b| a ^ b);
    let odd = |x: u32| x % 2 == 1;
    let checked = |x: u32| if x > bound { return x.checked_add(u32::MAX - 9) } else { None };
    (count, sum ^ seen, list.into_iter().any(odd), some.map(shifted).and_then(checked))
}

#[gpu_fn]
fn sources(list: [u32; 4], last: u32) -> (u32, u32, u32) {
    let sum = list.iter().copied().chain(iter::once(last)).fold(0_u32, |a, b| a.wrapping_mul(5) ^ b);
    let same = std::iter::repeat(last % 7).take(list[0] as usize % 5).sum::<u32>();
    let counted = iter::repeat_n(last % 5, last as usize % 6).sum::<u32>();
    (sum, same, counted)
}

same_as_plain! {
    closures_and_sources_have_names:
    passed(list: [u32; 6], most: u32, some: Option<u32>) -> (usize, u32, bool, Option<u32>);
    sources(list: [u32; 4], last: u32) -> (u32, u32, u32);
}
