//! The procedures that batches call: those of the suite, and some more for argument types, indices and NaNs.

use stm_runtime::prelude::*;
use stm_tests::procedures::records::Light;
use stm_tests::procedures::{bank, counters, dirty, endings, guards, locals, records, sets, types};

use crate::call::{Procedure, procedures};

/// A record with a field of every sort.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Room {
    pub(crate) free: u32,
    pub(crate) guest: Option<u32>,
    pub(crate) prices: [i16; 3],
    pub(crate) light: Light,
}

/// Replaces an element of any type and returns the old value.
#[gpu_transaction(instantiate(
    bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, Light, (u8, i64), [u16; 3], Option<u32>, Room
))]
fn put<T>(tx: &mut Tx, cells: &Shared<T>, at: u64, value: T) -> TxResult<T> {
    let old = tx.read(cells, at)?;
    tx.write(cells, at, value)?;
    Ok(old)
}

/// Reads with an index of any type.
#[gpu_transaction(instantiate(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize))]
fn index<T>(tx: &mut Tx, cells: &Shared<u32>, at: T) -> TxResult<u32> {
    tx.read(cells, at)
}

/// Moves an element between two arrays, which may be the same array.
#[gpu_transaction(instantiate(i64, u8, Room))]
fn exchange<T>(tx: &mut Tx, left: &Shared<T>, right: &Shared<T>, at: u32, to: u32) -> TxResult {
    let (one, other) = (tx.read(left, at)?, tx.read(right, to)?);
    tx.write(left, at, other)?;
    tx.write(right, to, one)
}

/// Returns some of its arguments, which are of many types.
#[gpu_transaction]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn echo_narrow(
    _tx: &mut Tx,
    a: bool,
    b: i8,
    c: i16,
    d: i32,
    e: u8,
    f: u16,
    g: u32,
    h: f32,
) -> TxResult<(bool, i8, i16, i32, u8, u16, u32, f32)> {
    Ok((a, b, c, d, e, f, g, h))
}

/// Does the same with wide and compound ones.
#[gpu_transaction]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn echo_wide(
    _tx: &mut Tx,
    a: i64,
    b: isize,
    c: u64,
    d: usize,
    e: f64,
    f: (u8, i64),
    g: [u16; 3],
    h: Option<u32>,
) -> TxResult<(i64, isize, u64, usize, f64, (u8, i64), [u16; 3], Option<u32>)> {
    Ok((a, b, c, d, e, f, g, h))
}

/// Takes and returns a record, unless it is empty.
#[gpu_transaction]
fn echo_room(tx: &mut Tx, room: Room, light: Light, nothing: ()) -> TxResult<(Room, ())> {
    if room.guest.is_none() && room.light == light {
        tx.reject(room.free)?;
    }
    Ok((room, nothing))
}

/// Computes with floats, NaNs and infinities included.
#[gpu_transaction]
fn scale(tx: &mut Tx, single: &Shared<f32>, double: &Shared<f64>, at: u16, by: f64) -> TxResult<(f32, i8)> {
    let (low, high) = (tx.read(single, at)?, tx.read(double, at)?);
    let scaled = low * by as f32 + high as f32;
    tx.write(single, at, scaled)?;
    tx.write(double, at, high / by - f64::from(low))?;
    Ok((scaled, scaled as i8))
}

/// Books a room, field by field or as a whole.
#[gpu_transaction]
fn book(tx: &mut Tx, rooms: &Shared<Room>, at: i32, guest: u32, whole: bool) -> TxResult<i16> {
    let room = tx.read(rooms, at)?;
    tx.guard(room.guest.is_none() || room.guest == Some(guest))?;
    let price = room.prices[(guest % 4) as usize];
    if whole {
        tx.write(rooms, at, Room { guest: Some(guest), free: room.free.wrapping_sub(1), ..room })?;
    } else {
        tx.write(&rooms.guest, at, Some(guest))?;
        tx.update(&rooms.free, at, |free| free.wrapping_sub(1))?;
    }
    Ok(price)
}

