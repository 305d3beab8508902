//! Patterns that change what they examine, parts of arrays as arguments, functions that return references, chains in chains.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Shape {
    Circle { radius: u8 },
    Box(u8, [u8; 2]),
    Maybe(Option<i16>),
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Drawing {
    first: Shape,
    rest: [Shape; 2],
    size: Option<(u8, i16)>,
    checked: Result<u8, i16>,
}

#[gpu_fn]
fn bump(value: &mut u8) {
    *value += 1;
}

#[gpu_fn]
impl Shape {
    fn grow(&mut self, by: u8) -> u8 {
        match self {
            Shape::Circle { radius } => {
                *radius += by;
                bump(radius);
                *radius
            }
            Shape::Box(width, sides) if *width > 9 => {
                sides[by as usize % 3] = *width;
                sides.len() as u8
            }
            Shape::Maybe(Some(value)) => {
                *value -= 1;
                1
            }
            Self::Maybe(none) => {
                *none = Some(by as i16);
                2
            }
            Shape::Nothing => {
                *self = Shape::Circle { radius: by };
                3
            }
            other => {
                *other = Shape::Nothing;
                4
            }
        }
    }
}

#[gpu_fn]
impl Drawing {
    fn change(&mut self, by: u8) -> u8 {
        let mut sum = self.first.grow(by) as u32;
        if let Some((width, depth)) = &mut self.size {
            *width = width.wrapping_mul(3);
            *depth ^= 5;
        }
        for shape in self.rest.iter_mut() {
            match shape {
                Shape::Nothing => *shape = Shape::Maybe(None),
                other => sum += other.grow(1) as u32,
            }
        }
        match &mut self.checked {
            Ok(value) => *value /= by,
            Err(code) => *code = code.wrapping_neg(),
        }
        let Drawing { first, size, .. } = self;
        if let (Shape::Circle { radius }, Some(size)) = (*first, *size) {
            sum += radius as u32 + size.0 as u32;
        }
        let Shape::Circle { radius } = &mut self.rest[by as usize % 2] else { return sum as u8 };
        *radius = 55;
        sum as u8
    }

    fn shape(&self, second: bool) -> &Shape {
        if second { &self.rest[1] } else { &self.first }
    }
}

#[gpu_fn]
fn changed(drawing: Drawing, by: u8) -> (Drawing, u8) {
    let mut drawing = drawing;
    let sum = drawing.change(by);
    (drawing, sum)
}

#[gpu_fn]
fn wider<'a>(a: &'a Drawing, b: &'a Drawing) -> &'a Drawing {
    match (a.size, b.size) {
        (Some(x), Some(y)) if x.0 < y.0 => b,
        _ => a,
    }
}

#[gpu_fn]
fn lent(a: Drawing, b: Drawing, second: bool) -> (Option<(u8, i16)>, Shape, bool) {
    let wide = wider(&a, &b);
    let same = *wider(wide, &b) == *wide;
    (wider(&b, wider(&a, wide)).size, *wide.shape(second), same)
}

#[gpu_fn]
fn total(list: &[u8]) -> u32 {
    list.iter().map(|x| *x as u32).sum()
}

#[gpu_fn]
fn shift(list: &mut [u8], by: u8) -> usize {
    for x in list.iter_mut() {
        *x = x.wrapping_add(by);
    }
    list.len()
}

#[gpu_fn]
fn parts(list: [u8; 5], from: usize, to: usize) -> ([u8; 5], u32, usize) {
    let mut list = list;
    let sum = total(&list[1..4]) + total(&list[3..]) + total(&list[..=0]);
    let by = total(&list[..2]) as u8;
    let count = shift(&mut list[2..], by / 3) + shift(&mut list[..1], 1);
    list[from % 8..to % 8].fill(by);
    (list, sum, count)
}

