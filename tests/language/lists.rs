//! Loops and closures over lists of shared arrays, and lists that have a name.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Account {
    balance: u32,
    marks: [u32; 3],
}

#[gpu_transaction]
fn lent(tx: &mut Tx, savings: &Shared<u32>, checking: &Shared<u32>, at: u32) -> TxResult<u32> {
    let accounts = [savings, checking];
    let mut sum = 0;
    for account in [&savings, &checking] {
        sum = 3 * sum + tx.read(account, at)?;
    }
    for account in accounts.iter().rev() {
        sum = 3 * sum + tx.read(account, at)?;
    }
    for k in 0..accounts.len() {
        sum += tx.read(&accounts[k], at)? * accounts[1 - k].len() as u32;
    }
    let [first, _] = accounts;
    let other = if sum > 3 { checking } else { savings };
    let again = other;
    Ok(sum + tx.read(first, at)? + 100 * tx.read(again, at)?)
}

#[gpu_transaction]
fn pairs(tx: &mut Tx, a: &Shared<u32>, b: &Shared<u32>, at: u32) -> TxResult<u32> {
    let mut sum = 0;
    for (account, weight) in [(a, 1), (b, 3)] {
        sum += weight * tx.read(account, at)?;
    }
    for (account, weight) in [(a, 1), (b, 3)].iter() {
        sum = 2 * sum + *weight * tx.read(account, at)?;
    }
    for (account, weight) in [a, b].iter().zip([5, 7]) {
        sum += weight * tx.read(account, at)?;
    }
    let moves = [(a, b, 1), (b, a, 20)];
    for (from, to, most) in moves {
        let taken = tx.read(from, at)?.min(most);
        tx.update(from, at, |old| old - taken)?;
        tx.update(to, at, |old| old + taken)?;
    }
    Ok(sum)
}

#[gpu_transaction]
fn closures(tx: &mut Tx, lanes: [&Shared<Account>; 2], spare: &Shared<Account>, at: u32) -> TxResult<(u32, usize)> {
    let sum = lanes.iter().map(|lane| tx.read(&lane.balance, at)).sum::<TxResult<u32>>()?;
    let all = [lanes[0], lanes[1], spare];
    let most = all
        .iter()
        .enumerate()
        .try_fold(0, |most, (k, lane)| Ok(u32::max(most, tx.read(&lane.balance, at)? * (k as u32 + 1))))?;
    let long = all.iter().filter(|lane| lane.len() > 1).map(|lane| lane.len()).sum::<usize>();
    for lane in all {
        let from = lane;
        for k in 0..3 {
            tx.update(&from.marks[k], at, |mark| mark + k as u32)?;
        }
    }
    Ok((1000 * sum + most, long))
}

/// Fields of the elements of a list.
#[gpu_transaction]
fn fields(tx: &mut Tx, lanes: [&Shared<Account>; 2], at: u32, k: usize) -> TxResult<u32> {
    let sum = 10 * tx.read(&lanes[0].balance, at)? + tx.read(&lanes[k].marks[1], at)?;
    tx.write(&lanes[1].balance, at, sum)?;
    tx.update(&lanes[k].marks[2], at, |mark| mark + lanes[1].len() as u32)?;
    Ok(sum)
}

#[test]
fn the_elements_of_a_list_have_fields() {
    everywhere("the_elements_of_a_list_have_fields", |environment| -> TestResult {
        let account = |balance, marks| Account { balance, marks };
        let one = environment.shared(&[account(5, [1, 2, 3])])?;
        let two = environment.shared(&[account(7, [4, 5, 6])])?;
        let mut batch = environment.batch();
        let sums = batch.push(fields::call([&one, &two], 0, 1));
        let report = environment.run_all(&batch)?;
        expect_eq!(report.outcome(sums), Outcome::Committed(55), "the sum");
        expect_eq!(
            (one.to_vec()?, two.to_vec()?),
            (vec![account(5, [1, 2, 3])], vec![account(55, [4, 5, 7])]),
            "accounts"
        );
        Ok(())
    });
}

#[test]
fn lists_of_arrays_are_iterated_over() {
    everywhere("lists_of_arrays_are_iterated_over", |environment| -> TestResult {
        let (savings, checking) = (environment.shared(&[0_u32, 5])?, environment.shared(&[0_u32, 2])?);
        let mut batch = environment.batch();
        let sum = batch.push(lent::call(&savings, &checking, 1));
        let report = environment.run_all(&batch)?;
        // ((5 * 3 + 2) * 3 + 2) * 3 + 5, then 5 * 2 + 2 * 2, then 5 + 100 * 2.
        expect_eq!(report.outcome(sum), Outcome::Committed(164 + 14 + 205), "lent");
        let mut batch = environment.batch();
        let sum = batch.push(pairs::call(&savings, &checking, 1));
        let report = environment.run_all(&batch)?;
        // 5 + 3 * 2, then (11 * 2 + 5) * 2 + 6, then 5 * 5 + 7 * 2. One goes there, and three come back.
        expect_eq!(report.outcome(sum), Outcome::Committed(60 + 39), "pairs");
        expect_eq!((savings.to_vec()?, checking.to_vec()?), (vec![0, 7], vec![0, 0]), "after the moves");
        Ok(())
    });
}

#[test]
fn closures_take_the_arrays_of_lists() {
    everywhere("closures_take_the_arrays_of_lists", |environment| -> TestResult {
        let account = |balance| Account { balance, marks: [1; 3] };
        let one = environment.shared(&[account(5)])?;
        let two = environment.shared(&[account(7), account(0)])?;
        let spare = environment.shared(&[account(4), account(0), account(0)])?;
        let mut batch = environment.batch();
        let sums = batch.push(closures::call([&one, &two], &spare, 0));
        let report = environment.run_all(&batch)?;
        expect_eq!(report.outcome(sums), Outcome::Committed((12_014, 5)), "sums");
        for array in [&one, &two, &spare] {
            expect_eq!(array.to_vec()?[0].marks, [1, 2, 3], "marks");
        }
        Ok(())
    });
}
