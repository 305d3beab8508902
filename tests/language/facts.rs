//! The compiler's facts about transactions with functions, records, constants: the same as about those without.

use stm_runtime::prelude::*;
use stm_tests::procedures::helpers::{give, take};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Seat {
    transaction: u16,
    taken: Option<u32>,
    price: [i64; 2],
}

const ROUNDS: usize = 3;
const OFFSETS: [u32; 4] = [0, 8, 16, 24];

/// The facts to compare: slots, elements in loops, orderable, read only, declared.
#[derive(Debug, PartialEq)]
struct Known {
    slots: usize,
    indexed: u32,
    orderable: bool,
    read_only: bool,
    stated: bool,
}

fn known(kernel: stm_runtime::Kernel) -> Known {
    let facts = kernel.facts().expect("it compiles");
    assert_eq!(facts.orderable, facts.unordered.is_none(), "{facts:?}");
    assert_eq!(facts.stated, facts.inexact.is_some(), "{facts:?}");
    Known {
        slots: facts.slots.len(),
        indexed: facts.indexed,
        orderable: facts.orderable,
        read_only: facts.read_only,
        stated: facts.stated,
    }
}

const fn exact(slots: usize) -> Known {
    Known { slots, indexed: 0, orderable: true, read_only: false, stated: false }
}

#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult<u32> {
    let mut gifts = 0;
    take(tx, accounts, from, amount)?;
    give(tx, accounts, to, amount, &mut gifts)?;
    give(tx, accounts, to, 1, &mut gifts)?;
    Ok(gifts)
}

#[test]
fn functions_are_seen_through() {
    // Both gifts are for one element.
    assert_eq!(known(transfer::kernel()), exact(2));
    let guards = transfer::kernel().facts().unwrap().guards;
    assert_eq!(guards.len(), 1);
    assert_eq!(guards[0].reads, [0]);
}

#[gpu_transaction]
fn field(tx: &mut Tx, seats: &Shared<Seat>, i: u32) -> TxResult {
    let transaction = tx.read(&seats.transaction, i)?;
    tx.write(&seats.taken, i, Some(transaction as u32))
}

#[gpu_transaction]
fn see(tx: &mut Tx, seats: &Shared<Seat>, i: u32) -> TxResult<Seat> {
    tx.read(seats, i)
}

#[test]
fn a_record_is_its_components() {
    assert_eq!(known(field::kernel()), exact(3), "the transaction, and two components of the option");
    assert_eq!(known(see::kernel()), Known { read_only: true, ..exact(5) });
    let slots = see::kernel().facts().unwrap().slots;
    assert_eq!(slots.iter().map(|slot| slot.param).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[gpu_fn]
fn bump(tx: &mut Tx, data: &Shared<u32>, at: u32) -> TxResult<u32> {
    let old = tx.read(data, at)?;
    tx.write(data, at, old + 1)?;
    Ok(old)
}

/// Loops up to a constant of the program, so the elements are counted.
#[gpu_transaction]
fn constant_loop(tx: &mut Tx, data: &Shared<u32>, first: u32) -> TxResult {
    for round in 0..ROUNDS as u32 {
        bump(tx, data, first + round)?;
    }
    Ok(())
}

#[gpu_transaction]
fn nested_loops(tx: &mut Tx, seats: &Shared<Seat>, first: u32) -> TxResult<u16> {
    let mut sum = 0;
    for round in (0..ROUNDS).rev() {
        for k in (0..8).step_by(4) {
            let seat = tx.read(seats, first + round as u32 * 8 + k)?;
            sum += seat.transaction;
        }
    }
    Ok(sum)
}

#[test]
fn loops_over_constants_are_counted() {
    let looped = |indexed| Known { slots: 0, indexed, orderable: false, read_only: false, stated: false };
    assert_eq!(known(constant_loop::kernel()), looped(3));
    assert_eq!(known(nested_loops::kernel()), Known { read_only: true, ..looped(3 * 2 * 5) });
}

/// Uses elements of a constant array at constant indices, which are known addresses.
#[gpu_transaction]
fn constant_places(tx: &mut Tx, data: &Shared<u32>, base: u32) -> TxResult {
    bump(tx, data, base + OFFSETS[1])?;
    bump(tx, data, base + OFFSETS[3])?;
    bump(tx, data, base + 8)?;
    Ok(())
}

/// Computes an address from arguments in a helper, which is a known address; an address that was read is not.
#[gpu_fn]
fn place(x: u32, y: u32) -> u32 {
    x * 4 + y
}

#[gpu_transaction]
fn computed(tx: &mut Tx, data: &Shared<u32>, at: (u32, u32)) -> TxResult {
    bump(tx, data, place(at.0, at.1))?;
    Ok(())
}

#[gpu_transaction]
fn found(tx: &mut Tx, data: &Shared<u32>, at: u32) -> TxResult {
    let to = bump(tx, data, at)?;
    bump(tx, data, place(to, 1))?;
    Ok(())
}

#[gpu_transaction(max_accesses = 10)]
fn unbounded(tx: &mut Tx, data: &Shared<u32>, n: u32) -> TxResult {
    for k in 0..n {
        bump(tx, data, k)?;
    }
    Ok(())
}

#[test]
fn addresses_are_known_where_arguments_and_constants_say_them() {
    assert_eq!(known(constant_places::kernel()), exact(2));
    assert_eq!(known(computed::kernel()), exact(1));
    assert_eq!(known(found::kernel()), Known { orderable: false, ..exact(2) });
    assert_eq!(
        known(unbounded::kernel()),
        Known { slots: 0, indexed: 10, orderable: false, read_only: false, stated: true }
    );
}

#[test]
fn reasons_name_the_place_in_the_function() {
    let facts = found::kernel().facts().unwrap();
    let reason = facts.unordered.unwrap();
    assert!(reason.contains("data[at]"), "{reason}");
    let reason = unbounded::kernel().facts().unwrap().inexact.unwrap();
    assert!(reason.contains("in a loop"), "{reason}");
}

#[test]
fn parameters_are_named_by_their_components() {
    let text = see::kernel().cuda_body().unwrap();
    for name in ["seats_transaction", "seats_taken_is_some", "seats_taken_some", "seats_price"] {
        assert!(text.contains(name), "{name}\n{text}");
    }
}