#[gpu_fn]
fn rest(list: [i16; 4], pair: (u8, [u8; 3])) -> (i32, [i16; 3], [u8; 2], [i16; 2]) {
    let [first, others @ ..] = list;
    let (_, [x, after @ ..]) = pair;
    let [.., last] = &list;
    match list {
        [a, middle @ .., b] if a < b => (first as i32 + x as i32, others, after, middle),
        [before @ .., _, _] => (*last as i32, others, after, before),
    }
}

#[gpu_fn]
fn nested(grid: [[u8; 3]; 2], few: [Option<u8>; 3], list: [u8; 5], n: u8) -> [u32; 8] {
    let numbered = grid.iter().flatten().enumerate().map(|(k, x)| k as u32 * *x as u32).sum::<u32>();
    let flat = (1..4_u32).flat_map(|a| (0..a).map(move |b| a * 10 + b)).filter(|x| x % 2 == 0).sum::<u32>();
    let taken = grid.iter().flat_map(|row| row.iter().take(2)).skip(1).take(2).count() as u32;
    let held = few.iter().flatten().map(|x| *x as u32).max().unwrap_or(1);
    let both = few.iter().flatten().chain(list.iter()).fold(0_u32, |sum, x| sum * 2 + *x as u32);
    let mut pieces = 0;
    'all: for piece in list.chunks(2) {
        for x in piece {
            if *x == n {
                break 'all;
            }
            pieces += *x as u32 * piece.len() as u32;
        }
    }
    let sums = list.chunks(2).map(|piece| piece.iter().map(|x| *x as u32).sum::<u32>()).max().unwrap_or(0);
    let seen = few.iter().flat_map(|x| *x).fold(0, |sum, x| sum + x as u32);
    [numbered, flat, taken, held, both, pieces, sums, seen]
}

#[gpu_fn]
fn tried(list: [u8; 4], n: u8) -> (Option<u8>, Result<u32, u8>, Option<u32>) {
    let sum = list.iter().try_fold(0_u8, |sum, x| sum.checked_add(*x));
    let checked = list.iter().try_fold(1_u32, |all, x| if *x == n { Err(*x) } else { Ok(all * 2 + *x as u32) });
    (sum, checked, (0..n as u32 % 5).try_fold(7, |a, b| if b < 3 { Some(a + b) } else { None }))
}

#[gpu_fn]
fn moved(list: &mut [u8; 3], or: &mut [u8; 3], first: bool) -> Option<u8> {
    let of = if first { list } else { or };
    of[0] = of[0].checked_sub(3)?;
    of.iter_mut().skip(1).for_each(|x| *x ^= 1);
    bump(&mut of[2]);
    Some(of[1])
}

/// A name for one of several places, chosen before what its index is computed from changes.
#[gpu_fn]
fn chosen(
    lists: [[u8; 3]; 2],
    pair: (u8, Option<u8>),
    how: u8,
    at: usize,
) -> ([[u8; 3]; 2], (u8, Option<u8>), Option<u8>) {
    let ([mut a, mut b], mut pair, mut k) = (lists, pair, at % 4);
    let level = match how % 6 {
        0 => &mut a[k],
        1 | 2 => {
            k ^= 1;
            &mut b[k ^ 1]
        }
        3 => return ([a, b], pair, None),
        4 => match &mut pair.1 {
            Some(value) => value,
            None => &mut pair.0,
        },
        _ => &mut pair.0,
    };
    k = 2;
    *level ^= 9;
    bump(level);
    let next = &mut *level;
    *next = next.wrapping_mul(2);
    let sum = bump_by(level, 3) ^ a[0];
    let (from, to, most) = if how % 2 == 0 { (&mut a, &mut b, 3) } else { (&mut b, &mut a, 5) };
    for i in 0..3 {
        let moved = from[i].min(most);
        from[i] -= moved;
        to[k - i] = to[k - i].wrapping_add(moved);
    }
    std::mem::swap(&mut from[0], &mut to[k]);
    let last = bump_by(if sum > 9 { &mut pair.0 } else { &mut from[1] }, sum);
    let gone = moved(&mut a, &mut b, how > 99);
    ([a, b], (pair.0, pair.1.or(gone)), Some(last))
}

