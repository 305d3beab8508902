//! Batches that several threads fill are those that one fills.

use std::panic::AssertUnwindSafe;

use rayon::iter::plumbing::{Folder, Reducer, UnindexedConsumer};
use rayon::prelude::*;

use crate::columns::Column;
use crate::{Batch, Call, Device, Error, Shared, Tx, TxResult};

#[crate::prelude::gpu_transaction]
fn add(tx: &mut Tx, cells: &Shared<i64>, at: u32, by: i64) -> TxResult {
    tx.update(cells, at, |old| old + by)
}

#[crate::prelude::gpu_transaction]
fn set(tx: &mut Tx, cells: &Shared<i64>, at: u32, to: i64) -> TxResult {
    tx.write(cells, at, to)
}

fn is_equal(one: &Batch<'_>, other: &Batch<'_>) -> bool {
    let same = |batch: &Batch<'_>| (batch.len(), batch.ids.clone(), batch.rows.clone());
    same(one) == same(other) && one.specializations.columns == other.specializations.columns
}

#[crate::prelude::gpu_transaction]
fn double(tx: &mut Tx, cells: &Shared<i64>) -> TxResult {
    tx.update(cells, 0, |old| old * 2)
}

#[crate::prelude::gpu_transaction]
fn halve(tx: &mut Tx, cells: &Shared<i64>) -> TxResult {
    tx.update(cells, 0, |old| old / 2)
}

/// Returns calls of one function and array, of two functions one by one, of two arrays, of both, and of two functions in long runs. The
/// others begin within a part.
fn kinds<'a>(
    one: &'a Shared<i64>,
    other: &'a Shared<i64>,
) -> [impl Fn(u32) -> Call<'a, (), 1, 2> + Copy + Send + Sync; 5] {
    let call = move |k: u32, sets, elsewhere| {
        let (cells, value) = (if elsewhere { other } else { one }, i64::from(k));
        if sets { set::call(cells, k % 8, value) } else { add::call(cells, k % 8, value) }
    };
    [0, 1, 2, 3, 4].map(|kind| {
        move |k: u32| match kind {
            0 => call(k, false, false),
            1 => call(k, k > 200 && !k.is_multiple_of(2), false),
            2 => call(k, false, k > 500 && !k.is_multiple_of(3)),
            3 => call(k, k > 200 && !k.is_multiple_of(2), k > 500 && k % 4 > 1),
            _ => call(k, (k / 250).is_multiple_of(2), false),
        }
    })
}

#[test]
fn calls_have_the_order_of_the_iterator() {
    let device = Device::cpu(1);
    let [one, other] = [1, 2].map(|_| device.shared(&[0_i64; 8]).unwrap());
    for (nth, call) in kinds(&one, &other).into_iter().enumerate() {
        let (mut pushed, mut extended) = (device.batch(), device.batch());
        for _ in 0..2 {
            for batch in [&mut pushed, &mut extended] {
                batch.push(call(3));
            }
            pushed.extend((0..999).map(call));
            extended.par_extend((0..999).into_par_iter().map(call));
            pushed.extend((0..999).filter(|k| k % 3 > 0).map(call));
            extended.par_extend((0..999).into_par_iter().filter(|k| k % 3 > 0).map(call));
            extended.par_extend((0..0).into_par_iter().map(call));
            assert!(is_equal(&pushed, &extended), "calls {nth}");
            assert_eq!(extended.run().unwrap().committed, 1666);
            pushed.clear();
            extended.clear();
        }
    }
    let call = |k: u32| if !k.is_multiple_of(3) { double::call(&one) } else { halve::call(&one) };
    let (mut pushed, mut extended) = (device.batch(), device.batch());
    pushed.extend((0..99).map(call));
    extended.par_extend((0..99).into_par_iter().map(call));
    assert!(is_equal(&pushed, &extended), "calls without values");
}

/// An iterator that says how many numbers it has, and how many are left of a place.
struct Said {
    numbers: usize,
    left: Option<usize>,
    /// The truth.
    all: [u32; 2],
}

