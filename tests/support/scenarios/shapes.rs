//! Launch shapes: any number of threads and lanes, for any number of transactions.

use std::time::Duration;

use stm_runtime::options::Fallback;
use stm_runtime::{Engine, Order, RunOptions, Selection};

use crate::environment::{Backend, Environment};
use crate::failure::TestResult;
use crate::procedures::bank::{transfer, transfer_narrow};
use crate::{expect, expect_eq};

/// Runs transfers among few accounts, with options of its own.
fn transfers(environment: &Environment, transactions: usize, set: impl Fn(RunOptions) -> RunOptions) -> TestResult {
    let accounts = environment.shared(&[10_000_i64; 5])?;
    let mut batch = environment.batch();
    for transaction in 0..transactions as u32 {
        batch.push(transfer::call(&accounts, transaction % 5, (transaction * 3 + 1) % 5, i64::from(transaction % 4)));
    }
    environment.run_all_with(&batch, &set(environment.options()))?;
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 50_000, "the money of {transactions} transactions");
    Ok(())
}

pub(super) fn odd_thread_counts(environment: &Environment) -> TestResult {
    for threads in [1, 3, 7, 33, 95] {
        transfers(environment, environment.transactions(100), |options| {
            options.threads(environment.bearable(threads))
        })?;
    }
    Ok(())
}

pub(super) fn lanes(environment: &Environment) -> TestResult {
    for lanes in [1, 8, 32] {
        transfers(environment, environment.transactions(100), |options| {
            let options = options.lanes(lanes);
            // Idle lanes are threads of the emulator too.
            match environment.is_emulated() {
                true => options.threads(environment.bearable(8 * lanes as usize)),
                false => options,
            }
        })?;
    }
    Ok(())
}

/// Fewer transactions than threads, the same number, one more, many more; and chunks of every such size.
pub(super) fn transactions_and_threads(environment: &Environment) -> TestResult {
    for transactions in [1, 2, 63, 64, 65, 1000] {
        transfers(environment, transactions, |options| options)?;
    }
    for chunk in [1, 7, 64] {
        transfers(environment, 130, |options| options.chunk_size(chunk))?;
    }
    Ok(())
}

/// One batch run twice, and an array used by one batch after the other: versions of an earlier run must not matter. Wide and
/// narrow elements, and several under a lock word.
pub(super) fn runs_again(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[10_000_i64; 3])?;
    let narrow = environment.device.shared_with(&[10_000_i32; 4], 2)?;
    let (mut batch, mut other) = (environment.batch(), environment.batch());
    for transaction in 0..environment.transactions(80) as u32 {
        batch.push(transfer::call(&accounts, transaction % 3, (transaction + 1) % 3, 1));
        other.push(transfer_narrow::call(&narrow, transaction % 4, (transaction + 1) % 4, 1));
    }
    for _ in 0..3 {
        environment.run_all(&batch)?;
        environment.run_all(&other)?;
        expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 30_000, "the money");
        expect_eq!(narrow.to_vec()?.iter().sum::<i32>(), 40_000, "the narrow money");
    }
    Ok(())
}

/// Each engine leaves its own form of lock words; the next engine must reset them to its own form.
pub(super) fn engines_take_turns(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[10_000_i64; 3])?;
    let narrow = environment.shared(&[10_000_i32; 3])?;
    let usual = environment.under(Engine::default());
    for (turn, environment) in [&usual, environment, &usual, environment].into_iter().enumerate() {
        let mut batch = environment.batch();
        for transaction in 0..environment.transactions(20) as u32 {
            batch.push(transfer::call(&accounts, transaction % 3, (transaction + 1) % 3, 1));
            batch.push(transfer_narrow::call(&narrow, transaction % 3, (transaction + 1) % 3, 1));
        }
        // Only the first run is recorded, so the others cannot rely on its initialization.
        let report = batch.run_with(&environment.options().check(turn == 0))?;
        expect_eq!(report.committed, batch.len() as u64, "turn {turn}: not all committed\n{report}\ncommitted");
        expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 30_000, "the money");
        expect_eq!(narrow.to_vec()?.iter().sum::<i32>(), 30_000, "the narrow money");
    }
    Ok(())
}

