//! Faults and rejects: the expected ones, with their reason and source location, and without effect.

use stm_runtime::report::Fault;
use stm_runtime::{FaultCode, GpuData, Outcome, Report, Ticket};

use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::endings::{
    divide, grow, grow_wrapping, never, nothing, one_and_many, one_and_many_writes, refuse, spin, too_many,
    too_many_writes,
};
use crate::{expect, expect_eq};

/// The source of the procedures, to find the lines of locations.
const SOURCE: &str = include_str!("../procedures/endings.rs");

/// Returns the number of the first line with the text, after the line with `after`.
fn line_of(after: &str, text: &str) -> u32 {
    let lines = || SOURCE.lines().enumerate();
    let start = lines().position(|(_, line)| line.contains(after)).unwrap_or_default();
    lines().skip(start).find(|(_, line)| line.contains(text)).map_or(0, |(at, _)| at as u32 + 1)
}

fn fault<R: GpuData + std::fmt::Debug>(report: &Report, ticket: Ticket<R>) -> Result<Fault, Failure> {
    match report.outcome(ticket) {
        Outcome::Faulted(fault) => Ok(fault),
        other => {
            Err(Failure::Outcome(format!("transaction {} ended with {other:?}, not a fault", ticket.transaction())))
        }
    }
}

pub(super) fn faults_among_good_ones(environment: &Environment) -> TestResult {
    let bytes = environment.shared(&[250_u8, 0, 0])?;
    let numbers = environment.shared(&[12_i32, i32::MIN])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(40);
    let overflow = batch.push(grow::call(&bytes, 0, 6));
    let outside = batch.push(grow::call(&bytes, 3, 1));
    let negative = batch.push(grow::call(&bytes, -1, 1));
    let by_zero = batch.push(divide::call(&numbers, 0, 0));
    let too_large = batch.push(divide::call(&numbers, 1, -1));
    for transaction in 0..transactions as i32 {
        batch.push(grow::call(&bytes, 1 + transaction % 2, 0));
        batch.push(divide::call(&numbers, 0, 5));
    }
    let report = environment.run(&batch)?;
    expect_eq!((report.committed, report.faulted), (2 * transactions as u64, 5), "committed and faulted\n{report}\n");
    expect_eq!(report.faults.len(), 5, "faults listed");

    let read_line = line_of("pub fn grow(", "tx.read");
    for (ticket, code, line) in [
        (overflow, FaultCode::Overflow, line_of("pub fn grow(", "the overflow")),
        (outside, FaultCode::IndexOutOfRange, read_line),
        (negative, FaultCode::IndexOutOfRange, read_line),
    ] {
        let fault = fault(&report, ticket)?;
        expect_eq!(
            (fault.procedure, fault.code, fault.line),
            ("grow", code, line),
            "the fault of transaction {}",
            fault.transaction
        );
        expect!(fault.file.ends_with("procedures/endings.rs"), "the file is {}", fault.file);
    }
    expect_eq!(fault(&report, negative)?.arguments, [("at", "-1".to_owned()), ("by", "1".to_owned())], "arguments");
    let division = line_of("pub fn divide(", "the division");
    let found = fault(&report, by_zero)?;
    expect_eq!((found.code, found.line), (FaultCode::DivideByZero, division), "the division");
    expect_eq!(fault(&report, too_large)?.code, FaultCode::Overflow, "MIN / -1");
    expect_eq!(bytes.to_vec()?, [250, 0, 0], "bytes");
    expect_eq!(numbers.to_vec()?, [12, i32::MIN], "numbers");
    Ok(())
}

pub(super) fn rejects(environment: &Environment) -> TestResult {
    let numbers = environment.shared(&[0_i64, 100, 1_000_000])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(30);
    for _ in 0..transactions {
        batch.push(refuse::call(&numbers, 0, 10, 1000));
        batch.push(refuse::call(&numbers, 2, 10, 1000));
    }
    for _ in 0..20 {
        batch.push(refuse::call(&numbers, 1, 10, 1000));
    }
    let last = batch.push(refuse::call(&numbers, 0, 1, 1000));
    let report = environment.run(&batch)?;
    expect_eq!((report.committed, report.rejected), (20, 2 * transactions as u64 + 1), "committed and rejected");
    let codes: Vec<(u32, u64)> = report.codes.iter().map(|(code, count)| (*code, *count)).collect();
    expect_eq!(codes, [(7, transactions as u64 + 1), (4_000_000_000, transactions as u64)], "codes");
    expect_eq!(report.outcome(last), Outcome::Rejected(7), "the last one");
    expect_eq!(numbers.to_vec()?, [0, 120, 1_000_000], "numbers");
    Ok(())
}

