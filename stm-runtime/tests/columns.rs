//! Columns of every type of argument, of every form of a transaction.

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;

use stm_runtime::prelude::*;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + 1);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) };
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Side {
    Left,
    Right,
}

/// Returns its argument.
#[gpu_transaction(instantiate(
    bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, Side, (u8, i64), [u16; 3], Option<u32>
))]
fn echo<T>(_tx: &mut Tx, value: T, _nothing: ()) -> TxResult<T> {
    Ok(value)
}

#[gpu_transaction]
const deposit: _ = |tx: &mut Tx, accounts: &Shared<i64>, to: usize, amount: i64| -> TxResult {
    tx.update(accounts, to, |balance| balance + amount)
};

/// A check of some outcomes.
type Expected = Box<dyn Fn(&Report)>;

macro_rules! comes_back {
    ($batch:ident, $expected:ident: $($type:ty: $values:expr;)*) => {$(
        let values: Vec<$type> = $values.to_vec();
        let tickets = $batch.push_columns(echo::<$type>::columns(values.clone(), vec![(); values.len()])).unwrap();
        $expected.push(Box::new(move |report: &Report| {
            assert_eq!(tickets.len(), values.len());
            for (ticket, value) in tickets.iter().zip(&values) {
                assert_eq!(report.outcome(ticket), Outcome::Committed(*value), stringify!($type));
            }
            assert!(report.results(&tickets).map(Option::unwrap).eq(values.iter().copied()));
            assert_eq!(report.result_column(&tickets).unwrap(), values);
        }));
    )*};
}

#[test]
fn values_of_every_type_arrive() {
    let mut batch = Device::cpu(2).batch();
    let mut expected: Vec<Expected> = Vec::new();
    comes_back! { batch, expected:
        bool: [true, false]; i8: [-1, i8::MIN, 7]; i16: [i16::MIN, -2]; i32: [-3, i32::MAX]; i64: [i64::MIN, 5];
        isize: [-4, isize::MAX]; u8: [255, 0]; u16: [u16::MAX]; u32: [u32::MAX, 1]; u64: [u64::MAX];
        usize: [usize::MAX, 9]; f32: [-0.5, f32::MAX]; f64: [1e300, -0.0]; Side: [Side::Right, Side::Left];
        (u8, i64): [(1, -1), (2, -2)]; [u16; 3]: [[1, 2, 3]]; Option<u32>: [None, Some(4), None];
    }
    let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
    assert_eq!((report.committed, report.serializable()), (batch.len() as u64, Some(true)), "{report}");
    expected.iter().for_each(|holds| holds(&report));
}

#[test]
fn a_batch_that_is_filled_again_allocates_nothing() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 10]).unwrap();
    let mut batch = device.batch();
    for amount in 1..5 {
        let before = ALLOCATED.get();
        for at in 0..1000 {
            batch.push(deposit::call(&accounts, at % 10, amount));
            batch.push(echo::<u8>::call(at as u8, ()));
        }
        assert_eq!(ALLOCATED.get() > before, amount == 1, "amount {amount}");
        assert_eq!(batch.run().unwrap().committed, 2000);
        batch.clear();
    }
    assert_eq!(accounts.to_vec().unwrap(), [100 * (1 + 2 + 3 + 4); 10]);
}

/// Gives up, faults, waits or returns what it is asked for.
#[gpu_transaction]
fn end(tx: &mut Tx, cells: &Shared<i64>, how: u32) -> TxResult<i64> {
    if how < 3 {
        return tx.reject(how);
    }
    tx.guard(how != 3)?;
    let value = tx.read(cells, how - 4)?;
    Ok(value)
}

#[test]
fn ends_of_every_kind_are_a_column() {
    use stm_runtime::report::Status;
    let device = Device::cpu(1);
    let cells = device.shared(&[70_i64, -80]).unwrap();
    let mut batch = device.batch();
    batch.extend([4, 1, 3, 6, 5, 0].map(|how| end::call(&cells, how)));
    let report = batch.run().unwrap();
    let (committed, rejected) = (Status::Committed, Status::Rejected);
    let expected = [committed, rejected(1), Status::Unresolved, Status::Faulted, committed, rejected(0)];
    assert!(report.statuses().eq(expected) && report.statuses().len() == 6);
    let tickets = batch.tickets::<i64>().unwrap();
    assert!(report.results(&tickets).eq([Some(70), None, None, None, Some(-80), None]));
    let column = report.result_column(&tickets).unwrap();
    assert!(matches!(column, Cow::Borrowed(_)) && (column[0], column[4]) == (70, -80));
    assert!(batch.tickets::<()>().is_ok());

    // Tickets of another batch, or from after the run, or of another type.
    batch.push(echo::<i64>::call(1, ()));
    let later = batch.tickets::<i64>().unwrap();
    assert!(report.result_column(&later).is_none() && report.results(&later).len() == 7);
    assert!(device.batch().run().unwrap().results(&tickets).all(|result| result.is_none()));
    batch.push(echo::<u8>::call(1, ()));
    assert!(matches!(batch.tickets::<i64>(), Err(Error::ResultType { transaction: 7, .. })));
}

#[test]
fn lists_come_in_several_forms() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 3]).unwrap();
    let to = vec![0_usize, 1, 2].into_boxed_slice();
    let amounts: Cow<'_, [i64]> = Cow::Borrowed(&[1, 2, 3]);
    let shared: std::sync::Arc<[i64]> = vec![10, 20, 30].into();
    // A batch may borrow lists that are made later than itself.
    let mut batch = device.batch();
    let late = [100_i64, 200, 300];
    batch.push_columns(deposit::columns(&accounts, &to, amounts)).unwrap();
    batch.push_columns(deposit::columns(&accounts, to.clone(), &shared)).unwrap();
    batch.push_columns(deposit::columns(&accounts, &[0, 1, 2], &late)).unwrap();
    assert_eq!(batch.run().unwrap().committed, 9);
    assert_eq!(accounts.to_vec().unwrap(), [111, 222, 333]);
}

/// The type of a batch that a program keeps.
struct Kept {
    batch: Batch<'static>,
}

#[test]
fn a_batch_is_kept_between_lists_of_different_lives() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut kept = Kept { batch: device.batch_with_capacity(2).unwrap() };
    for round in 1..=3 {
        let amounts = vec![round, 10 * round];
        let mut batch = kept.batch.cleared();
        batch.push_columns(deposit::columns(&accounts, &[0, 1], &amounts)).unwrap();
        batch.push(deposit::call(&accounts, 0, 100));
        assert_eq!(batch.run().unwrap().committed, 3);
        kept = Kept { batch: batch.cleared() };
    }
    assert_eq!(accounts.to_vec().unwrap(), [306, 60]);
}
