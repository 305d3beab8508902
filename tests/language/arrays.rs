//! Arrays of compound values, and functions that use them: reads, writes, and how a call ends.

use stm_runtime::prelude::*;
use stm_runtime::{FaultCode, Kernel};
use stm_tests::draw::Draw;
use stm_tests::expect_eq;
use stm_tests::procedures::helpers::{Currency, Money, give, take};

use crate::harness::{Bench, End, Panic, everywhere};

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[repr(u8)]
enum Level {
    Low = 1,
    High = 7,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Room {
    free: u32,
    price: Money,
    guests: [Option<u16>; 2],
    at: (i8, Level),
}

/// Returns a fault without a source location: `faults` tests locations.
fn fault<R>(code: FaultCode) -> End<R> {
    End::Fault(Panic { codes: vec![code], line: None, file: String::new() })
}

#[gpu_fn]
fn first_free(guests: [Option<u16>; 2]) -> Option<usize> {
    for k in 0..2 {
        if guests[k].is_none() {
            return Some(k);
        }
    }
    None
}

/// Takes one of the free ones, from any array of counts.
#[gpu_fn]
fn occupy(tx: &mut Tx, free: &Shared<u32>, i: usize) -> TxResult<u32> {
    let old = tx.read(free, i)?;
    if old == 0 {
        return tx.reject(3);
    }
    tx.write(free, i, old - 1)?;
    Ok(old - 1)
}

#[gpu_fn]
fn arrive(tx: &mut Tx, rooms: &Shared<Room>, i: usize, guest: u16) -> TxResult<Level> {
    let room = tx.read(rooms, i)?;
    let bed = first_free(room.guests).unwrap();
    let mut guests = room.guests;
    guests[bed] = Some(guest);
    tx.write(&rooms.guests, i, guests)?;
    Ok(room.at.1)
}

/// Books a bed: updates the count first, so that a full room rejects, and undoes that write where no bed is free.
#[gpu_transaction]
fn book(tx: &mut Tx, rooms: &Shared<Room>, i: usize, guest: u16) -> TxResult<(u32, Option<Level>)> {
    let left = occupy(tx, &rooms.free, i)?;
    let level = arrive(tx, rooms, i, guest)?;
    match level {
        Level::High => tx.update(&rooms.price, i, |old| Money { amount: old.amount / 2, ..old })?,
        Level::Low if left > 5 => return Ok((left, None)),
        Level::Low => tx.write(&rooms.at, i, (-1, Level::High))?,
    }
    Ok((left, Some(level)))
}

fn booked(room: &mut Room, guest: u16) -> End<(u32, Option<Level>)> {
    if room.free == 0 {
        return End::Reject(3);
    }
    let Some(bed) = room.guests.iter().position(Option::is_none) else { return fault(FaultCode::Unwrap) };
    room.free -= 1;
    room.guests[bed] = Some(guest);
    match room.at.1 {
        Level::High => room.price.amount /= 2,
        Level::Low if room.free > 5 => return End::Value((room.free, None)),
        Level::Low => {
            room.at = (-1, Level::High);
            return End::Value((room.free, Some(Level::Low)));
        }
    }
    End::Value((room.free, Some(Level::High)))
}

/// Reads and writes parts of parts, as arrays and as values.
#[gpu_transaction]
fn parts(tx: &mut Tx, rooms: &Shared<Room>, i: usize, price: Money) -> TxResult<[i64; 2]> {
    let (floor, level) = tx.read(&rooms.at, i)?;
    let before = tx.read(&rooms.price.amount, i)?;
    tx.write(&rooms.price, i, price)?;
    if price.of == Currency::Yen {
        tx.write(&rooms.at.0, i, floor / 2)?;
    }
    let after = tx.read(rooms, i)?;
    Ok([before / 2, after.price.amount / 2 + after.at.0 as i64 + level as i64])
}

fn parted(room: &mut Room, price: Money) -> End<[i64; 2]> {
    let before = room.price.amount;
    room.price = price;
    if price.of == Currency::Yen {
        room.at.0 /= 2;
    }
    End::Value([before / 2, price.amount / 2 + i64::from(room.at.0) + room.at.1 as i64])
}

/// Reads and writes whole records.
#[gpu_transaction]
fn exchange(tx: &mut Tx, rooms: &Shared<Room>, i: usize, room: Room) -> TxResult<Option<Room>> {
    let old = tx.read(rooms, i)?;
    tx.write(rooms, i, room)?;
    if old.at.1 == Level::Low {
        return Ok(None);
    }
    tx.update(rooms, i, |now| {
        let free = now.free / 2;
        Room { free, guests: old.guests, ..now }
    })?;
    Ok(Some(old))
}

fn exchanged(room: &mut Room, new: Room) -> End<Option<Room>> {
    let old = std::mem::replace(room, new);
    if old.at.1 == Level::Low {
        return End::Value(None);
    }
    (room.free, room.guests) = (new.free / 2, old.guests);
    End::Value(Some(old))
}

/// Calls a transaction for each room, so that the expected result does not depend on the order.
#[test]
fn records_by_their_parts() {
    everywhere("records", |environment| {
        let mut draw = Draw::new(5);
        let before: Vec<Room> = (0..150).map(|_| draw.value()).collect();
        let mut after = before.clone();
        let rooms = environment.shared(&before)?;
        let mut bench = Bench::new(environment);
        for (i, room) in after.iter_mut().enumerate() {
            let was = *room;
            match i % 3 {
                0 => {
                    let guest = draw.value();
                    bench.call(format!("book {was:?} {guest}"), book::call(&rooms, i, guest), booked(room, guest));
                }
                1 => {
                    let price = draw.value();
                    bench.call(format!("parts {was:?} {price:?}"), parts::call(&rooms, i, price), parted(room, price));
                }
                _ => {
                    let new = draw.value();
                    bench.call(
                        format!("exchange {was:?} {new:?}"),
                        exchange::call(&rooms, i, new),
                        exchanged(room, new),
                    );
                }
            }
        }
        bench.finish(environment)?;
        let found = rooms.to_vec()?;
        for (i, (found, want)) in found.iter().zip(&after).enumerate() {
            expect_eq!(format!("{found:?}"), format!("{want:?}"), "room {i} was {:?}", before[i]);
        }
        Ok(())
    });
}

/// Calls functions of the other crate with a place of this transaction. The assertion follows a write of another function.
#[gpu_transaction(overflow = "check")]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: usize, amounts: [i64; 2]) -> TxResult<(i64, u32)> {
    let mut gifts = 0;
    let mut left = take(tx, accounts, from as u32, 10)?;
    for k in 0..amounts.len() {
        give(tx, accounts, from as u32 + 1, amounts[k], &mut gifts)?;
        left = left / 2 + gifts as i64;
    }
    Ok((left, gifts))
}

