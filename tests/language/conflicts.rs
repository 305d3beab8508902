//! Fields of one record have one lock word, or lock words of their own: then transactions on different fields do not conflict.

use stm_runtime::prelude::*;
use stm_tests::{Backend, Environment, Failure, expect, expect_eq};

use crate::harness::everywhere;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Meter {
    day: i64,
    night: i64,
    reads: (u32, u32),
}

#[gpu_transaction]
fn add_day(tx: &mut Tx, meters: &Shared<Meter>, i: u32, rounds: u32) -> TxResult {
    let mut day = tx.read(&meters.day, i)?;
    for _ in 0..rounds {
        day += 1;
    }
    tx.write(&meters.day, i, day)
}

#[gpu_transaction]
fn add_night(tx: &mut Tx, meters: &Shared<Meter>, i: u32, rounds: u32) -> TxResult {
    let mut night = tx.read(&meters.night, i)?;
    for _ in 0..rounds {
        night += 1;
    }
    tx.write(&meters.night, i, night)
}

#[gpu_transaction]
fn see_all(tx: &mut Tx, meters: &Shared<Meter>, i: u32) -> TxResult<i64> {
    let meter = tx.read(meters, i)?;
    Ok(meter.day + meter.night)
}

/// The accesses of two consecutive transactions to one record.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pair {
    /// Each accesses a field of its own.
    Fields,
    /// Both access the same field.
    Field,
    /// One accesses a field, the other all fields.
    Whole,
}

/// What has a lock word.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LockWords {
    OfRecord,
    OfFields,
}

/// Returns the number of conflicts of two concurrent transactions, in the interleaving of that seed.
fn conflicts(seed: u64, engine: Engine, pair: Pair, locks: LockWords) -> Result<u64, Failure> {
    let mut environment = Environment::new(Backend::EmulatedFibers { seed }, engine)?;
    environment.threads = Some(32);
    let meter = Meter { day: 0, night: 0, reads: (0, 0) };
    let meters = match locks {
        LockWords::OfRecord => environment.device.shared(&[meter])?,
        LockWords::OfFields => environment.device.shared_by_field(&[meter])?,
    };
    let mut batch = environment.batch();
    // Two transactions: with more, those of one procedure would conflict with each other.
    batch.push(add_day::call(&meters, 0, 20));
    match pair {
        Pair::Fields => _ = batch.push(add_night::call(&meters, 0, 20)),
        Pair::Field => _ = batch.push(add_day::call(&meters, 0, 20)),
        Pair::Whole => _ = batch.push(see_all::call(&meters, 0)),
    }
    let report = environment.run_all(&batch)?;
    Ok(report.conflicts.total())
}

#[test]
fn fields_with_lock_words_are_not_in_each_others_way() {
    if Environment::new(Backend::EmulatedFibers { seed: 1 }, Engine::default()).is_err() {
        return stm_tests::skip::skipped("conflicts of fields", "no emulator");
    }
    let sum =
        |pair, locks| -> u64 { (1..12).map(|seed| conflicts(seed, Engine::default(), pair, locks).unwrap()).sum() };
    assert_eq!(sum(Pair::Fields, LockWords::OfFields), 0);
    assert!(sum(Pair::Fields, LockWords::OfRecord) > 0, "the fields have one lock word");
    assert!(sum(Pair::Field, LockWords::OfFields) > 0, "the same field is one element");
    assert!(sum(Pair::Whole, LockWords::OfFields) > 0, "the whole record has the field");
}

/// Checks that the values are right for any lock coverage.
#[test]
fn locks_that_cover_several_records() {
    everywhere("coverage of records", |environment| {
        for coverage in [1, 2, 16] {
            let meters = environment.device.shared_with(&[Meter { day: 0, night: 0, reads: (1, 2) }; 5], coverage)?;
            expect_eq!((meters.coverage(), meters.night.coverage()), (coverage, coverage), "coverage");
            let mut batch = environment.batch();
            let transactions = environment.transactions(60) as u32;
            let mut seen = Vec::new();
            for transaction in 0..transactions {
                batch.push(add_day::call(&meters, transaction % 5, 1));
                batch.push(add_night::call(&meters, transaction % 5, 2));
                seen.push(batch.push(see_all::call(&meters, transaction % 5)));
            }
            let report = environment.run_all(&batch)?;
            for ticket in seen {
                expect!(matches!(report.outcome(ticket), Outcome::Committed(0..)), "{:?}", report.outcome(ticket));
            }
            let count = |k: u32| i64::from(transactions / 5 + u32::from(k < transactions % 5));
            let want: Vec<(i64, i64)> = (0..5).map(|k| (count(k), 2 * count(k))).collect();
            let found: Vec<(i64, i64)> = meters.to_vec()?.iter().map(|meter| (meter.day, meter.night)).collect();
            expect_eq!(found, want, "the meters");
        }
        Ok(())
    });
}
