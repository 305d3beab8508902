//! What new users write soon: slices as parameters, closures with names, `mem::swap`, `try_into`, the order of tuples, elements of array fields.

use std::mem;

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

#[gpu_fn]
fn total(list: &[u32], by: &mut [u32]) -> u32 {
    let mut sum = 0_u32;
    for x in list {
        sum = sum.wrapping_add(*x) ^ x & 7;
    }
    by[list.len() % 2] += sum % 5;
    sum ^ list.iter().copied().fold(0, u32::max) ^ by.len() as u32
}

#[gpu_fn]
fn slices(list: [u32; 5], short: [u32; 2]) -> (u32, [u32; 2], [u32; 3]) {
    let (mut two, mut three) = (short, [1, 2, 3]);
    let sum = total(&list, &mut two).wrapping_add(total(&short, &mut three));
    (sum.wrapping_add(total(&[7; 3], &mut two)), two, three)
}

#[gpu_fn]
fn closures(a: u32, b: u32) -> (u32, u64) {
    let scale = 3 + a % 5;
    let scaled = |x: u32| x % 1000 * scale;
    let between = |x: u32, least: u32| -> bool { scaled(x) > least && x < b };
    let wide = |(x, y): (u32, u64)| y / (x as u64 % 7);
    let mut count = 0;
    let mut add = |by: u32| count += by;
    add(if between(a, b % 100) { scaled(b) } else { 1 });
    add(scaled(2));
    (count, wide((b, scaled(a) as u64)))
}

#[gpu_fn]
fn swapped(list: [i32; 3], at: usize, other: i32) -> (i32, i32, [i32; 3]) {
    let (mut list, mut x) = (list, other);
    mem::swap(&mut list[at % 4], &mut x);
    let mut pair = (list[0], 4);
    std::mem::swap(&mut pair.0, &mut pair.1);
    list[0] = pair.0.wrapping_sub(pair.1);
    list.sort_by_key(|x| x.wrapping_abs() % 5);
    let old = mem::replace(&mut list[1], x ^ 1);
    (old, x, list)
}

#[gpu_fn]
fn converted(a: u32, b: i64) -> (u8, Option<i16>, u64) {
    let byte: u8 = a.try_into().unwrap_or(9);
    let short: Option<i16> = b.try_into().ok();
    let long: u64 = b.try_into().unwrap();
    (byte, short, long)
}

#[gpu_fn]
fn ordered(a: (u8, i32), b: (u8, i32), c: (f32, (bool, u8)), d: (f32, (bool, u8))) -> [bool; 8] {
    [a < b, a <= b, a > b, a >= b, c < d, c <= d, c > d, c >= d]
}

#[gpu_fn]
const fn odd(x: i32) -> bool {
    x % 2 != 0
}

#[gpu_fn]
fn sorted(list: [i32; 5], floats: [f32; 3], pairs: [(i32, u8); 4]) -> ([[i32; 5]; 3], [f32; 3], [(i32, u8); 4], bool) {
    let mut lists = [list; 3];
    lists[0].sort_unstable_by(|a, b| b.cmp(a));
    lists[1].sort_by(|a, b| odd(*a).cmp(&odd(*b)).then(a.cmp(b).reverse()));
    let (mut floats, mut pairs) = (floats, pairs);
    floats.sort_by(|a, b| a.partial_cmp(b).unwrap());
    pairs.sort_unstable_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
    lists[2].sort();
    let is_sorted = lists[2].is_sorted() && !list.is_sorted();
    (lists, floats, pairs, is_sorted)
}

