//! Size limits of a transaction: components of arrays and values, elements of loops.

use stm_runtime::prelude::*;
use stm_runtime::{Error, FaultCode};
use stm_tests::procedures::helpers::Money;
use stm_tests::{expect, expect_eq};

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
struct TooWide {
    words: [u32; 65],
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

/// Has one array component more than a batch has room for.
#[gpu_transaction]
fn too_many(tx: &mut Tx, transactions: &Shared<TooWide>, i: u32) -> TxResult<u32> {
    let transaction = tx.read(transactions, i)?;
    Ok(transaction.words[3])
}

/// Has one component too many in a value.
#[gpu_transaction]
fn too_much(tx: &mut Tx, data: &Shared<u32>, transaction: TooWide) -> TxResult {
    tx.write(data, 0, transaction.words[64])
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
fn too_many_components_are_an_error_that_says_so() {
    everywhere("too many components", |environment| {
        let transactions = environment.shared(&[TooWide { words: [1; 65] }])?;
        let data = environment.shared(&[0_u32])?;
        for is_array in [true, false] {
            let mut batch = environment.batch();
            match is_array {
                true => _ = batch.push(too_many::call(&transactions, 0)),
                false => _ = batch.push(too_much::call(&data, TooWide { words: [7; 65] })),
            }
            match batch.run_with(&environment.options()) {
                Err(error @ (Error::BatchFull { .. } | Error::Procedure(_))) => {
                    let text = error.to_string();
                    expect!(text.contains("64"), "the error is: {text}");
                }
                other => expect!(false, "it ended with {other:?}"),
            }
        }
        Ok(())
    });
}