#[gpu_transaction(instantiate(u32, f32, (u8, bool)))]
fn set<T>(tx: &mut Tx, data: &Shared<T>, i: usize, value: T) -> TxResult<T> {
    let old = tx.read(data, i)?;
    tx.write(data, i, value)?;
    Ok(old)
}

#[gpu_transaction]
const halve: _ = |tx: &mut Tx, data: &Shared<[i16; 3]>, i: usize, at: usize| -> TxResult<i16> {
    let mut list = tx.read(data, i)?;
    list[at] /= 2;
    tx.write(data, i, list)?;
    Ok(list[at])
};

/// Follows a chain of elements that point to each other.
#[gpu_transaction(max_accesses = 32)]
fn walk(tx: &mut Tx, next: &Shared<Option<(u32, i32)>>, start: u32) -> TxResult<Option<i32>> {
    let (mut at, mut sum) = (start, 0);
    while let Some((to, by)) = tx.read(next, at)?
        && sum < 1000
    {
        let (next_at, next_sum) = step(at, to, sum, by);
        at = next_at;
        sum = next_sum;
    }
    tx.guard(sum != -1)?;
    Ok(if at == start { None } else { Some(sum) })
}

#[gpu_fn]
fn step(_at: u32, to: u32, sum: i32, by: i32) -> (u32, i32) {
    (to, sum + by)
}

