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

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Shop {
    stock: u32,
    sold: u64,
    open: bool,
}

#[gpu_transaction]
fn sell(tx: &mut Tx, shops: &Shared<Shop>, at: u32, pieces: u32) -> TxResult {
    let shop = tx.read(shops, at)?;
    tx.guard(shop.stock >= pieces)?;
    tx.write(shops, at, Shop { stock: shop.stock - pieces, sold: shop.sold + u64::from(pieces), ..shop })
}

#[gpu_transaction]
fn pay_out(tx: &mut Tx, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
    if tx.read(accounts, from)? < amount {
        return tx.reject(1);
    }
    let fee = if amount > 100 { 1 } else { 2 };
    tx.update(accounts, from, |x| x - amount)?;
    tx.update(accounts, from, |x| x.wrapping_sub(fee))?;
    Ok(amount + fee)
}

#[gpu_transaction]
fn record_high(tx: &mut Tx, highs: &Shared<u32>, flags: &Shared<u8>, day: u32, value: u32) -> TxResult {
    tx.update(highs, day, |x| x.max(value))?;
    tx.update(flags, day, |x| x | 4)
}

/// Returns why the order of transactions of a procedure matters.
fn order_matters(kernel: stm_runtime::Kernel) -> Option<&'static str> {
    kernel.facts().expect("it compiles").flow.order_matters
}

#[test]
fn sums_under_bounds_commute() {
    use stm_runtime::__private::spec::Change;
    let changes = |kernel: stm_runtime::Kernel| {
        let facts = kernel.facts().unwrap();
        facts.flow.written.iter().map(|written| written.change).collect::<Vec<_>>()
    };
    assert_eq!(order_matters(sell::kernel()), None);
    assert_eq!(order_matters(within_what_faults::kernel()), None);
    assert_eq!(order_matters(pay_out::kernel()), None);
    assert_eq!(order_matters(record_high::kernel()), None);
    // Two gifts to one account are one sum, and the number of gifts does not depend on what was read.
    assert_eq!(order_matters(transfer::kernel()), None);
    assert_eq!(changes(sell::kernel()), [Some(Change::Add), Some(Change::Add), Some(Change::Xor)]);
    assert_eq!(changes(record_high::kernel()), [Some(Change::Max), Some(Change::Or)]);
    let facts = sell::kernel().facts().unwrap();
    let text = facts.to_string();
    assert!(text.contains("commutes    yes") && text.contains("asks `>= e` of slot 0"), "{text}");
}

#[gpu_transaction]
fn blind(tx: &mut Tx, cells: &Shared<i64>, i: u32, by: i64) -> TxResult {
    tx.write(cells, i, by)
}

#[gpu_transaction]
fn twofold(tx: &mut Tx, cells: &Shared<i64>, i: u32, by: i64) -> TxResult {
    tx.update(cells, i, |x| x * by)
}

#[gpu_transaction]
fn from_another(tx: &mut Tx, cells: &Shared<i64>, i: u32, j: u32) -> TxResult {
    let other = tx.read(cells, j)?;
    tx.update(cells, i, |x| x + other)
}

#[gpu_transaction]
fn ticket(tx: &mut Tx, cells: &Shared<i64>, i: u32) -> TxResult<i64> {
    let old = tx.read(cells, i)?;
    tx.write(cells, i, old + 1)?;
    Ok(old)
}

#[gpu_transaction]
fn if_positive(tx: &mut Tx, cells: &Shared<i64>, i: u32, by: i64) -> TxResult {
    let old = tx.read(cells, i)?;
    if old > 0 {
        tx.write(cells, i, old + by)?;
    }
    Ok(())
}

#[gpu_transaction]
fn by_a_step(tx: &mut Tx, cells: &Shared<i64>, i: u32) -> TxResult {
    let old = tx.read(cells, i)?;
    let by = if old > 10 { 1 } else { 2 };
    tx.write(cells, i, old + by)
}

#[gpu_transaction]
fn unequal(tx: &mut Tx, cells: &Shared<i64>, i: u32) -> TxResult {
    tx.guard(tx.read(cells, i)? != 3)?;
    tx.update(cells, i, |x| x + 1)
}