#[gpu_fn]
fn bump_by(value: &mut u8, by: u8) -> u8 {
    *value = value.wrapping_add(by);
    *value
}

#[gpu_fn]
impl Drawing {
    fn found(&self, least: u8) -> Option<&Shape> {
        self.rest.iter().find(|shape| matches!(shape, Shape::Circle { radius } if *radius >= least))
    }

    fn ends(&self) -> (&Shape, Result<&Shape, u8>) {
        (&self.first, if self.size.is_some() { Ok(&self.rest[1]) } else { Err(1) })
    }
}

#[gpu_fn]
fn above<'a>(list: &'a [u8], limit: u8, other: &'a u8) -> Option<&'a u8> {
    for x in list {
        if *x > limit {
            return Some(x);
        }
    }
    if *other == 7 { None } else { Some(other) }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Stock {
    items: [(u8, Option<u8>); 3],
    len: usize,
}

#[gpu_fn]
impl Stock {
    fn add(&mut self, id: u8, count: u8) -> bool {
        if let Some(item) = self.items.iter_mut().find(|item| item.0 == id) {
            *item.1.get_or_insert(0) ^= count;
            return true;
        }
        let Some(item) = self.items.get_mut(self.len) else { return false };
        *item = (id, Some(count));
        self.len ^= 1;
        true
    }
}

/// Changes elements through `get_mut`, `first_mut`, `last_mut` and `iter_mut().find(..)`.
#[gpu_fn]
fn elements(stock: Stock, list: [u8; 4], id: u8, k: usize) -> (Stock, bool, [u8; 4], u8) {
    let (mut stock, mut list) = (stock, list);
    let added = stock.add(id, 5);
    let seen = match list.get_mut(k) {
        Some(x) if *x > 100 => 7,
        Some(x) => {
            bump(x);
            *x
        }
        None => {
            if let Some(first) = list.first_mut() {
                *first /= 2;
            }
            9
        }
    };
    if let Some((a, Some(b))) = stock.items.get_mut(id as usize % 4) {
        std::mem::swap(a, b);
    }
    while let Some(last) = list.last_mut()
        && *last > 3
    {
        *last /= 2;
    }
    (stock, added, list, seen)
}

/// References in results, also of calls with results of calls.
#[gpu_fn]
fn looked_up(drawing: Drawing, list: [u8; 3], n: u8) -> (Shape, Shape, u8, Option<u8>) {
    let (first, last) = drawing.ends();
    let found = drawing.found(n).copied().unwrap_or(*first);
    let size = wider(&drawing, wider(&drawing, &drawing)).size;
    let over = match above(&list[1..], n, &list[0]) {
        Some(x) => *x,
        None => 0,
    };
    (found, *last.unwrap_or(first), over, above(&list, 99, &n).copied().filter(|x| size.is_none_or(|(y, _)| y != *x)))
}

same_as_plain! { what_changes_in_place_means_what_it_means_in_rust:
    changed(drawing: Drawing, by: u8) -> (Drawing, u8);
    chosen(lists: [[u8; 3]; 2], pair: (u8, Option<u8>), how: u8, at: usize) -> ([[u8; 3]; 2], (u8, Option<u8>), Option<u8>);
    looked_up(drawing: Drawing, list: [u8; 3], n: u8) -> (Shape, Shape, u8, Option<u8>);
    elements(stock: Stock, list: [u8; 4], id: u8, k: usize) -> (Stock, bool, [u8; 4], u8);
    lent(a: Drawing, b: Drawing, second: bool) -> (Option<(u8, i16)>, Shape, bool);
    parts(list: [u8; 5], from: usize, to: usize) -> ([u8; 5], u32, usize);
    rest(list: [i16; 4], pair: (u8, [u8; 3])) -> (i32, [i16; 3], [u8; 2], [i16; 2]);
    nested(grid: [[u8; 3]; 2], few: [Option<u8>; 3], list: [u8; 5], n: u8) -> [u32; 8];
    tried(list: [u8; 4], n: u8) -> (Option<u8>, Result<u32, u8>, Option<u32>);
}