#[test]
fn arrays_of_everything() {
    everywhere("arrays", |environment| {
        let mut bench = Bench::new(environment);
        let accounts = environment.shared(&[100_i64, 5, 100, 5, 100, 5])?;
        bench.call("pay".into(), pay::call(&accounts, 0, [3, 4]), End::Value((25, 2)));
        bench.call("pay a negative gift".into(), pay::call(&accounts, 2, [3, -4]), fault(FaultCode::Panic));
        bench.call("pay too much".into(), pay::call(&accounts, 4, [i64::MAX, 0]), fault(FaultCode::Overflow));

        let words = environment.shared(&[1_u32, 2])?;
        let floats = environment.shared(&[-0.0_f32, 2.5])?;
        let pairs = environment.shared(&[(1_u8, false), (2, true)])?;
        bench.call("set u32".into(), set::<u32>::call(&words, 1, 7), End::Value(2));
        bench.call("set f32".into(), set::<f32>::call(&floats, 0, 1.5), End::Value(-0.0));
        bench.call("set a pair".into(), set::<(u8, bool)>::call(&pairs, 1, (9, false)), End::Value((2, true)));
        bench.call("set nothing".into(), set::<u32>::call(&words, 2, 7), fault(FaultCode::IndexOutOfRange));

        let lists = environment.shared(&[[1_i16, -7, 9], [4, 5, 6]])?;
        bench.call("halve".into(), halve::call(&lists, 0, 1), End::Value(-3));
        bench.call("halve nothing".into(), halve::call(&lists, 1, 3), fault(FaultCode::IndexOutOfRange));

        let next = environment.shared(&[Some((2, 10)), None, Some((1, -3)), Some((3, 600))])?;
        bench.call("walk".into(), walk::call(&next, 0), End::Value(Some(7)));
        bench.call("walk nowhere".into(), walk::call(&next, 1), End::Value(None));
        bench.call("walk in circles".into(), walk::call(&next, 3), End::Value(None));

        let (base, by) = (Money { amount: 40, of: Currency::Yen }, 3_i64);
        let grown = stm_runtime::gpu_transaction!(
            captures(base: Money, by: i64),
            |tx: &mut Tx, accounts: &Shared<i64>, i: usize| -> TxResult<Money> {
                let old = tx.read(accounts, i)?;
                Ok(Money { amount: base.amount + by + old / old, ..base })
            }
        );
        let want = End::Value(Money { amount: 44, of: Currency::Yen });
        bench.call("a closure".into(), grown.call(&accounts, 3), want);
        bench.finish(environment)?;

        expect_eq!(accounts.to_vec()?, [90, 12, 100, 5, 100, 5], "accounts");
        expect_eq!(words.to_vec()?, [1, 7], "words");
        expect_eq!(floats.to_vec()?, [1.5, 2.5], "floats");
        expect_eq!(pairs.to_vec()?, [(1, false), (9, false)], "pairs");
        expect_eq!(lists.to_vec()?, [[1, -3, 9], [4, 5, 6]], "lists");
        Ok(())
    });
}

/// Checks the report of a fault in a function of the other crate.
#[test]
fn faults_in_functions_name_the_function() {
    const SOURCE: &str = include_str!("../support/procedures/helpers.rs");
    let line = SOURCE.lines().position(|line| line.contains("the assertion of give")).map_or(0, |k| k as u32 + 1);
    everywhere("faults in functions", |environment| {
        let accounts = environment.shared(&[100_i64, 5])?;
        let mut batch = environment.batch();
        batch.push(pay::call(&accounts, 0, [1, -1]));
        let report = environment.run(&batch)?;
        let fault = &report.faults[0];
        expect_eq!((fault.procedure, fault.code, fault.line), ("pay", FaultCode::Panic, line), "the fault");
        stm_tests::expect!(fault.file.ends_with("procedures/helpers.rs"), "the file is {}", fault.file);
        stm_tests::expect!(fault.to_string().contains("a gift is not negative"), "the text is {fault}");
        let arguments: Vec<(&str, &str)> =
            fault.arguments.iter().map(|(name, value)| (*name, value.as_str())).collect();
        expect_eq!(arguments, [("from", "0"), ("amounts[0]", "1"), ("amounts[1]", "-1")], "the arguments");
        expect_eq!(accounts.to_vec()?, [100, 5], "the accounts");
        Ok(())
    });
}

#[test]
fn every_form_has_a_kernel() -> Result<(), Error> {
    for (kernel, name) in [(set::<u32>::kernel(), "set"), (halve::kernel(), "halve"), (walk::kernel(), "walk")] {
        let kernel: Kernel = kernel;
        assert!(kernel.name().starts_with(name), "{}", kernel.name());
        assert!(kernel.cuda_source()?.contains(kernel.cuda_body()?));
    }
    Ok(())
}
