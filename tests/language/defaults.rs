//! `Default`, `From` of a type parameter, and arrays made by functions.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Default, GpuData)]
enum Level {
    Plain,
    #[default]
    Suite,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, GpuData)]
struct Room {
    free: u32,
    level: Level,
    prices: [i64; 3],
    wide: Option<u128>,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Rate {
    percent: u8,
    of: Level,
}

impl Default for Rate {
    fn default() -> Rate {
        Rate { percent: 7, of: Level::Plain }
    }
}

type Id = u64;

#[gpu_fn]
impl From<u8> for Rate {
    fn from(percent: u8) -> Rate {
        Rate { percent: percent / 2, of: Level::Suite }
    }
}

#[gpu_fn]
fn larger<T: Copy + PartialOrd + Default>(list: [T; 3], least: T) -> T {
    let mut most = T::default();
    for x in list {
        if x > most && x > least {
            most = x;
        }
    }
    most
}

#[gpu_fn]
fn or_default<T: Copy + Default, const N: usize>(given: Option<T>, yes: bool) -> ([T; N], T) {
    let other: T = Default::default();
    let first = given.unwrap_or_default();
    ([if yes { first } else { T::default() }; N], other)
}

#[gpu_fn]
fn scaled<T: Copy + From<u8> + From<bool>>(by: u8, yes: bool) -> (T, T) {
    (T::from(by), T::from(yes))
}

#[gpu_fn]
fn defaults(free: u32, yes: bool) -> (Room, Rate, Room, [(u32, bool); 2]) {
    let room = Room { free, ..Default::default() };
    let mut rate = Rate::default();
    let small = free as u8;
    let half = Rate::from(small);
    let id: Id = small.into();
    let wide: u64 = half.percent.into();
    if yes && wide % 3 == id % 2 {
        rate = half;
    } else if yes {
        rate = Rate { percent: rate.percent.wrapping_add(free as u8), ..rate };
    }
    let other = Room { level: Level::default(), wide: Some(u128::default()), ..Room::default() };
    (room, rate, if yes { other } else { Room::default() }, Default::default())
}

#[gpu_fn]
fn of_parameters(list: [i64; 3], least: i64, rate: Option<Rate>, yes: bool) -> (i64, ([Rate; 2], Rate), f64) {
    (larger(list, least), or_default(rate, yes), larger([0.5, -1.0, least as f64], -3.0))
}

#[gpu_fn]
fn from_bytes(by: u8, yes: bool) -> ((u64, u64), (i128, i128), (u32, u32)) {
    (scaled(by, yes), scaled::<i128>(by, yes), scaled(by, yes))
}

#[gpu_fn]
fn missing(room: Option<Room>, rate: Option<Rate>, letter: Option<char>) -> (Room, Rate, char, Room) {
    (room.unwrap_or_default(), rate.unwrap_or_default(), letter.unwrap_or_default(), <Room>::default())
}

const MANY: usize = 5;

#[gpu_fn]
fn made(a: u32, b: u64, big: bool) -> ([u32; 4], [u64; MANY], [[u8; 2]; 3], u32) {
    let squares: [u32; 4] = core::array::from_fn(|k| a.wrapping_mul(k as u32) ^ 3);
    let sums = std::array::from_fn::<u64, MANY, _>(|k| if big { b / (k as u64 + 1) } else { k as u64 });
    let pairs: [[u8; 2]; 3] = std::array::from_fn(|k| [k as u8, a as u8]);
    let mut calls = 0;
    let counted: [u32; MANY] = std::array::from_fn(|_| {
        calls += a % 7;
        calls
    });
    (squares, sums, pairs, counted[4] + calls)
}

same_as_plain! { defaults_are_those_of_the_program:
    defaults(free: u32, yes: bool) -> (Room, Rate, Room, [(u32, bool); 2]);
    of_parameters(list: [i64; 3], least: i64, rate: Option<Rate>, yes: bool) -> (i64, ([Rate; 2], Rate), f64);
    made(a: u32, b: u64, big: bool) -> ([u32; 4], [u64; MANY], [[u8; 2]; 3], u32);
    from_bytes(by: u8, yes: bool) -> ((u64, u64), (i128, i128), (u32, u32));
    missing(room: Option<Room>, rate: Option<Rate>, letter: Option<char>) -> (Room, Rate, char, Room);
}