#[gpu_transaction(overflow = "wrap")]
fn within_what_wraps(tx: &mut Tx, cells: &Shared<u16>, i: u32, by: u16) -> TxResult {
    let left = tx.read(cells, i)? - by;
    tx.guard(left >= 5)?;
    tx.write(cells, i, left)
}

#[gpu_transaction(overflow = "check")]
fn within_what_faults(tx: &mut Tx, cells: &Shared<u16>, i: u32, by: u16) -> TxResult {
    let left = tx.read(cells, i)? - by;
    tx.guard(100 - left >= 5)?;
    tx.write(cells, i, left)
}

#[gpu_transaction]
fn below_a_maximum(tx: &mut Tx, cells: &Shared<i64>, i: u32, by: i64) -> TxResult {
    tx.guard(tx.read(cells, i)? < 100)?;
    tx.update(cells, i, |x| x.max(by))
}

#[gpu_transaction]
fn sum_and_maximum(tx: &mut Tx, cells: &Shared<i64>, i: u32, j: u32, by: i64) -> TxResult {
    tx.update(cells, i, |x| x + by)?;
    tx.update(cells, j, |x| x.max(by))
}

#[gpu_transaction]
fn divided(tx: &mut Tx, cells: &Shared<i64>, flags: &Shared<i64>, i: u32) -> TxResult {
    let _ = 100 / tx.read(flags, i)?;
    tx.update(cells, i, |x| x + 1)
}

#[gpu_transaction]
fn floats(tx: &mut Tx, cells: &Shared<f64>, i: u32, by: f64) -> TxResult {
    tx.update(cells, i, |x| x + by)
}

#[gpu_transaction]
fn read_too_early(tx: &mut Tx, cells: &Shared<i64>, i: u32) -> TxResult {
    let old = tx.read(cells, i)?;
    tx.write(cells, i, old + 1)?;
    tx.write(cells, i, old + 1)
}

#[gpu_transaction]
fn chained(tx: &mut Tx, next: &Shared<u32>, cells: &Shared<i64>, i: u32) -> TxResult {
    let at = tx.read(next, i)?;
    tx.update(cells, at, |x| x + 1)
}

#[gpu_transaction]
fn said(tx: &mut Tx, cells: &Shared<i64>, i: u32) -> TxResult {
    gpu_println!("{}", i);
    tx.update(cells, i, |x| x + 1)
}

#[test]
fn the_reason_why_the_order_matters_is_named() {
    let reasons = [
        (blind::kernel(), "gets a new value whatever the old one is"),
        (twofold::kernel(), "the new value of `cells[i]`"),
        (from_another::kernel(), "the new value of `cells[i]`"),
        (ticket::kernel(), "the result at line"),
        (if_positive::kernel(), "is not written on every path"),
        (by_a_step::kernel(), "the new value of `cells[i]`"),
        (unequal::kernel(), "is not a bound of one element"),
        (within_what_wraps::kernel(), "is not a bound of one element"),
        (below_a_maximum::kernel(), "changes other than by `+`"),
        (sum_and_maximum::kernel(), "changes by `max e`, and another element of the array by `+ e`"),
        (divided::kernel(), "can fault, depending on what was read"),
        (floats::kernel(), "the new value of `cells[i]`"),
        (read_too_early::kernel(), "the new value of `cells[i]`"),
        (chained::kernel(), "is not computed from the arguments alone"),
        (said::kernel(), "it prints at line"),
    ];
    for (kernel, part) in reasons {
        let why = order_matters(kernel).unwrap_or_default();
        assert!(why.contains(part), "`{part}`: {why}");
    }
}

#[test]
fn the_last_doubt_is_the_last_statement_that_can_end_an_attempt() {
    let last = |kernel: stm_runtime::Kernel| {
        let text = kernel.facts().unwrap().to_string();
        text.lines().find_map(|line| line.trim().strip_prefix("certain")).unwrap_or_default().trim().to_owned()
    };
    assert_eq!(last(blind::kernel()), "from the start: no guard, reject or fault");
    assert!(last(unequal::kernel()).starts_with("after `x + 1` at"), "{}", last(unequal::kernel()));
    assert!(last(record_high::kernel()).starts_with("from the start"), "{}", last(record_high::kernel()));
}
