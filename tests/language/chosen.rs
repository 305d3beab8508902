//! A name for one of several shared arrays.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Row {
    count: u32,
    marks: [u32; 2],
}

#[gpu_fn]
pub(crate) fn moved(tx: &mut Tx, from: &Shared<u32>, to: &Shared<u32>, at: u32) -> TxResult<u32> {
    let left = tx.read(from, at)?;
    tx.write(from, at, 0)?;
    tx.update(to, at, |old| old + left)?;
    Ok(left)
}

#[gpu_transaction]
fn chosen(tx: &mut Tx, rows: &Shared<Row>, hot: &Shared<u32>, cold: &Shared<u32>, at: u32, how: u8) -> TxResult<u32> {
    let from = if how < 2 { hot } else { cold };
    let to: &Shared<u32> = match how {
        0 => &rows.count,
        1 => cold,
        _ if tx.read(from, at)? > 100 => hot,
        _ => &rows.count,
    };
    let other = if how == 3 { rows } else { rows };
    let seen = tx.read(&other.count, at)? + from.len() as u32;
    let left = moved(tx, from, to, at)?;
    tx.write(if left > 5 { hot } else { cold }, at + 1, tx.read(to, at)? + seen)?;
    tx.update(to, at, |old| old + 1)?;
    Ok(left)
}

#[test]
fn a_choice_is_the_chosen_array() {
    everywhere("a_choice_is_the_chosen_array", |environment| -> TestResult {
        for (how, rows, hot, cold) in
            [(0, 18, [0, 26], [200, 0]), (1, 7, [0, 219], [211, 0]), (2, 7, [211, 219], [0, 0])]
        {
            let row = Row { count: 7, marks: [1, 2] };
            let arrays = environment.shared(&[row; 2])?;
            let (of_hot, of_cold) = (environment.shared(&[10_u32, 0])?, environment.shared(&[200_u32, 0])?);
            let mut batch = environment.batch();
            batch.push(chosen::call(&arrays, &of_hot, &of_cold, 0, how));
            environment.run_all(&batch)?;
            expect_eq!(arrays.count.to_vec()?, [rows, 7], "rows of {how}");
            expect_eq!((of_hot.to_vec()?, of_cold.to_vec()?), (hot.to_vec(), cold.to_vec()), "others of {how}");
        }
        Ok(())
    });
}

#[gpu_transaction]
fn listed<'a>(tx: &'a mut Tx, rows: &'a Shared<Row>, other: &'a Shared<u32>, at: usize) -> TxResult<u32> {
    let first = &rows.marks[1];
    let tables = [&rows.count, first, other];
    let mut sum = tx.read(first, 1)?;
    for table in tables {
        sum = 2 * sum + tx.read(table, 0)?;
    }
    for part in [other, &rows.count].iter() {
        tx.update(part, 1, |old| old + sum)?;
    }
    tx.write(tables[at], 0, sum)?;
    tx.read([first, other][at], 0)
}

#[test]
fn a_list_of_arrays_is_a_list_of_choices() {
    everywhere("a_list_of_arrays_is_a_list_of_choices", |environment| -> TestResult {
        let rows = environment.shared(&[Row { count: 1, marks: [2, 3] }; 2])?;
        let other = environment.shared(&[5_u32, 0])?;
        let mut batch = environment.batch();
        let second = batch.push(listed::call(&rows, &other, 1));
        let none = batch.push(listed::call(&rows, &other, 7));
        let report = environment.run(&batch)?;
        expect_eq!(report.outcome(second), Outcome::Committed(5), "the second of two");
        stm_tests::expect!(
            matches!(report.outcome(none), Outcome::Faulted(fault) if fault.code == stm_runtime::FaultCode::IndexOutOfRange),
            "no such array"
        );
        expect_eq!(rows.to_vec()?, [Row { count: 1, marks: [2, 39] }, Row { count: 40, marks: [2, 3] }], "rows");
        expect_eq!(other.to_vec()?, [5, 39], "others");
        Ok(())
    });
}