/// Empties a room.
#[gpu_transaction]
fn check_out(tx: &mut Tx, rooms: &Shared<Room>, at: i32, guest: Option<u32>) -> TxResult<Room> {
    let room = tx.read(rooms, at)?;
    tx.guard(room.guest.is_some())?;
    assert!(guest.is_none() || guest == room.guest, "another guest");
    tx.write(&rooms.guest, at, None)?;
    Ok(room)
}

/// Follows links until one leads to itself, for at most 40 steps.
#[gpu_transaction(max_iterations = 40, max_accesses = 9)]
fn follow_links(tx: &mut Tx, links: &Shared<u32>, from: u32) -> TxResult<(u32, u8)> {
    let (mut at, mut steps) = (from, 0_u8);
    'walk: loop {
        let next = tx.read(links, at)?;
        steps += 1;
        if next == at {
            break 'walk;
        }
        at = next;
    }
    Ok((at, steps))
}

/// Loops about as often as its limit of 50 iterations allows.
#[gpu_transaction(max_iterations = 50)]
fn count_down(tx: &mut Tx, cells: &Shared<u64>, at: u32, rounds: u8) -> TxResult<u64> {
    let mut value = tx.read(cells, at)?;
    for round in (0..rounds % 64).rev() {
        value = value.rotate_left(3) ^ u64::from(round);
    }
    tx.write(cells, at, value)?;
    Ok(value)
}

/// Reads more elements than it declares, or loops more often.
#[gpu_transaction(max_accesses = 4, max_iterations = 60)]
fn stride(tx: &mut Tx, numbers: &Shared<i64>, n: u32, stride: u32) -> TxResult<i64> {
    let mut sum = 0_i64;
    for step in 0..n {
        sum = sum.wrapping_add(tx.read(numbers, step.wrapping_mul(stride))?);
    }
    Ok(sum)
}

/// Reads the last element of an array by its length.
#[gpu_transaction]
fn ends(tx: &mut Tx, cells: &Shared<i16>, others: &Shared<bool>) -> TxResult<(i16, u64)> {
    if others.is_empty() {
        return tx.reject(u32::MAX);
    }
    let last = tx.read(cells, cells.len() - 1)?;
    tx.write(cells, 0, last)?;
    Ok((last, others.len() as u64))
}

/// Sorts the elements of a local array, and unwraps an `Option` that may be `None`.
#[gpu_transaction]
fn sort(tx: &mut Tx, triples: &Shared<[u16; 3]>, at: u8, limit: Option<u32>) -> TxResult<u16> {
    let mut list = tx.read(triples, at)?;
    for i in 0..2 {
        for k in 0..2 - i {
            if list[k] > list[k + 1] {
                (list[k], list[k + 1]) = (list[k + 1], list[k]);
            }
        }
    }
    tx.write(triples, at, list)?;
    let top = u32::from(list[2]);
    if top > 9 && top > limit.unwrap() {
        tx.reject(top)?;
    }
    Ok(list[1])
}

/// Calls a closure: doubles an element while it is small.
#[gpu_transaction]
const double: _ = |tx: &mut Tx, cells: &Shared<isize>, at: u32| -> TxResult<isize> {
    let old = tx.read(cells, at)?;
    tx.guard(old < 1 << 20)?;
    tx.write(cells, at, old.saturating_mul(2))?;
    Ok(old)
};