/// Transactions without accesses, alone in the batch.
pub(super) fn nothing_at_all(environment: &Environment) -> TestResult {
    let bytes = environment.shared(&[3_u8; 2])?;
    let mut batch = environment.batch();
    let tickets: Vec<_> = (0..100).map(|number| batch.push(nothing::call(number))).collect();
    let more: Vec<_> = (100..200).map(|number| batch.push(never::call(&bytes, number))).collect();
    let report = environment.run_all(&batch)?;
    for (number, ticket) in (0..200).zip(tickets.into_iter().chain(more)) {
        expect_eq!(report.outcome(ticket), Outcome::Committed(number), "its own argument");
    }
    expect_eq!(bytes.to_vec()?, [3, 3], "the array");
    Ok(())
}

pub(super) fn capacity_exceeded(environment: &Environment) -> TestResult {
    let numbers = environment.shared(&[1_i64; 16])?;
    let mut batch = environment.batch();
    let enough = batch.push(too_many::call(&numbers, 4, 1));
    let exceeded = batch.push(too_many::call(&numbers, 5, 1));
    // One element counts once, however often it is read.
    let repeated = batch.push(too_many::call(&numbers, 16, 0));
    for _ in 0..environment.transactions(30) {
        batch.push(too_many_writes::call(&numbers, 4));
        batch.push(too_many_writes::call(&numbers, 6));
    }
    let report = environment.run(&batch)?;
    let transactions = environment.transactions(30) as u64;
    expect_eq!(
        (report.committed, report.faulted),
        (transactions + 2, transactions + 1),
        "committed and faulted\n{report}\n"
    );
    let found = fault(&report, exceeded)?;
    let line = line_of("pub fn too_many(", "the access");
    expect_eq!((found.code, found.line), (FaultCode::TooManyAccesses, line), "the fault");
    let Outcome::Committed(four) = report.outcome(enough) else { return outcome("four accesses did not commit") };
    let Outcome::Committed(sixteen) = report.outcome(repeated) else { return outcome("one element did not commit") };
    expect!(four >= 4 && sixteen >= 16, "sums {four} and {sixteen}");
    expect_eq!(
        numbers.to_vec()?[..5],
        [1 + transactions as i64, 1 + transactions as i64, 1 + transactions as i64, 1 + transactions as i64, 1],
        "numbers"
    );
    Ok(())
}

/// An element accessed outside loops does not count against the declared bound when a loop accesses it again.
pub(super) fn known_elements_do_not_count(environment: &Environment) -> TestResult {
    let numbers = environment.shared(&[1_i64; 16])?;
    let mut batch = environment.batch();
    let (mut read, mut exceeded) = (Vec::new(), Vec::new());
    let transactions = environment.transactions(20);
    for transaction in 0..transactions as u32 {
        // Five in the loop, of which one was accessed before.
        read.push(batch.push(one_and_many::call(&numbers, transaction % 5, 5, transaction % 7)));
        batch.push(one_and_many_writes::call(&numbers, transaction % 5, 5));
        exceeded.push(batch.push(one_and_many::call(&numbers, 7, 5, transaction % 7)));
        batch.push(one_and_many_writes::call(&numbers, transaction % 5, 6));
    }
    let report = environment.run(&batch)?;
    expect_eq!(
        (report.committed, report.faulted),
        (2 * transactions as u64, 2 * transactions as u64),
        "committed and faulted\n{report}\n"
    );
    for ticket in read {
        expect!(matches!(report.outcome(ticket), Outcome::Committed(6..)), "five elements did not commit");
    }
    let line = line_of("pub fn one_and_many(", "the access of a loop");
    for ticket in exceeded {
        let found = fault(&report, ticket)?;
        expect_eq!((found.code, found.line), (FaultCode::TooManyAccesses, line), "the fault");
    }
    expect_eq!(numbers.to_vec()?.iter().sum::<i64>(), 16 + 6 * transactions as i64, "what was added");
    Ok(())
}

fn outcome(text: &str) -> TestResult {
    Err(Failure::Outcome(text.into()))
}

pub(super) fn iterations_exceeded(environment: &Environment) -> TestResult {
    let numbers = environment.shared(&[5_i64])?;
    let mut batch = environment.batch();
    let enough = batch.push(spin::call(&numbers, 50));
    let exceeded = batch.push(spin::call(&numbers, 51));
    for _ in 0..environment.transactions(20) {
        batch.push(spin::call(&numbers, 3));
    }
    let report = environment.run(&batch)?;
    expect_eq!(report.outcome(enough), Outcome::Committed(55), "as many iterations as allowed");
    let found = fault(&report, exceeded)?;
    let line = line_of("pub fn spin(", "for _ in");
    expect_eq!((found.code, found.line), (FaultCode::TooManyIterations, line), "the fault");
    expect_eq!(report.faulted, 1, "faults");
    Ok(())
}

/// The same arithmetic with wrapping overflow.
pub(super) fn wrapping(environment: &Environment) -> TestResult {
    let bytes = environment.shared(&[0_u8])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(60);
    for _ in 0..transactions {
        batch.push(grow_wrapping::call(&bytes, 0, 7));
    }
    environment.run_all(&batch)?;
    expect_eq!(bytes.to_vec()?, [(7 * transactions % 256) as u8], "the byte");
    Ok(())
}