/// Fields of a record have the same lock words. An engine that has used one field must not find its old words after another engine
/// has used the other field.
pub(super) fn engines_take_turns_on_fields(environment: &Environment) -> TestResult {
    let pairs = environment.shared(&[(10_000_i64, 10_000_i64); 3])?;
    let usual = environment.under(Engine::default());
    let turns = [(environment, [true, false]), (&usual, [false, true]), (environment, [true, false])];
    for (turn, (environment, fields)) in
        turns.into_iter().chain([(&usual, [true; 2]), (environment, [true; 2])]).enumerate()
    {
        let mut batch = environment.batch();
        for transaction in 0..environment.transactions(20) as u32 {
            for (field, _) in [&pairs.0, &pairs.1].into_iter().zip(fields).filter(|(_, is_used)| *is_used) {
                batch.push(transfer::call(field, transaction % 3, (transaction + 1) % 3, 1));
            }
        }
        // A recorded run zeroes the lock words.
        let report = batch.run_with(&environment.options().check(turn % 2 == 1))?;
        expect_eq!(report.committed, batch.len() as u64, "turn {turn}: not all committed\n{report}\ncommitted");
        expect!(report.serializable() != Some(false), "turn {turn}: {report}");
        let sums = pairs.to_vec()?.iter().fold((0, 0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        expect_eq!(sums, (30_000, 30_000), "the money of both fields");
    }
    Ok(())
}

/// Between runs the host writes elements wherever they are, and copies an array to one that another engine has used.
pub(super) fn elements_between_runs(environment: &Environment) -> TestResult {
    /// More elements than wait for the first run in host memory.
    const MANY: usize = 9_000;
    let usual = environment.under(Engine::default());
    let (own, other) = (environment.shared(&[10_000_i64; MANY])?, environment.shared(&[10_000_i64; MANY])?);
    let narrow = environment.shared(&[10_000_i32; 9])?;
    for turn in 0..4 {
        for (environment, accounts) in [(environment, &own), (&usual, &other)] {
            let mut batch = environment.batch();
            for transaction in 0..environment.transactions(20) as u32 {
                batch.push(transfer::call(accounts, transaction % 9, (transaction + 1) % 9, 1));
                batch.push(transfer_narrow::call(&narrow, transaction % 9, (transaction + 1) % 9, 1));
            }
            // A recorded run would lay the elements out again.
            let report = batch.run_with(&environment.options().check(false))?;
            expect_eq!(report.committed, batch.len() as u64, "turn {turn}: not all committed\n{report}\ncommitted");
        }
        expect_eq!(
            [&own, &other].map(|array| array.to_vec().map(|all| all.iter().sum())),
            [const { Ok(10_000 * MANY as i64) }; 2],
            "money"
        );
        if turn == 1 && own.device().is_gpu() {
            drop(own.device_memory()?);
        }
        let before = own.to_vec()?;
        own.write_range(3, &[before[3] - 5, before[4] + 5])?;
        narrow.write_range(5, &[20_000, 0])?;
        expect_eq!(narrow.to_vec()?[5..7], narrow.read_range(5..7)?, "the written range");
        expect_eq!(own.read_range(2..6)?, [before[2], before[3] - 5, before[4] + 5, before[5]], "the written range");
        if turn == 2 {
            own.fill(10_000)?;
        }
        other.copy_from(&own)?;
        expect_eq!(other.to_vec()?, own.to_vec()?, "the copy");
        narrow.fill(10_000)?;
    }
    Ok(())
}

/// Where that is allowed, small batches run on the host and find the elements there. An engine takes them to the device, and they come back
/// once that has cost small batches enough. Fields of a record may be at different places.
pub(super) fn small_batches_stay_on_the_host(environment: &Environment) -> TestResult {
    if environment.engine.name() != Engine::default().name() {
        return Ok(());
    }
    let pairs = environment.shared(&[(10_000_i64, 10_000_i64); 9])?;
    let any = RunOptions::new().engine(Selection::plan()).time_limit(Duration::from_secs(60));
    let small = any.fallback(Fallback::SmallBatches);
    let (checked, pushed) = (small.clone().check(true), small.clone().order(Order::Pushed).check(true));
    let engine = environment.options().engine(environment.engine).order(Order::Any);
    let both = [true, true];
    // The plan of a real device may have had the host run the turn before, or begin it.
    let by_then = (!matches!(environment.backend, Backend::Gpu { .. } | Backend::Gpus { .. })).then_some(true);
    let turns = [
        (&small, [true, false], Some(true)),
        (&checked, both, Some(true)),
        (&pushed, [false, true], Some(true)),
        (&engine, both, Some(false)),
        (&small, both, Some(false)),
        (&pushed, both, by_then),
        (&engine, [true, false], Some(false)),
        (&small, [false, true], Some(true)),
        (&checked, both, Some(true)),
    ];
    let mut expected = [(10_000, 10_000); 9];
    for (turn, (options, fields, on_host)) in turns.into_iter().enumerate() {
        let mut batch = environment.batch();
        for k in 0..7 {
            let (from, to, amount) = (k % 9, (k * 2 + 1 + turn as u32) % 9, i64::from(k) + 1);
            if fields[0] {
                batch.push(transfer::call(&pairs.0, from, to, amount));
                expected[from as usize].0 -= amount;
                expected[to as usize].0 += amount;
            }
            if fields[1] {
                batch.push(transfer::call(&pairs.1, to, from, amount));
                expected[to as usize].1 -= amount;
                expected[from as usize].1 += amount;
            }
        }
        let report = batch.run_with(options)?;
        expect_eq!(report.committed, batch.len() as u64, "turn {turn}: not all committed\n{report}\ncommitted");
        expect!(report.serializable() != Some(false), "turn {turn}: {report}");
        let fell_back = report.steps().iter().any(|step| step.fallback.is_some());
        let expected_there = on_host.unwrap_or(fell_back) && environment.device.is_gpu();
        expect_eq!(fell_back, expected_there, "turn {turn} on the host\n{report}");
        expect_eq!(report.to_string().contains("with a launch"), fell_back, "turn {turn} says so");
        expect_eq!(pairs.to_vec()?, expected, "the money after turn {turn}");
    }
    Ok(())
}