#[gpu_fn]
fn extremes(list: [(i32, u8); 4], other: [u8; 4]) -> ([Option<(i32, u8)>; 3], u32, [bool; 7]) {
    let most = list.iter().max_by(|a, b| a.1.cmp(&b.1)).copied();
    let least = list.iter().min_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).copied();
    let mut sum = 0_u32;
    for (pair, k) in std::iter::zip(list, other.iter().rev()) {
        sum = sum.wrapping_mul(3) ^ (pair.0 as u32 & *k as u32);
    }
    let both = most.zip(least).map(|(a, b)| (a.0 ^ b.0, a.1));
    let mut rest = (sum, 7);
    let old = std::mem::take(&mut rest.0);
    let order = list[0].0.cmp(&list[1].0);
    let tests = [order.is_lt(), order.is_le(), order.is_gt(), order.is_ge(), order.is_eq(), order.is_ne(), rest.0 == 0];
    ([most, least, both], old, tests)
}

#[gpu_fn]
fn configured(list: [i32; 3]) -> (i32, bool) {
    #[cfg(debug_assertions)]
    let step = 2;
    #[cfg(not(debug_assertions))]
    let step = 3;
    let unit = ();
    let mut list = list;
    let nothing = list.swap(0, 2);
    match list[0] {
        #[cfg(not(debug_assertions))]
        _ => unit,
        #[cfg(unix)]
        0 => unit,
        1 => nothing,
        _ => (),
    };
    (list[0] ^ step, list.iter().copied().any(odd))
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Set {
    keys: [u8; 4],
    owner: Option<u32>,
    bag: Bag,
}

/// Its methods have the names of others.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Bag {
    n: u32,
}

#[gpu_fn]
impl Bag {
    fn contains(&self, n: u32) -> bool {
        self.n % 2 == n % 2
    }

    fn take(&mut self) -> u32 {
        self.n /= 2;
        self.n
    }

    fn first(&mut self) -> u32 {
        self.n ^= 7;
        self.n
    }
}

