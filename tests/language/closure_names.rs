//! The names of functions as closures: whether they take a value or a reference follows from what the closure gets.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
struct Interval {
    from: u8,
    to: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
enum Refusal {
    Short(u8),
    Odd,
}

#[gpu_fn]
impl Refusal {
    fn code(self) -> u32 {
        match self {
            Refusal::Short(n) => n.into(),
            Refusal::Odd => 777,
        }
    }

    fn none() -> u32 {
        9
    }
}

#[gpu_fn]
impl Interval {
    fn new(from: u8) -> Interval {
        Interval { from, to: from.saturating_add(3) }
    }

    fn len(&self) -> u32 {
        self.to.saturating_sub(self.from).into()
    }

    fn length(self) -> u32 {
        self.to.saturating_sub(self.from).into()
    }

    fn start(&self) -> u8 {
        self.from
    }

    fn is_open(&self) -> bool {
        self.from % 2 == 0
    }

    fn some(&self) -> Option<u8> {
        self.to.checked_sub(self.from)
    }

    fn join(self, other: Interval) -> Interval {
        Interval { from: self.from.min(other.from), to: self.to.max(other.to) }
    }

    fn grow(&mut self) {
        self.to = self.to.wrapping_add(1);
    }

    fn add(sum: u32, other: &Interval) -> u32 {
        sum.wrapping_mul(3).wrapping_add(other.to.into())
    }

    fn by_end(a: &Interval, b: &Interval) -> std::cmp::Ordering {
        a.to.cmp(&b.to)
    }

    fn check(self) -> Result<u32, Refusal> {
        match self.to.checked_sub(self.from) {
            Some(length) if length < 99 => Err(Refusal::Short(length)),
            _ if self.from % 2 == 1 => Err(Refusal::Odd),
            _ => Ok(self.from.into()),
        }
    }

    fn open_ones(list: &[Option<Self>; 3]) -> usize {
        list.iter().flatten().copied().filter(Self::is_open).count()
    }
}

#[gpu_fn]
fn width(x: &Interval) -> u32 {
    u32::from(x.to ^ x.from)
}

#[gpu_fn]
fn twice(x: u32) -> u32 {
    x.wrapping_mul(2)
}

#[gpu_fn]
fn at_least(x: &u8) -> bool {
    *x > 99
}

#[gpu_fn]
fn of_chains(list: [Interval; 3], slots: [Option<Interval>; 3], n: usize) -> [u32; 14] {
    [
        slots[..n % 4].iter().flatten().map(Interval::len).sum(),
        slots.iter().flatten().filter_map(Interval::some).map(u32::from).sum(),
        Interval::open_ones(&slots) as u32,
        list.iter().map(Interval::len).sum(),
        list.into_iter().map(Interval::length).sum(),
        list.iter().copied().reduce(Interval::join).map_or(0, Interval::length),
        list.iter().copied().filter(Interval::is_open).map(Interval::length).sum(),
        u32::from(list.iter().all(Interval::is_open)) + 2 * u32::from(list.iter().any(Interval::is_open)),
        list.iter().fold(1, Interval::add),
        list.iter().map(Interval::start).map(Interval::new).map(Interval::length).sum(),
        list.iter().map(Interval::start).filter(at_least).count() as u32,
        list.iter().min_by_key(|x| x.to).map_or(0, Interval::len),
        slots.iter().map(Option::is_some).filter(|is_some| *is_some).count() as u32,
        list.iter().map(width).sum::<u32>() + slots.iter().flatten().map(width).sum::<u32>(),
    ]
}

#[gpu_fn]
fn of_options(list: [Interval; 3], slots: [Option<Interval>; 3], n: usize) -> [u32; 9] {
    let best = list.iter().max_by_key(|x| x.to);
    [
        slots[0].map_or(0, Interval::length) + slots[1].as_ref().map_or(0, Interval::len),
        slots[2].as_ref().map_or(5, width),
        best.map_or(0, Interval::len),
        list.first().map_or(0, Interval::len) + list.get(n % 5).map_or(0, width),
        list.iter().find(|x| x.to > 99).map_or(0, Interval::len),
        list[0].check().map_err(Refusal::code).unwrap_or_else(twice),
        match list[1].check().map_err(Refusal::code) {
            Ok(x) => x,
            Err(code) => 1000 + code,
        },
        slots[0].map(Interval::length).unwrap_or_else(Refusal::none),
        slots[1].filter(Interval::is_open).map_or(3, Interval::length) + list[2].check().ok().map_or(3, twice),
    ]
}

#[gpu_fn]
fn of_arrays(list: [Interval; 3], bytes: [u8; 4]) -> ([Interval; 3], [Interval; 3], usize, u32, bool) {
    let (mut by_start, mut by_end) = (list, list);
    by_start.iter_mut().for_each(Interval::grow);
    by_start.sort_by_key(Interval::start);
    by_end.sort_by(Interval::by_end);
    let split = by_end.partition_point(Interval::is_open);
    let wide: u32 = bytes.map(u32::from).iter().sum();
    (by_start, by_end, split, wide, bytes.iter().all(u8::is_ascii_alphanumeric))
}

same_as_plain! { names_stand_for_closures:
    of_chains(list: [Interval; 3], slots: [Option<Interval>; 3], n: usize) -> [u32; 14];
    of_options(list: [Interval; 3], slots: [Option<Interval>; 3], n: usize) -> [u32; 9];
    of_arrays(list: [Interval; 3], bytes: [u8; 4]) -> ([Interval; 3], [Interval; 3], usize, u32, bool);
}
