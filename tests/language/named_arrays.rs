//! Names for shared arrays as values: assigned again, exchanged, in tuples, lists and `Option`s, and chosen by indices.

use stm_runtime::FaultCode;
use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect, expect_eq};

use crate::chosen::moved;
use crate::harness::everywhere;

#[derive(Debug, Clone, Copy, PartialEq, Default, GpuData)]
struct Room {
    free: u32,
    marks: [u32; 3],
    grid: [[u16; 2]; 2],
}

const ROOM: Room = Room { free: 5, marks: [1, 2, 3], grid: [[0; 2]; 2] };

#[gpu_fn]
fn sum_of(tx: &mut Tx, lists: [&Shared<u32>; 3], at: u32) -> TxResult<u32> {
    lists.iter().map(|list| tx.read(list, at)).sum::<TxResult<u32>>()
}

#[gpu_transaction]
fn optional(tx: &mut Tx, a: &Shared<u32>, b: &Shared<u32>, rooms: &Shared<Room>, how: u32) -> TxResult<u32> {
    let mut best: Option<&Shared<u32>> = None;
    if how & 1 == 1 {
        best = Some(a);
    }
    if how & 2 == 2 {
        best = Some(&rooms.free);
    }
    if let Some(array) = best {
        tx.update(array, 0, |n| n + 1)?;
    }
    let seen = tx.read(best.unwrap_or(b), 0)?;
    let size = match best {
        None => 0,
        Some(array) => array.len(),
    };
    Ok(seen * 10 + size as u32)
}

#[test]
fn an_option_has_a_name_of_an_array() {
    everywhere("an_option_has_a_name_of_an_array", |environment| -> TestResult {
        for (how, expected) in [(0, 20), (1, 22), (2, 64), (3, 64)] {
            let (a, b) = (environment.shared(&[1_u32; 2])?, environment.shared(&[2_u32; 3])?);
            let rooms = environment.shared(&[ROOM; 4])?;
            let mut batch = environment.batch();
            let ticket = batch.push(optional::call(&a, &b, &rooms, how));
            expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed(expected), "{how}");
        }
        Ok(())
    });
}

#[gpu_transaction]
fn late(tx: &mut Tx, rooms: &Shared<Room>, b: &Shared<u32>, how: u32) -> TxResult<u32> {
    let chosen;
    if how > 3 {
        chosen = b;
    } else {
        chosen = &rooms.marks[how as usize];
    }
    let mut pair = (chosen, &rooms.free);
    let mut k = 0;
    while k < 3 {
        if moved(tx, pair.0, pair.1, 0)? == 0 {
            break;
        }
        pair = (pair.1, pair.0);
        k += 1;
    }
    let (first, second) = pair;
    Ok(tx.read(first, 0)? * 100 + tx.read(second, 0)? + sum_of(tx, [b, chosen, first], 1)?)
}

#[test]
fn a_name_without_a_value_and_a_tuple_of_names() {
    everywhere("a_name_without_a_value_and_a_tuple_of_names", |environment| -> TestResult {
        for how in 0..5_u32 {
            let (b, rooms) = (environment.shared(&[7_u32; 3])?, environment.shared(&[ROOM; 4])?);
            let mut batch = environment.batch();
            let ticket = batch.push(late::call(&rooms, &b, how));
            let outcome = environment.run(&batch)?.outcome(ticket);
            // All of it moves three times, and the names are exchanged each time.
            let (sum, last) = (5 + if how > 3 { 7 } else { how + 1 }, if how > 3 { 7 } else { how + 1 });
            match outcome {
                Outcome::Faulted(fault) => {
                    expect_eq!((how, fault.code), (3, FaultCode::IndexOutOfRange), "no such mark");
                }
                other => expect_eq!(other, Outcome::Committed(100 * sum + 7 + last + 5), "{how}"),
            }
        }
        Ok(())
    });
}

