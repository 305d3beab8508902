//! The lengths of arrays inside transactions: as a value, and in addresses that are known before the body.

use stm_runtime::prelude::*;
use stm_runtime::{FaultCode, Kernel};
use stm_tests::expect_eq;

use crate::harness::{Bench, End, Panic, everywhere};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Bed {
    taken: Option<u16>,
    price: (u8, [i64; 2]),
}

#[gpu_transaction]
fn hashed(tx: &mut Tx, cells: &Shared<u32>, hash: usize) -> TxResult<usize> {
    tx.update(cells, hash % cells.len(), |count| count + 1)?;
    Ok(cells.len())
}

/// Computes with the length of an array and of a partition, in a function without `tx`.
#[gpu_fn]
fn middle(prices: &Shared<[i64; 2]>) -> usize {
    prices.len() / 2
}

#[gpu_fn]
fn last(tx: &mut Tx, prices: &Shared<i64>) -> TxResult<Option<i64>> {
    if prices.is_empty() {
        return Ok(None);
    }
    Ok(Some(tx.read(prices, prices.len() - 1)?))
}

#[gpu_transaction]
fn ends(tx: &mut Tx, beds: &Shared<Bed>, lists: &Shared<[i64; 2]>) -> TxResult<[usize; 4]> {
    let lengths = [beds.len(), beds.taken.len(), beds.price.0.len(), lists.len()];
    if !beds.is_empty() {
        tx.write(beds.taken, middle(&beds.price.1), Some(lengths[3] as u16))?;
    }
    Ok(lengths)
}

#[gpu_transaction(max_accesses = 8)]
fn total(tx: &mut Tx, prices: &Shared<i64>) -> TxResult<(i64, Option<i64>)> {
    let mut sum = 0;
    for at in 0..prices.len() {
        sum += tx.read(prices, at)?;
    }
    Ok((sum, last(tx, prices)?))
}

fn fault<R>(code: FaultCode) -> End<R> {
    End::Fault(Panic { codes: vec![code], line: None, file: String::new() })
}

#[test]
fn lengths_are_those_of_the_arrays() {
    everywhere("lengths", |environment| {
        let bed = Bed { taken: None, price: (1, [2, 3]) };
        let (five, two) = (environment.shared(&[0_u32; 5])?, environment.shared(&[0_u32; 2])?);
        let (none, prices) = (environment.shared::<u32>(&[])?, environment.shared(&[5_i64, 6, 7])?);
        let (beds, no_beds) = (environment.shared(&[bed; 6])?, environment.shared::<Bed>(&[])?);
        let (lists, no_prices) = (environment.shared(&[[1_i64, 2]; 4])?, environment.shared::<i64>(&[])?);
        let mut bench = Bench::new(environment);
        // One procedure on arrays of different lengths, in one batch.
        for (cells, hash, length) in [(&five, 13, 5), (&two, 13, 2), (&five, usize::MAX, 5)] {
            bench.call(format!("hashed {hash}"), hashed::call(cells, hash), End::Value(length));
        }
        bench.call("hashed into nothing".into(), hashed::call(&none, 3), fault(FaultCode::DivideByZero));
        bench.call("ends".into(), ends::call(&beds, &lists), End::Value([6, 6, 6, 4]));
        bench.call("ends of nothing".into(), ends::call(&no_beds, &lists), End::Value([0, 0, 0, 4]));
        bench.call("total".into(), total::call(&prices), End::Value((18, Some(7))));
        bench.call("total of nothing".into(), total::call(&no_prices), End::Value((0, None)));
        bench.finish(environment)?;
        expect_eq!(five.to_vec()?, [1, 0, 0, 1, 0], "five cells");
        expect_eq!(two.to_vec()?, [0, 1], "two cells");
        let want: Vec<Bed> = (0..6).map(|k| Bed { taken: (k == 3).then_some(4), ..bed }).collect();
        expect_eq!(beds.to_vec()?, want, "beds");
        Ok(())
    });
}

#[gpu_transaction]
fn same(tx: &mut Tx, beds: &Shared<Bed>, hash: usize) -> TxResult<u8> {
    let by_field = tx.read(beds.price.0, hash % beds.taken.len())?;
    Ok(by_field / 2 + tx.read(beds.price.0, hash % beds.len())? / 2)
}

/// Uses a length in an address: like an argument, the engine knows it before the body.
#[test]
fn addresses_from_lengths_are_known_before() {
    let facts = |kernel: Kernel| kernel.facts().expect("it compiles");
    assert!(facts(hashed::kernel()).orderable);
    assert_eq!(facts(hashed::kernel()).slots.len(), 1);
    let text = hashed::kernel().cuda_body().expect("it compiles");
    let (declared, _) = text.split_once("stm_status body").expect("there is a body");
    assert!(declared.contains(".len()") && declared.contains("stm_declare(tx, 0"), "{text}");
    // The fields of an array have its length.
    assert_eq!(facts(same::kernel()).slots.len(), 1);
    let total = facts(total::kernel());
    assert!(total.stated && !total.orderable, "a length is no constant: {total:?}");
}
