//! What most programs contain: patterns as parameters, `From` of their own types, constants of `impl` blocks, imported variants, bytes, and
//! values of which only rustc knows whether they are arrays.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Point {
    x: i32,
    y: i32,
}

#[gpu_fn]
impl Point {
    fn moved(&mut self, (dx, dy): (i32, i32), [by, _]: [i32; 2], _: u8) -> i32 {
        self.x = self.x.wrapping_add(dx).wrapping_mul(by);
        self.y ^= dy;
        self.x
    }
}

#[gpu_fn]
fn cross(&(ax, ay): &(i32, i32), Point { x, y }: &Point) -> i32 {
    ax.wrapping_mul(*y).wrapping_sub(ay.wrapping_mul(*x))
}

#[gpu_fn]
fn swapped((a, b): &mut (i32, i32), mut by @ _: i32) {
    by ^= 1;
    let old = *a;
    *a = *b;
    *b = old.wrapping_add(by);
}

#[gpu_fn]
fn patterns(pair: (i32, i32), x: i32, y: i32) -> ((i32, i32), i32, i32, Point) {
    const STEP: i32 = 5;
    fn stepped((k, _): (i32, i32)) -> i32 {
        k.wrapping_add(STEP)
    }
    let (mut pair, mut point) = (pair, Point { x, y });
    let turned = point.moved(pair, [3, 4], 5);
    swapped(&mut pair, y);
    (pair, cross(&pair, &point).wrapping_add(turned), stepped(pair), point)
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Id<const KIND: u8, const SIGNED: bool>(i16);

#[gpu_fn]
impl<const KIND: u8, const SIGNED: bool> Id<KIND, SIGNED> {
    fn tag(self) -> i64 {
        if SIGNED { self.0 as i64 * KIND as i64 } else { self.0 as u16 as i64 + KIND as i64 }
    }
}

#[gpu_fn]
fn tags(a: i16) -> (i64, i64) {
    (Id::<200, true>(a).tag(), Id::<7, false>(a).tag())
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Raw(u16);

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Cooked(i32);

#[gpu_fn]
impl From<u32> for Raw {
    fn from(n: u32) -> Self {
        Raw(n as u16)
    }
}

#[gpu_fn]
impl From<Raw> for Cooked {
    fn from(raw: Raw) -> Self {
        Cooked(i32::from(raw.0) * 25 + 100 / (raw.0 as i32 % 5))
    }
}

type Wide = u64;
type Own = Cooked;

#[gpu_fn]
fn cooked(n: u32) -> Option<Own> {
    let raw: Raw = n.into();
    if n % 3 == 0 { None } else { Some(raw.into()) }
}

#[gpu_fn]
fn generic<T: From<u8>>(n: u8) -> T {
    n.into()
}

#[gpu_fn]
fn conversions(n: u32, small: u8) -> (Option<Cooked>, Wide, (Cooked, Wide), u32) {
    let wide: Wide = n.into();
    (cooked(n), wide, (Raw(small as u16).into(), small.into()), generic::<u32>(small))
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Event {
    Order { most: u32 },
    Sale(u32, u8),
    Tick,
}

#[gpu_fn]
fn listed(event: Event, k: u32) -> Event {
    use Event::{Order, Sale as S};
    match event {
        Order { most } if most > k => S(most, 3),
        S(n, _) => Order { most: n ^ k },
        _ => Event::Tick,
    }
}

#[gpu_fn]
fn imported(kind: u8, n: u32, k: u32) -> (Event, u32, Point) {
    use Event::*;
    let event = match kind % 3 {
        0 => Order { most: n },
        1 => Sale(n, kind),
        _ => Tick,
    };
    let Point { x, y } = Point { x: 3, y: k as i32 };
    let mut other = listed(event, k);
    match &mut other {
        Order { most } => *most /= 2,
        Sale(most, _) => *most ^= 1,
        _ => {}
    }
    let found = match Some(other) {
        Some(Order { most: most @ 9.. }) => most,
        Some(Sale(m, 0..=5)) => m ^ 1,
        Some(Tick) | None => 2,
        Some(Order { .. } | Sale(..)) => 4,
    };
    let point = match (Point { x, y }) {
        Point { x: 3, y: 0..=9 } => Point { x: 0, y },
        Point { y, .. } => Point { x: y, y: x },
    };
    (other, found, point)
}

type Slot = Option<(u8, u8)>;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Room {
    slots: [Slot; 3],
    tag: u32,
}

#[gpu_fn]
fn near(at: u32) -> [Option<u32>; 3] {
    [at.checked_sub(1), None, at.checked_add(7)]
}

#[gpu_fn]
fn rows(at: u8) -> [[u8; 2]; 2] {
    [[at, 1], [2, at / 2]]
}

#[gpu_fn]
fn elements(slots: [Option<(u8, u8)>; 3], tag: u32, at: u32) -> (u32, [u32; 5], Option<usize>, [u8; 4]) {
    let mut room = Room { slots, tag };
    let (mut best, all) = (1_u32, near(tag));
    for next in near(at).into_iter().flatten() {
        best = best.wrapping_mul(31) ^ next;
    }
    let free = room.slots.iter().position(|slot| slot.is_none());
    let overlaps = room.slots.iter().flatten().filter(|(a, b)| a < b).count() as u32;
    if let Some(free) = free {
        room.slots[free] = Some((at as u8, 2));
    }
    let sums = [
        all.iter().flatten().fold(0, |sum, x| sum ^ *x),
        rows(at as u8).into_iter().flatten().map(|x| x as u32).sum(),
        room.slots.iter().flatten().map(|(a, _)| *a as u32).sum(),
        (0..2).flat_map(|k| near(at ^ k)).flatten().fold(0, |sum, x| sum ^ x),
        overlaps,
    ];
    (best, sums, free, room.tag.to_be_bytes())
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Mine(u16);

#[gpu_fn]
impl Mine {
    fn to_le_bytes(self) -> [u8; 3] {
        [self.0 as u8, 9, 8]
    }
}

#[gpu_fn]
fn checksum(bytes: &[u8]) -> i16 {
    bytes.iter().fold(7_i16, |sum, b| sum.wrapping_mul(31) ^ *b as i16)
}

#[gpu_fn]
fn bytes(record: [u8; 8], at: usize) -> (u32, Option<[u8; 3]>, [u8; 2], u8, u32) {
    let at = at % 9;
    let part: [u8; 2] = record[6..8].try_into().unwrap();
    let Ok(tail) = <[u8; 3]>::try_from(&record[at..]) else {
        return (
            1,
            record[at.min(2)..at].try_into().ok(),
            part,
            0,
            u32::from_be_bytes(record[at..at + 4].try_into().unwrap()),
        );
    };
    let sum = checksum(&record[at..]);
    let [low, _] = sum.to_le_bytes();
    let words = record.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap()));
    (
        words.fold(0, |sum, word| sum ^ word),
        Some(tail),
        sum.to_be_bytes(),
        low,
        Mine(low as u16).to_le_bytes()[1] as u32,
    )
}

#[gpu_fn]
fn ends(list: &[u8], (by, code): (u8, u8)) -> Result<u8, u8> {
    let (first, rest) = list.split_first().ok_or(code)?;
    Ok(match rest.split_last() {
        Some((last, middle)) => first.wrapping_mul(*last).wrapping_add(middle.len() as u8),
        None => by,
    })
}

#[gpu_fn]
fn first_two(list: &[u8]) -> Option<u8> {
    let (first, rest) = list.split_first()?;
    let (second, _) = rest.split_first()?;
    Some(first ^ second)
}

#[gpu_fn]
fn pieces(list: [u8; 6], at: usize, by: u8) -> ([u8; 6], Result<u8, u8>, Option<u8>, [usize; 3]) {
    let (mut list, at) = (list, at % 7);
    let given = (ends(&list[at..], (by, 3)), first_two(&list[at..]));
    if let Some(last) = list.last_mut() {
        *last = by;
    }
    if let Some(one) = list.get_mut(at) {
        *one ^= 1;
    } else {
        list[0] = 99;
    }
    *list.first_mut().unwrap() /= 2;
    let second = list.get_mut(1).unwrap();
    *second = second.wrapping_mul(3);
    let parts = list.split(|x| *x % 4 == by % 4);
    let most = parts.map(|part| part.len()).max().unwrap_or(0);
    let filled = list[at..].split(|&x| x > by).filter(|part| !part.is_empty()).count();
    let Some(next) = list.get_mut(at + 1) else { return (list, given.0, given.1, [most, filled, 0]) };
    *next = 5;
    (list, given.0, given.1, [most, filled, list.split(|x| *x == 5).count()])
}

same_as_plain! { usual_code_means_what_it_means_in_rust:
    patterns(pair: (i32, i32), x: i32, y: i32) -> ((i32, i32), i32, i32, Point);
    tags(a: i16) -> (i64, i64);
    conversions(n: u32, small: u8) -> (Option<Cooked>, Wide, (Cooked, Wide), u32);
    imported(kind: u8, n: u32, k: u32) -> (Event, u32, Point);
    elements(slots: [Option<(u8, u8)>; 3], tag: u32, at: u32) -> (u32, [u32; 5], Option<usize>, [u8; 4]);
    bytes(record: [u8; 8], at: usize) -> (u32, Option<[u8; 3]>, [u8; 2], u8, u32);
    pieces(list: [u8; 6], at: usize, by: u8) -> ([u8; 6], Result<u8, u8>, Option<u8>, [usize; 3]);
}