#[gpu_transaction]
fn exchanged(tx: &mut Tx, red: &Shared<Room>, blue: &Shared<Room>, turns: [bool; 4], k: usize) -> TxResult<u32> {
    let (mut current, mut other) = (red, blue);
    let mut sum = 0;
    for (at, swap) in turns.into_iter().enumerate() {
        if swap && at % 2 == 0 {
            (current, other) = (other, current);
        } else if swap {
            std::mem::swap(&mut current, &mut other);
        }
        tx.update(&current.free, 0, |n| n + 1)?;
        let row = &other.marks[k];
        tx.update(row, 0, |n| n + 10)?;
        sum = sum * 10 + tx.read(&current.marks[k], 0)? / 10;
        let line = &current.grid[k / 2];
        tx.update(&line[k % 2], 0, |n| n + 1)?;
    }
    let whole = tx.read(current, 0)?;
    tx.write(other, 1, whole)?;
    Ok(sum)
}

#[test]
fn names_of_records_are_exchanged() {
    everywhere("names_of_records_are_exchanged", |environment| -> TestResult {
        for k in 0..3_usize {
            let (red, blue) = (environment.shared(&[ROOM; 2])?, environment.shared(&[ROOM; 2])?);
            let turns = [k == 0, true, k == 1, false];
            let mut batch = environment.batch();
            let ticket = batch.push(exchanged::call(&red, &blue, turns, k));
            let outcome = environment.run_all(&batch)?.outcome(ticket);
            let (mut rooms, mut sum) = ([[ROOM; 2]; 2], 0);
            let (mut current, mut other) = (0, 1);
            for swap in turns {
                if swap {
                    std::mem::swap(&mut current, &mut other);
                }
                rooms[current][0].free += 1;
                rooms[other][0].marks[k] += 10;
                sum = sum * 10 + rooms[current][0].marks[k] / 10;
                rooms[current][0].grid[k / 2][k % 2] += 1;
            }
            rooms[other][1] = rooms[current][0];
            expect_eq!(outcome, Outcome::Committed(sum), "the sum of {k}");
            expect_eq!([red.to_vec()?, blue.to_vec()?], rooms.map(Vec::from), "rooms of {k}");
        }
        Ok(())
    });
}

#[gpu_transaction]
fn sorted(tx: &mut Tx, arrays: [&Shared<u32>; 3], extra: &Shared<u32>, k: usize) -> TxResult<u32> {
    let mut order = arrays;
    order.swap(0, k);
    order[2] = extra;
    order.reverse();
    let mut sum = 0;
    for (at, array) in order.iter().enumerate() {
        sum = sum * 10 + tx.read(array, at)?;
    }
    let [first, .., last] = order;
    tx.update(if sum % 2 == 0 { first } else { last }, 0, |n| n + 1)?;
    let most = sum_of(tx, [order[0], order[1], order[2]], 0)?;
    let found = order.into_iter().position(|array| array.len() == 4);
    Ok(sum * 100 + most * 10 + found.unwrap_or(9) as u32)
}

#[test]
fn a_list_of_names_changes() {
    everywhere("a_list_of_names_changes", |environment| -> TestResult {
        for k in 0..4_usize {
            let mut all = [vec![1_u32, 2, 3], vec![4, 5, 6], vec![7, 8, 9, 9], vec![2, 2, 2]];
            let [a, b, c, extra] = [0, 1, 2, 3].map(|at| environment.shared(&all[at]));
            let [a, b, c, extra] = [a?, b?, c?, extra?];
            let mut batch = environment.batch();
            let ticket = batch.push(sorted::call([&a, &b, &c], &extra, k));
            let outcome = environment.run(&batch)?.outcome(ticket);
            if k == 3 {
                let faulted = matches!(&outcome, Outcome::Faulted(fault) if fault.code == FaultCode::IndexOutOfRange);
                expect!(faulted, "no such array: {outcome:?}");
                continue;
            }
            let mut order = [0, 1, 2];
            order.swap(0, k);
            order[2] = 3;
            order.reverse();
            let sum = order.iter().enumerate().fold(0, |sum, (at, array)| sum * 10 + all[*array][at]);
            all[if sum % 2 == 0 { order[0] } else { order[2] }][0] += 1;
            let most: u32 = order.iter().map(|array| all[*array][0]).sum();
            let found = order.into_iter().position(|array| all[array].len() == 4).unwrap_or(9) as u32;
            expect_eq!(outcome, Outcome::Committed(sum * 100 + most * 10 + found), "the sum of {k}");
            expect_eq!([a.to_vec()?, b.to_vec()?, c.to_vec()?, extra.to_vec()?], all, "arrays of {k}");
        }
        Ok(())
    });
}