/// The methods of a trait have them, too.
#[gpu_fn]
trait Slots {
    fn first(&self) -> u32;
    fn fill(&mut self, n: u32);
    fn replace(&mut self, n: u32) -> u32;
    fn get(&self, n: u32) -> u32 {
        self.first() ^ n
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Slot {
    n: u32,
}

#[gpu_fn]
impl Slots for Slot {
    fn first(&self) -> u32 {
        self.n
    }

    fn fill(&mut self, n: u32) {
        self.n ^= n;
    }

    fn replace(&mut self, n: u32) -> u32 {
        self.fill(n);
        n ^ self.first()
    }
}

#[gpu_fn]
fn filled<S: Slots>(mut slot: S, n: u32) -> u32 {
    slot.fill(n);
    slot.replace(n / 2) ^ slot.get(1)
}

#[gpu_fn]
fn slots(n: u32, k: u32) -> [u32; 4] {
    let mut slots = [Slot { n }; 2];
    slots[1].fill(k);
    [slots[0].replace(k), slots[1].first(), slots[0].get(k), filled(slots[0], n)]
}

#[gpu_fn]
fn keys(set: &Set) -> [u8; 4] {
    set.keys
}

#[gpu_fn]
fn fields(list: [u8; 4], owner: Option<u32>, n: u32) -> ([u8; 4], [Option<u32>; 4], [u32; 4], [bool; 3]) {
    let mut sets = [Set { keys: std::array::from_fn(|k| list[k] / 3), owner, bag: Bag { n } }; 2];
    let found = [sets[1].keys.contains(&1), keys(&sets[0]).contains(&(n as u8)), sets[0].bag.contains(3)];
    let least = sets[1].keys.get(n as usize % 6).copied().unwrap_or(9) as u32;
    let ends = [*keys(&sets[0]).last().unwrap(), sets[0].keys.first().map_or(0, |x| x / 2)];
    let set = &mut sets[1];
    set.keys.reverse();
    let mut options = [set.owner.take(), set.owner.replace(n), set.owner, None];
    *set.owner.get_or_insert(5) ^= 1;
    if let Some(owner) = sets[0].owner.as_mut() {
        *owner /= 2;
    }
    let mut none: Option<u32> = options[3].filter(|x| *x > n);
    options[3] = Some(*none.get_or_insert_with(|| n / 3) ^ *sets[0].owner.insert(n ^ 9));
    sets[0].keys.fill(list[1]);
    let taken = [sets[0].bag.take(), sets[0].bag.first(), least, ends[0] as u32 + ends[1] as u32];
    ([sets[0].keys[2], sets[1].keys[0], sets[1].keys[3], n as u8], options, taken, found)
}

#[gpu_fn]
fn ways_out(list: [u8; 4], by: u8) -> (Option<u8>, Result<u8, u8>, u32, Option<u32>, [u32; 2]) {
    let sum = list.iter().map(|x| Some(x.checked_sub(by)? / 4)).sum::<Option<u8>>();
    let product = list.iter().map(|x| if *x > by { Ok(*x % 3) } else { Err(*x) }).product();
    let large = list.iter().map(|x| {
        for k in 0..3 {
            if *x == by + k {
                return 1000;
            }
        }
        *x as u32
    });
    let folded = list.iter().try_fold(1_u32, |all, x| {
        let next = all.checked_mul(x.checked_add(by)? as u32)?;
        if next % 5 == 0 { None } else { Some(next) }
    });
    let of_first = list.first().and_then(|x| Some(x.checked_mul(by)?.checked_add(3)? as u32));
    (
        sum,
        product,
        large.sum(),
        folded,
        [of_first.unwrap_or(77), list.iter().filter_map(|x| Some(100 / x.checked_sub(9)? as u32)).count() as u32],
    )
}

#[gpu_fn]
fn left(list: [i16; 5], by: i16, n: usize) -> ([Option<i16>; 4], i64, [i64; 4]) {
    let mut signs = list.iter().map(|x| x.signum());
    let odd = list.iter().filter(|x| **x % 2 != 0);
    let mut from_the_end = list.iter().rev().enumerate();
    let (last, second_last) = (from_the_end.next(), from_the_end.next());
    let mut pairs = list.iter().take(n % 7).peekable();
    let mut sum = 0_i64;
    while let Some(x) = pairs.next() {
        if pairs.peek().is_some_and(|y| **y > by) {
            continue;
        }
        sum = sum * 3 + *x as i64 - pairs.next().map_or(1, |y| *y as i64);
    }
    let mut large = list.into_iter().filter(|x| *x > by).map(|x| x as i64 * 2);
    let first = large.next().unwrap_or(0);
    let mut count = 0..n % 9;
    let mut steps = 0;
    for k in count.by_ref() {
        steps = steps * 2 + k as i64;
        if steps > 9 {
            break;
        }
    }
    for k in 0.. {
        if k == 6 {
            break;
        }
        steps ^= k;
    }
    let options = [signs.next(), signs.max(), last.map(|(k, x)| x ^ k as i16), second_last.map(|(_, x)| *x)];
    (
        options,
        sum,
        [
            odd.clone().count() as i64,
            odd.map(|x| *x as i64).sum(),
            first + large.max().unwrap_or(3),
            steps + count.count() as i64,
        ],
    )
}

same_as_plain! { everyday_code_means_what_it_means_in_rust:
    slices(list: [u32; 5], short: [u32; 2]) -> (u32, [u32; 2], [u32; 3]);
    closures(a: u32, b: u32) -> (u32, u64);
    swapped(list: [i32; 3], at: usize, other: i32) -> (i32, i32, [i32; 3]);
    converted(a: u32, b: i64) -> (u8, Option<i16>, u64);
    sorted(list: [i32; 5], floats: [f32; 3], pairs: [(i32, u8); 4]) -> ([[i32; 5]; 3], [f32; 3], [(i32, u8); 4], bool);
    extremes(list: [(i32, u8); 4], other: [u8; 4]) -> ([Option<(i32, u8)>; 3], u32, [bool; 7]);
    configured(list: [i32; 3]) -> (i32, bool);
    slots(n: u32, k: u32) -> [u32; 4];
    fields(list: [u8; 4], owner: Option<u32>, n: u32) -> ([u8; 4], [Option<u32>; 4], [u32; 4], [bool; 3]);
    ways_out(list: [u8; 4], by: u8) -> (Option<u8>, Result<u8, u8>, u32, Option<u32>, [u32; 2]);
    left(list: [i16; 5], by: i16, n: usize) -> ([Option<i16>; 4], i64, [i64; 4]);
    ordered(a: (u8, i32), b: (u8, i32), c: (f32, (bool, u8)), d: (f32, (bool, u8))) -> [bool; 8];
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Row {
    name: u8,
    grid: [[u32; 3]; 2],
}

#[gpu_fn]
fn bumped(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult<u32> {
    tx.update(cells, at, |old| old + cells.len() as u32)?;
    tx.read(cells, at)
}

#[gpu_transaction]
fn shift(tx: &mut Tx, rows: &Shared<Row>, at: u32) -> TxResult<[u32; 3]> {
    tx.update(&rows.name, at, |old| old + (0..2).any(|k| k > old) as u8)?;
    let new = bumped(tx, &rows.grid[1][2], at)?;
    tx.write(&rows.grid[0], at, [new, 7, 8])?;
    tx.read(&rows.grid[1], at)
}

#[test]
fn elements_of_array_fields_are_arrays() {
    everywhere("elements of array fields", |environment| -> TestResult {
        let row = |name| Row { name, grid: [[1, 2, 3], [4, 5, 6]] };
        let rows = environment.shared(&[row(1), row(2)])?;
        let mut batch = environment.batch();
        let ticket = batch.push(shift::call(&rows, 1));
        expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed([4, 5, 8]), "the outcome");
        expect_eq!(rows.to_vec()?, [row(1), Row { name: 2, grid: [[8, 7, 8], [4, 5, 8]] }], "the rows");
        Ok(())
    });
}

#[gpu_fn]
fn twice(tx: &mut Tx, cells: &Shared<u32>, k: u32) -> TxResult<u32> {
    Ok(tx.read(cells, k)? * 2)
}

/// Closures whose `?` are those of the transaction.
#[gpu_transaction]
fn tried(tx: &mut Tx, cells: &Shared<u32>, at: [u32; 3], maybe: Option<u32>) -> TxResult<u32> {
    let get = |k: u32| tx.read(cells, k);
    let mut sum = get(0)? + maybe.map(|k| tx.read(cells, k)).transpose()?.unwrap_or(100);
    sum += at.iter().map(|k| Ok(tx.read(cells, *k)? + twice(tx, cells, 1)?)).sum::<TxResult<u32>>()?;
    at.iter().enumerate().try_for_each(|(k, i)| {
        tx.guard(sum > 0)?;
        tx.update(cells, *i, |old| old * 10 + k as u32)
    })?;
    let mut left = at.iter();
    while let Some(k) = left.next() {
        if tx.read(cells, *k)? > 30 {
            break;
        }
    }
    for x in left.map(|k| tx.read(cells, *k)) {
        sum += x? * 1000;
    }
    match maybe {
        Some(k) => (0..k.min(3)).map(|k| tx.read(cells, k)).try_fold(sum, |sum, x| Ok(sum + x?)),
        None => at.iter().map(|k| twice(tx, cells, *k)).map(|x| Ok(x? + sum)).sum(),
    }
}

#[test]
fn closures_with_the_handle_pass_their_errors_on() {
    everywhere("closures with the handle", |environment| -> TestResult {
        let cells = environment.shared(&[1_u32, 2, 3, 4])?;
        for (maybe, sum) in [(None, 126_552), (Some(2), 733_446)] {
            let mut batch = environment.batch();
            let ticket = batch.push(tried::call(&cells, [1, 2, 3], maybe));
            expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed(sum), "the sum");
        }
        Ok(())
    });
}