procedures! { ALL:
    put::<bool>(cells: Shared<bool>)(at: u64, value: bool);
    put::<i8>(cells: Shared<i8>)(at: u64, value: i8);
    put::<i16>(cells: Shared<i16>)(at: u64, value: i16);
    put::<i32>(cells: Shared<i32>)(at: u64, value: i32);
    put::<i64>(cells: Shared<i64>)(at: u64, value: i64);
    put::<isize>(cells: Shared<isize>)(at: u64, value: isize);
    put::<u8>(cells: Shared<u8>)(at: u64, value: u8);
    put::<u16>(cells: Shared<u16>)(at: u64, value: u16);
    put::<u32>(cells: Shared<u32>)(at: u64, value: u32);
    put::<u64>(cells: Shared<u64>)(at: u64, value: u64);
    put::<usize>(cells: Shared<usize>)(at: u64, value: usize);
    put::<f32>(cells: Shared<f32>)(at: u64, value: f32);
    put::<f64>(cells: Shared<f64>)(at: u64, value: f64);
    put::<Light>(cells: Shared<Light>)(at: u64, value: Light);
    put::<(u8, i64)>(cells: Shared<(u8, i64)>)(at: u64, value: (u8, i64));
    put::<[u16; 3]>(cells: Shared<[u16; 3]>)(at: u64, value: [u16; 3]);
    put::<Option<u32>>(cells: Shared<Option<u32>>)(at: u64, value: Option<u32>);
    put::<Room>(cells: Shared<Room>)(at: u64, value: Room);
    index::<i8>(cells: Shared<u32>)(at: i8) conserves;
    index::<i16>(cells: Shared<u32>)(at: i16) conserves;
    index::<i32>(cells: Shared<u32>)(at: i32) conserves;
    index::<i64>(cells: Shared<u32>)(at: i64) conserves;
    index::<isize>(cells: Shared<u32>)(at: isize) conserves;
    index::<u8>(cells: Shared<u32>)(at: u8) conserves;
    index::<u16>(cells: Shared<u32>)(at: u16) conserves;
    index::<u32>(cells: Shared<u32>)(at: u32) conserves;
    index::<u64>(cells: Shared<u32>)(at: u64) conserves;
    index::<usize>(cells: Shared<u32>)(at: usize) conserves;
    exchange::<i64>(left: Shared<i64>, right: Shared<i64>)(at: u32, to: u32);
    exchange::<u8>(left: Shared<u8>, right: Shared<u8>)(at: u32, to: u32);
    exchange::<Room>(left: Shared<Room>, right: Shared<Room>)(at: u32, to: u32);
    echo_narrow()(a: bool, b: i8, c: i16, d: i32, e: u8, f: u16, g: u32, h: f32) conserves;
    echo_wide()(a: i64, b: isize, c: u64, d: usize, e: f64, f: (u8, i64), g: [u16; 3], h: Option<u32>) conserves;
    echo_room()(room: Room, light: Light, nothing: ()) conserves;
    scale(single: Shared<f32>, double: Shared<f64>)(at: u16, by: f64);
    book(rooms: Shared<Room>)(at: i32, guest: u32, whole: bool);
    check_out(rooms: Shared<Room>)(at: i32, guest: Option<u32>);
    follow_links(links: Shared<u32>)(from: u32) conserves;
    count_down(cells: Shared<u64>)(at: u32, rounds: u8);
    ends(cells: Shared<i16>, others: Shared<bool>)();
    double(cells: Shared<isize>)(at: u32);
    sort(triples: Shared<[u16; 3]>)(at: u8, limit: Option<u32>) conserves;
    bank::transfer(accounts: Shared<i64>)(from: u32, to: u32, amount: i64) conserves;
    bank::transfer_narrow(accounts: Shared<i32>)(from: u32, to: u32, amount: i32) conserves;
    bank::transfer_found(places: Shared<u32>, accounts: Shared<i64>)(at: u32, to: u32, amount: i64) conserves;
    bank::deposit(accounts: Shared<i64>)(to: u32, amount: i64);
    bank::audit(accounts: Shared<i64>)(first: u32, n: u32) conserves;
    bank::turn_around(ring: Shared<i64>)(at: usize, by: usize, all: Option<i64>) conserves;
    counters::increment(cells: Shared<i64>)(at: u32);
    counters::increment_found(places: Shared<u32>, cells: Shared<i64>)(at: u32);
    counters::increment_run(cells: Shared<i64>)(first: u32, n: u32);
    counters::total(cells: Shared<i64>)(n: u32) conserves;
    dirty::spoil_and_refuse(cells: Shared<i64>)(at: u32, other: u32) conserves;
    dirty::spoil_and_fault(cells: Shared<i64>)(at: u32, zero: i64);
    dirty::spoil_and_wait(cells: Shared<i64>, flags: Shared<u32>)(at: u32, good: i64);
    dirty::copy_on(cells: Shared<i64>)(from: u32, to: u32);
    endings::nothing()(number: u32) conserves;
    endings::grow(bytes: Shared<u8>)(at: i32, by: u8);
    endings::grow_wrapping(bytes: Shared<u8>)(at: i32, by: u8);
    endings::divide(numbers: Shared<i32>)(at: u32, by: i32) conserves;
    endings::refuse(numbers: Shared<i64>)(at: u32, least: i64, most: i64);
    stride(numbers: Shared<i64>)(n: u32, by: u32) conserves;
    endings::too_many_writes(numbers: Shared<i64>)(n: u32);
    endings::spin(numbers: Shared<i64>)(rounds: u32) conserves;
    guards::pass_on(flags: Shared<u32>)(from: u32, to: u32);
    guards::raise_flag(flags: Shared<u32>)(at: u32);
    guards::write_then_wait(cells: Shared<i64>, flags: Shared<u32>)(at: u32, value: i64);
    guards::wait_only(flags: Shared<u32>)(at: u32) conserves;
    locals::count(counters: Partition<u32, 4>)(at: u32);
    locals::count_found(places: Partition<u8, 2>, counters: Partition<u32, 4>)(at: u32);
    locals::pass_on(accounts: Partition<i64, 8>)(from: u32, to: u32, amount: i64) conserves;
    locals::sum(accounts: Partition<i64, 8>)() conserves;
    locals::spoil(accounts: Partition<i64, 8>)(at: u32, other: u32) conserves;
    locals::sit_down(seats: Partition<locals::Seat, 4>)(at: u32, who: u32);
    locals::stand_up(seats: Partition<locals::Seat, 4>)(at: u32, who: u32);
    records::move_over(purses: Shared<records::Purses>)(owner: u32, by: i64);
    records::move_whole(purses: Shared<records::Purses>)(owner: u32, by: i64);
    records::transfer_by_functions(accounts: Shared<i64>)(from: u32, to: u32, amount: i64) conserves;
    records::sit_down(places: Shared<Option<u32>>)(first: u32, guest: u32);
    records::stand_up(places: Shared<Option<u32>>)(first: u32, guest: u32);
    records::switch_light(lights: Shared<(Light, u32)>)(i: u32);
    records::shift_parts(parts: Shared<records::Parts>)(i: u32, by: i32) conserves;
    records::rely_on_parts(parts: Shared<records::Parts>)(i: u32, how: u32) conserves;
    sets::fill_then_sum(cells: Shared<i64>)(first: u32, n: u32, value: i64);
    sets::write_then_read(cells: Shared<i64>)(at: u32, same: u32, value: i64);
    sets::write_twice(cells: Shared<i64>)(at: u32, same: u32, value: i64);
    types::mixed(
        wide: Shared<i64>, narrow: Shared<u32>, short: Shared<i16>, byte: Shared<u8>, single: Shared<f32>,
        double: Shared<f64>, switch: Shared<bool>
    )(at: u32);
    types::convert(from: Shared<i64>, to: Shared<u8>, back: Shared<f32>)(at: u32);
}

/// Returns the procedure of that name.
pub(crate) fn named(name: &str) -> &'static Procedure {
    ALL.iter().find(|procedure| procedure.name == name).expect("the batch should have the procedure")
}