#[gpu_transaction]
fn paired(
    tx: &mut Tx,
    pots: &Shared<[u32; 2]>,
    cash: &Shared<u32>,
    goods: &Shared<u32>,
    sells: bool,
    weights: [u32; 3],
) -> TxResult<u32> {
    let (from, to) = if sells { (goods, cash) } else { (cash, goods) };
    let mut sum = 100 * moved(tx, from, to, 0)?;
    let lanes = [cash, goods, &pots[1]];
    for (k, lane) in lanes.iter().enumerate() {
        sum += (k as u32 + 1) * tx.read(lane, 0)?;
    }
    for (weight, lane) in weights.iter().zip(lanes) {
        tx.update(lane, 1, |old| old + *weight)?;
    }
    for (at, lane) in [&pots[0], cash].into_iter().rev().enumerate() {
        tx.update(lane, at, |old| old + 1000)?;
    }
    Ok(sum)
}

#[test]
fn names_of_arrays_come_from_tuples_and_from_loops() {
    everywhere("names of arrays", |environment| -> TestResult {
        for (sells, left, cash, goods) in [(true, 4, 1007, 0), (false, 3, 1000, 7)] {
            let pots = environment.shared(&[[1_u32, 2]; 2])?;
            let (of_cash, of_goods) = (environment.shared(&[3_u32, 0])?, environment.shared(&[4_u32, 0])?);
            let mut batch = environment.batch();
            let sum = batch.push(paired::call(&pots, &of_cash, &of_goods, sells, [10, 20, 30]));
            let sum = environment.run(&batch)?.outcome(sum);
            expect_eq!(sum, Outcome::Committed(100 * left + if sells { 7 } else { 14 } + 6), "the sum of {sells}");
            expect_eq!((of_cash.to_vec()?, of_goods.to_vec()?), (vec![cash, 10], vec![goods, 20]), "{sells}");
            expect_eq!(pots.to_vec()?, [[1, 2], [1001, 32]], "pots of {sells}");
        }
        Ok(())
    });
}

#[gpu_transaction]
fn again(tx: &mut Tx, rows: &Shared<Row>, cash: &Shared<u32>, goods: &Shared<u32>, how: u8) -> TxResult<u32> {
    let (counts, marks) = (&rows.count, &rows.marks);
    // Names of arrays beside a value, and an end that leaves.
    let (pool, mut more, _) = match how {
        0 => (cash, 5, goods),
        1 => (goods, 0, cash),
        7 => return Ok(4),
        _ => (counts, how as u32 / 9, goods),
    };
    let fees = if how == 9 { cash } else { pool };
    more += counts.len() as u32;
    let size = more;
    tx.update(fees, 1, |old| old + size)?;
    Ok(tx.read(marks, 0)?[1])
}

/// A variable hides the array.
#[gpu_transaction]
fn hidden(tx: &mut Tx, lists: &Shared<[u32; 3]>, at: u32) -> TxResult<u32> {
    let lists = tx.read(lists, at)?;
    Ok(lists.iter().zip([1, 10, 100]).map(|(one, by)| one * by).sum())
}

#[test]
fn a_choice_is_made_of_another_one_and_a_name_of_an_array_can_be_used_again() {
    everywhere("a choice of a choice", |environment| -> TestResult {
        for (how, expected) in [(0, [0, 7, 0]), (1, [0, 0, 2]), (2, [2, 0, 0]), (7, [0; 3]), (9, [0, 3, 0])] {
            let rows = environment.shared(&[Row { count: 0, marks: [3, 4] }; 2])?;
            let (cash, goods) = (environment.shared(&[0_u32; 2])?, environment.shared(&[0_u32; 2])?);
            let lists = environment.shared(&[[1_u32, 2, 3]])?;
            let mut batch = environment.batch();
            let mark = batch.push(again::call(&rows, &cash, &goods, how));
            let sum = batch.push(hidden::call(&lists, 0));
            let report = environment.run(&batch)?;
            expect_eq!(
                (report.outcome(mark), report.outcome(sum)),
                (Outcome::Committed(4), Outcome::Committed(321)),
                "{how}"
            );
            let fees = [&rows.count, &cash, &goods].map(|array| array.read_range(1..));
            expect_eq!(fees, expected.map(|fee| Ok(vec![fee])), "fees of {how}");
        }
        Ok(())
    });
}
