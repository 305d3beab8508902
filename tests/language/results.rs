//! `Result`: made, matched, passed on by `?`, with its methods; as argument, result and element.

use stm_runtime::prelude::*;
use stm_tests::{TestResult, expect_eq};

use crate::harness::everywhere;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Problem {
    Short(i64),
    Unknown { who: u32 },
    Closed,
}

type Answer<T> = Result<T, Problem>;

#[gpu_fn]
fn find(who: u32) -> Option<i64> {
    if who % 3 == 0 { None } else { Some(who as i64 % 100) }
}

#[gpu_fn]
fn balance(who: u32) -> Answer<i64> {
    find(who).ok_or(Problem::Unknown { who })
}

#[gpu_fn]
fn pay(who: u32, amount: i64) -> Result<i64, Problem> {
    if amount == 7 {
        return Err(Problem::Closed);
    }
    let left = balance(who)?.checked_sub(amount).ok_or_else(|| Problem::Short(amount))?;
    if left < 0 { Err(Problem::Short(-left)) } else { Ok(left) }
}

#[gpu_fn]
fn code_of(left: i64) -> Result<i64, u32> {
    if left % 5 == 0 { Err(5) } else { Ok(left % 3) }
}

#[gpu_fn]
fn code(who: u32, amount: i64) -> Result<u8, u32> {
    let left = pay(who, amount).map_err(|problem| match problem {
        Problem::Short(by) => by as u32,
        Problem::Unknown { who } => who,
        Problem::Closed => 0,
    })?;
    let more = code_of(left).and_then(|left| code_of(left ^ 1)).map(|left| left / 2)?;
    u8::try_from(left ^ more).map_err(|_| 77)
}

#[gpu_fn]
fn methods(
    who: u32,
    amount: i64,
    other: Result<u32, i8>,
) -> (bool, Option<i64>, Option<Problem>, i64, Result<i64, i8>) {
    let paid = pay(who, amount);
    let mut sum = paid.unwrap_or(3) ^ balance(who).unwrap_or_default();
    let seen: Result<i64, Problem> = paid;
    sum ^= seen.map(|left| left.wrapping_mul(2)).unwrap_or_else(|_| amount) ^ seen.map_or(1, |left| left / 2);
    sum ^= code(who, amount).map_or_else(|code| code as i64, |left| left as i64 + 1);
    let next = other
        .map(|x| x as i64)
        .and_then(|x| if x > sum { Ok(x) } else { Err(5) })
        .or_else(|e| if e > 0 { Ok(e as i64) } else { Err(e) });
    let both = other.is_ok_and(|x| x > 3) || next.is_err_and(|e| e < -9) || other == Ok(2) || other.err() == Some(-1);
    (both || paid.is_ok() && !balance(who).is_err(), paid.ok(), pay(who, sum).err(), sum, next)
}

#[gpu_fn]
fn patterns(a: Result<u32, Problem>, b: Result<u32, Problem>) -> (u32, [Result<u32, Problem>; 2], Result<(), u8>) {
    let found = match (a, b) {
        (Ok(x), Ok(y)) if x > y => x,
        (Ok(x @ 0..=9), _) | (Err(Problem::Unknown { who: x }), Ok(_)) => x.wrapping_add(1),
        (Err(Problem::Short(_)), Err(_)) => 1,
        _ => 2,
    };
    let Ok(last) = b else { return (found, [b, a], Err(3)) };
    if let Err(Problem::Closed) = a {
        return (last, [a, Ok(last)], Ok(()));
    }
    let list = [a, b];
    (last, [list[found as usize % 2], Err(Problem::Closed)], if found > 4 { Ok(()) } else { Err(found as u8) })
}

#[gpu_fn]
fn unwraps(a: Result<u32, u8>, who: u32) -> u32 {
    let found = balance(who).expect("is known") as u32;
    a.unwrap() ^ found
}

same_as_plain! { results_mean_what_they_mean_in_rust:
    pay(who: u32, amount: i64) -> Result<i64, Problem>;
    code(who: u32, amount: i64) -> Result<u8, u32>;
    methods(who: u32, amount: i64, other: Result<u32, i8>) -> (bool, Option<i64>, Option<Problem>, i64, Result<i64, i8>);
    patterns(a: Result<u32, Problem>, b: Result<u32, Problem>) -> (u32, [Result<u32, Problem>; 2], Result<(), u8>);
    unwraps(a: Result<u32, u8>, who: u32) -> u32;
}

#[gpu_fn]
fn checked(tx: &mut Tx, cells: &Shared<Result<u32, u8>>, at: u32) -> TxResult<Result<u32, u8>> {
    let old = tx.read(cells, at)?;
    Ok(old.map(|value| value + 1))
}

#[gpu_transaction]
fn advance(tx: &mut Tx, cells: &Shared<Result<u32, u8>>, at: u32) -> TxResult<Result<u32, u8>> {
    let new = checked(tx, cells, at)?;
    let Ok(value) = new else { return Ok(new) };
    if value > 9 {
        return tx.reject(value);
    }
    tx.write(cells, at, if value == 4 { Err(9) } else { new })?;
    Ok(Ok(value))
}

#[test]
fn transactions_store_results_and_return_them() {
    everywhere("results in arrays", |environment| -> TestResult {
        let cells = environment.shared(&[Ok(1_u32), Err(2_u8), Ok(3), Ok(9)])?;
        let mut batch = environment.batch();
        let tickets: Vec<_> = (0..4).map(|at| batch.push(advance::call(&cells, at))).collect();
        let report = environment.run(&batch)?;
        let ends: Vec<_> = tickets.into_iter().map(|ticket| report.outcome(ticket)).collect();
        let value = |value| Outcome::Committed(value);
        expect_eq!(ends, [value(Ok(2)), value(Err(2)), value(Ok(4)), Outcome::Rejected(10)], "outcomes");
        expect_eq!(cells.to_vec()?, [Ok(2), Err(2), Err(9), Ok(9)], "elements");
        Ok(())
    });
}