/// The name goes to an array that is not there, and is read before that in the source.
#[gpu_transaction]
fn missing(tx: &mut Tx, rooms: &Shared<Room>, a: &Shared<u32>, k: usize) -> TxResult<u32> {
    tx.write(a, 0, 77)?;
    let (mut best, mut seen) = (a, 0);
    for j in 0..2 {
        seen += tx.read(best, 0)?;
        if j == 0 {
            best = &rooms.marks[k];
        }
    }
    Ok(seen)
}

/// A name is evaluated before the index, which gives it another array.
#[gpu_transaction]
fn in_order(tx: &mut Tx, a: &Shared<u32>, b: &Shared<u32>) -> TxResult<u32> {
    let mut name = a;
    let other = name;
    let seen = tx.read(name, {
        name = b;
        0
    })?;
    let at = {
        let before = name;
        name = other;
        before
    };
    tx.write(at, 1, seen + 1)?;
    tx.read(name, 1)
}

#[test]
fn an_array_that_is_not_there_is_a_fault_and_names_are_evaluated_in_order() {
    everywhere("an_array_that_is_not_there", |environment| -> TestResult {
        for k in [2, 3] {
            let (a, rooms) = (environment.shared(&[1_u32; 2])?, environment.shared(&[ROOM; 4])?);
            let mut batch = environment.batch();
            let ticket = batch.push(missing::call(&rooms, &a, k));
            let outcome = environment.run(&batch)?.outcome(ticket);
            let left = if k == 2 { vec![77, 1] } else { vec![1, 1] };
            expect_eq!(a.to_vec()?, left, "what {k} leaves");
            match outcome {
                Outcome::Faulted(fault) => expect_eq!((k, fault.code), (3, FaultCode::IndexOutOfRange), "a fault"),
                other => expect_eq!((k, other), (2, Outcome::Committed(80)), "no fault"),
            }
        }
        let (a, b) = (environment.shared(&[1_u32, 5])?, environment.shared(&[7_u32, 6])?);
        let mut batch = environment.batch();
        let ticket = batch.push(in_order::call(&a, &b));
        expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed(5), "the order");
        expect_eq!((a.to_vec()?, b.to_vec()?), (vec![1, 5], vec![7, 2]), "the arrays");
        Ok(())
    });
}

/// Names of arrays of several types, which go through one tuple.
#[gpu_transaction]
fn of_types(
    tx: &mut Tx,
    small: &Shared<u32>,
    large: &Shared<i64>,
    rooms: &Shared<Room>,
    how: [bool; 2],
) -> TxResult<i64> {
    let mut pair = (small, large, 1_i64);
    if how[0] {
        pair = (&rooms.free, pair.1, 10);
    }
    let mut last = (pair.0, pair.2);
    if how[1] {
        last = (&rooms.marks[2], last.1 + 1);
    }
    let (name, weight) = last;
    tx.update(name, 0, |n| n + 1)?;
    let sum = tx.read(pair.0, 0)?;
    tx.update(pair.1, 0, |n| n + weight * i64::from(sum))?;
    tx.read(pair.1, 0)
}

#[test]
fn a_tuple_has_names_of_arrays_of_several_types() {
    everywhere("a_tuple_has_names_of_arrays_of_several_types", |environment| -> TestResult {
        for (how, sum, small, room) in [
            ([false, false], 1008, 8, ROOM),
            ([true, false], 1060, 7, Room { free: 6, ..ROOM }),
            ([false, true], 1014, 7, Room { marks: [1, 2, 4], ..ROOM }),
            ([true, true], 1055, 7, Room { marks: [1, 2, 4], ..ROOM }),
        ] {
            let (smalls, large) = (environment.shared(&[7_u32])?, environment.shared(&[1000_i64])?);
            let rooms = environment.shared(&[ROOM])?;
            let mut batch = environment.batch();
            let ticket = batch.push(of_types::call(&smalls, &large, &rooms, how));
            expect_eq!(environment.run_all(&batch)?.outcome(ticket), Outcome::Committed(sum), "{how:?}");
            expect_eq!((smalls.to_vec()?, rooms.to_vec()?), (vec![small], vec![room]), "arrays of {how:?}");
        }
        Ok(())
    });
}
