//! Size limits of a transaction: components of arrays and values, elements of loops.

use stm_runtime::FaultCode;
use stm_runtime::prelude::*;
use stm_tests::expect_eq;
use stm_tests::procedures::helpers::Money;

use crate::harness::{Bench, End, Panic, everywhere};

/// Uses arrays of two components each.
#[gpu_transaction(max_accesses = 6)]
fn total(tx: &mut Tx, purses: &Shared<Money>, n: u32) -> TxResult<i64> {
    let mut sum = 0;
    for k in 0..n {
        let purse = tx.read(purses, k)?;
        sum += purse.amount;
    }
    Ok(sum)
}

#[test]
fn each_component_counts_as_an_element() {
    everywhere("max_accesses with records", |environment| {
        let purses = environment.shared(&[stm_tests::procedures::helpers::money(5, 0); 8])?;
        let mut bench = Bench::new(environment);
        let fault = Panic { codes: vec![FaultCode::TooManyAccesses], line: None, file: String::new() };
        bench.call("three records".into(), total::call(&purses, 3), End::Value(15));
        bench.call("four records".into(), total::call(&purses, 4), End::Fault(fault));
        bench.finish(environment)
    });
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Wide {
    words: [u32; 32],
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct VeryWide {
    words: [u32; 130],
}

#[gpu_transaction]
fn shift(tx: &mut Tx, transactions: &Shared<Wide>, i: u32, add: Wide) -> TxResult<Wide> {
    let mut transaction = tx.read(transactions, i)?;
    for k in 0..32 {
        transaction.words[k] = transaction.words[(k + 1) % 32].wrapping_add(add.words[k]);
    }
    tx.write(transactions, i, transaction)?;
    Ok(transaction)
}

/// Has more array components, and more components of a value, than a kernel has parameters.
#[gpu_transaction]
fn exchange(tx: &mut Tx, records: &Shared<VeryWide>, i: u32, given: VeryWide) -> TxResult<u64> {
    let taken = tx.read(records, i)?;
    tx.write(records, i, given)?;
    let mut sum = 0_u64;
    for k in 0..130 {
        sum += u64::from(taken.words[k]) * (k as u64 + 1);
    }
    Ok(sum)
}

#[test]
fn wide_records_fit() {
    everywhere("wide records", |environment| {
        let start: [u32; 32] = std::array::from_fn(|k| k as u32);
        let transactions = environment.shared(&[Wide { words: start }; 3])?;
        let mut bench = Bench::new(environment);
        let mut want = start;
        for k in 0..32 {
            want[k] = want[(k + 1) % 32].wrapping_add(start[k]);
        }
        bench.call(
            "shift".into(),
            shift::call(&transactions, 1, Wide { words: start }),
            End::Value(Wide { words: want }),
        );
        bench.finish(environment)?;
        expect_eq!(transactions.to_vec()?[1].words, want, "the transaction");
        expect_eq!(transactions.to_vec()?[2].words, start, "the transaction that nobody touched");
        Ok(())
    });
}

#[test]
fn components_beyond_the_parameters_of_a_kernel_are_found() {
    everywhere("very wide records", |environment| {
        let of = |first: u32| VeryWide { words: std::array::from_fn(|k| first + k as u32) };
        let sum = |first: u64| (0..130).map(|k| (first + k) * (k + 1)).sum::<u64>();
        let records = environment.shared(&[of(0), of(1_000), of(2_000)])?;
        let mut bench = Bench::new(environment);
        bench.call("exchange".into(), exchange::call(&records, 1, of(5)), End::Value(sum(1_000)));
        bench.call("exchange the last".into(), exchange::call(&records, 2, of(77)), End::Value(sum(2_000)));
        bench.finish(environment)?;
        expect_eq!(records.to_vec()?, vec![of(0), of(5), of(77)], "the records");
        Ok(())
    });
}