impl ParallelIterator for Said {
    type Item = u32;

    fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
        let (reducer, [middle, end]) = (consumer.to_reducer(), self.all);
        let (left, right) = match self.left {
            Some(left) => {
                let (left, right, _) = consumer.split_at(left);
                (left, right)
            }
            None => (consumer.split_off_left(), consumer),
        };
        let right = right.into_folder().consume_iter(middle..end).complete();
        reducer.reduce(left.into_folder().consume_iter(0..middle).complete(), right)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.numbers)
    }
}

#[test]
fn an_iterator_may_have_other_calls_than_it_said() {
    let device = Device::cpu(1);
    let [one, other] = [1, 2].map(|_| device.shared(&[0_i64; 8]).unwrap());
    for (nth, call) in kinds(&one, &other).into_iter().enumerate() {
        for (numbers, left) in
            [(999, Some(700)), (999, Some(300)), (800, Some(300)), (1200, Some(900)), (999, None), (0, None)]
        {
            let (mut pushed, mut extended) = (device.batch(), device.batch());
            for batch in [&mut pushed, &mut extended] {
                batch.extend((0..9).map(call));
            }
            pushed.extend((0..999).map(call));
            extended.par_extend(Said { numbers, left, all: [500, 999] }.map(call));
            assert!(is_equal(&pushed, &extended), "calls {nth}, {numbers} said, {left:?} left");
        }
    }
}

#[test]
fn a_cleared_batch_is_filled_in_its_memory_and_stays_as_it_was_where_a_call_panics() {
    let device = Device::cpu(1);
    let cells = device.shared(&[0_i64; 8]).unwrap();
    let call = |k: u32| add::call(&cells, k % 8, i64::from(k));
    let memory = |batch: &Batch<'_>| match &batch.specializations.columns[..] {
        [Column::U32(at), Column::U64(by)] => (at.as_ptr().addr(), by.as_ptr().addr()),
        _ => panic!("the columns of `add`"),
    };
    let (mut pushed, mut extended) = (device.batch(), device.batch());
    extended.par_extend((0..999).into_par_iter().map(|k| call(k + 1)));
    let first = memory(&extended);
    extended.clear();
    extended.par_extend((0..900).into_par_iter().map(call));
    assert_eq!(memory(&extended), first);
    let panics = |k: u32| if k == 500 { panic!("in the code of the user") } else { call(k) };
    let filling = AssertUnwindSafe(|| extended.par_extend((0..999).into_par_iter().map(panics)));
    assert!(std::panic::catch_unwind(filling).is_err());
    pushed.extend((0..900).chain(0..70).map(call));
    extended.par_extend((0..70).into_par_iter().map(call));
    assert!(is_equal(&pushed, &extended));
}

#[test]
fn the_first_wrong_call_is_the_error() {
    let (device, other) = (Device::cpu(1), Device::cpu(1));
    let (own, foreign) = (device.shared(&[0_i64; 8]).unwrap(), other.shared(&[0_i64; 8]).unwrap());
    let mut batch = device.batch();
    batch.push(add::call(&own, 0, 1));
    let wrong = |k: u32| add::call(if k == 333 || k > 700 { &foreign } else { &own }, 0, 1);
    batch.par_extend((0..999).into_par_iter().map(wrong));
    assert_eq!(batch.len(), 1000);
    assert!(matches!(batch.run(), Err(Error::ForeignArray { transaction: 334, .. })));
    batch.clear();
    // More pairs of function and arrays than a batch takes, all in one part.
    let many: Vec<_> = (0..65_540).map(|_| device.shared(&[0_i64]).unwrap()).collect();
    let call = |k: usize| add::call(&many[k], 0, 1);
    batch.par_extend((0..many.len()).into_par_iter().map(call));
    let pushed: Vec<Error> = [&mut device.batch(), &mut batch]
        .map(|batch| {
            batch.extend((0..many.len()).map(call));
            batch.run().unwrap_err()
        })
        .into();
    assert!(matches!(pushed[0], Error::BatchFull { .. }) && pushed[0] == pushed[1], "{pushed:?}");
}
