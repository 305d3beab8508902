//! Runs that end early, and devices that are too small.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use stm_runtime::options::Outcomes;
use stm_runtime::prelude::*;
use stm_runtime::report::LaunchShape;
use stm_runtime::{Batch, Device, EmulatorOptions, Engine, Error, GpuError, Report, Shared, UnresolvedReason};
use stm_tests::procedures::bank::{audit, transfer};
use stm_tests::procedures::endings::nothing;
use stm_tests::skip::emulated;

use super::devices;

const MONEY: i64 = 64_000;

/// Declares more elements than it will ever access.
#[gpu_transaction(max_accesses = 1000)]
fn sprawl(tx: &mut Tx, counters: &Shared<i64>, n: u32) -> TxResult {
    for i in 0..n {
        tx.update(counters, i, |value| value + 1)?;
    }
    Ok(())
}

/// Returns more work than any machine can do in the time limits of the tests.
fn long(device: &Device) -> (Shared<i64>, Batch<'static>) {
    let accounts = device.shared(&[1000_i64; 64]).unwrap();
    let mut batch = device.batch();
    for transaction in 0..1_500_000_u32 {
        if transaction % 2 == 0 {
            batch.push(audit::call(&accounts, 0, 64));
        } else {
            batch.push(transfer::call(&accounts, transaction % 64, transaction * 7 % 64, 0));
        }
    }
    (accounts, batch)
}

/// Checks that finished transactions took effect, that all others are listed, and that only the former changed the arrays.
fn is_whole(report: &Report, accounts: &Shared<i64>, why: UnresolvedReason) {
    assert!(report.unresolved > 0, "the run was over before it was stopped\n{report}");
    assert_eq!(report.committed + report.unresolved, 1_500_000, "{report}");
    assert!(
        report.unresolved_transactions.iter().all(|transaction| transaction.reason == why),
        "{:?}",
        report.unresolved_transactions[0]
    );
    assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), MONEY);
}

#[test]
fn a_stop_flag_ends_a_long_run() {
    for device in devices() {
        let (accounts, batch) = long(&device);
        let stop = Arc::new(AtomicBool::new(false));
        let options = RunOptions::new().stop_when(stop.clone());
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                stop.store(true, Ordering::Relaxed);
            });
            batch.run_with(&options).unwrap()
        });
        is_whole(&report, &accounts, UnresolvedReason::Stopped);
        // The batch and its array are still usable.
        stop.store(true, Ordering::Relaxed);
        let again = batch.run_with(&options).unwrap();
        assert_eq!(again.transactions, 1_500_000);
    }
}

#[test]
fn a_stopped_run_is_still_provable() {
    for device in devices() {
        let accounts = device.shared(&[1000_i64; 8]).unwrap();
        let mut batch = device.batch();
        for transaction in 0..200_000_u32 {
            batch.push(transfer::call(&accounts, transaction % 8, transaction * 3 % 8, 1));
        }
        let report = batch.run_with(&RunOptions::new().check(true).time_limit(Duration::from_millis(5))).unwrap();
        assert_eq!(report.serializable(), Some(true), "{report}");
        assert_eq!(report.committed + report.unresolved, 200_000, "{report}");
    }
}

#[test]
fn a_time_limit_ends_a_long_run() {
    for device in devices() {
        let (accounts, batch) = long(&device);
        let begin = Instant::now();
        let report = batch.run_with(&RunOptions::new().time_limit(Duration::from_millis(30))).unwrap();
        is_whole(&report, &accounts, UnresolvedReason::TimeLimit);
        assert!(begin.elapsed() < Duration::from_secs(60), "it ended after {:?}", begin.elapsed());
    }
}

#[test]
fn a_pass_limit_ends_a_run_that_waits() {
    for device in devices() {
        // Each transaction waits for the next one, so one thread of a GPU finishes one transaction per pass. CPU threads retry all
        // transactions that a commit wakes, and the second pass finishes all of them.
        let limit = if device.is_gpu() { 3 } else { 1 };
        let mut funds = [0_i64; 40];
        funds[39] = 1;
        let accounts = device.shared(&funds).unwrap();
        let mut batch = device.batch();
        for to in 0..39_u32 {
            batch.push(transfer::call(&accounts, to + 1, to, 1));
        }
        let report = batch.run_with(&RunOptions::new().pass_limit(limit).threads(1)).unwrap();
        assert!(report.passes <= limit && report.unresolved > 0, "{report}");
        assert!(
            report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::PassLimit),
            "{report}"
        );
        assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 1);
    }
}

fn small(memory: u64) -> Option<Device> {
    emulated("a device with little memory", EmulatorOptions { memory, ..EmulatorOptions::threads() })
}

#[test]
fn more_transactions_than_memory_go_in_chunks() {
    let Some(device) = small(1 << 20) else { return };
    let accounts = device.shared(&[1000_i64; 64]).unwrap();
    let mut batch = device.batch();
    for transaction in 0..200_000_u32 {
        batch.push(transfer::call(&accounts, transaction % 64, transaction * 3 % 64, 1));
    }
    let report = batch.run().unwrap();
    assert_eq!(report.committed, 200_000, "{report}");
    assert!(report.memory.total() <= 1 << 20, "{:?}", report.memory);
    assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), MONEY);
}

#[test]
fn arrays_that_do_not_fit_are_an_error_with_the_sizes() {
    let Some(device) = small(1 << 16) else { return };
    let is_short = |error: Error, what: &str| {
        let Error::Gpu(GpuError::OutOfMemory { what: found, needed, free }) = error else { panic!("{error}") };
        assert!(found == what && needed > free && free <= 1 << 16, "{needed} of {free} for {found}");
    };
    // What an engine needs beside the elements is known in a run.
    is_short(device.shared(&vec![0_i64; 10_000]).unwrap_err(), "arrays");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("many");
    Device::cpu(1).shared(&vec![0_i64; 10_000]).and_then(|many| many.save(&path)).unwrap();
    is_short(device.load::<i64>(&path).unwrap_err(), "arrays");
    let accounts = device.shared(&vec![0_i64; 5_000]).unwrap();
    let mut batch = device.batch();
    batch.push(transfer::call(&accounts, 0, 1, 0));
    is_short(batch.run().unwrap_err(), "arrays and their lock words");
    assert_eq!(accounts.to_vec().unwrap().len(), 5_000);
    drop((batch, accounts));
    // Results may stay only where all of them fit at once. Otherwise they come in chunks.
    let mut batch = device.batch();
    let numbers = batch.push_columns(nothing::columns(0..10_000)).unwrap();
    let stay = RunOptions::new().outcomes(Outcomes::ResultsStay);
    is_short(batch.run_with(&stay).unwrap_err(), "results that stay on the device");
    let report = batch.run().unwrap();
    assert!(report.results(&numbers).eq((0..10_000).map(Some)), "{report}");
}

#[test]
fn more_threads_than_an_engine_has_names_for_are_an_error() {
    let Some(device) = emulated("threads without names", EmulatorOptions::threads()) else { return };
    let mut limited = 0;
    for &engine in Engine::ALL {
        let Some(most) = engine.spec().requires.max_threads else { continue };
        limited += 1;
        let accounts = device.shared(&[10_i64; 2]).unwrap();
        let mut batch = device.batch();
        batch.push(transfer::call(&accounts, 0, 1, 1));
        let error = batch.run_with(&RunOptions::new().engine(engine).threads(most as usize + 1)).unwrap_err();
        let text = error.to_string();
        let Error::Gpu(GpuError::TooManyThreads { most: said, asked, .. }) = error else { panic!("{text}") };
        assert_eq!((said, asked), (most, most + 1), "{text}");
        assert!(text.contains(engine.name()) && text.contains(&most.to_string()), "{text}");
        // The batch and its array are still usable.
        batch.run_with(&RunOptions::new().engine(engine).threads(32)).unwrap();
        assert_eq!(accounts.to_vec().unwrap(), [9, 11]);
    }
    assert!(limited > 0, "no engine has a limit: nothing was shown");
}

/// Adds to one bucket of a histogram that fills most of the memory of a block.
#[gpu_transaction]
fn fill(tx: &mut Tx, cells: &Partition<u64, 3000>, at: u32) -> TxResult {
    tx.update(cells, at, |n| n + 1)
}

#[gpu_transaction]
fn fill_more(tx: &mut Tx, cells: &Partition<u64, 30_000>, at: u32) -> TxResult {
    tx.update(cells, at, |n| n + 1)
}

#[test]
fn what_an_engine_for_parts_cannot_keep_is_an_error_with_the_way_out() {
    let Some(device) = emulated("parts without room", EmulatorOptions::threads()) else { return };
    let engine = Engine::ALL.iter().copied().find(|engine| engine.spec().requires.partitions).unwrap();
    let mut batch = device.batch();
    let options = RunOptions::new().engine(engine);

    // A whole array, also a field of one.
    let accounts = device.shared(&[10_i64; 2]).unwrap();
    batch.push(transfer::call(&accounts, 0, 1, 1));
    let error = batch.run_with(&options).unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, Error::Gpu(GpuError::NotInParts { procedure: "transfer", parameter: "accounts", .. })),
        "{text}"
    );
    assert!(text.contains(engine.name()) && text.contains("&Partition<T, N>"), "{text}");
    assert_eq!(transfer::kernel().cuda_source_for(engine).unwrap_err(), error);
    // The batch and its array are still usable.
    batch.run_with(&RunOptions::new().engine(Engine::default())).unwrap();
    assert_eq!(accounts.to_vec().unwrap(), [9, 11]);

    // 3000 elements with owner and backup.
    let cells = device.partitioned::<u64, 3000>(&[0; 6000]).unwrap();
    let mut batch = device.batch();
    batch.push(fill::call(&cells.part(1).unwrap(), 2999));
    let error = batch.run_with(&options).unwrap_err();
    let text = error.to_string();
    let Error::Gpu(GpuError::PartsTooLarge { needed, allowed, most, .. }) = error else { panic!("{text}") };
    assert!(needed > 3000 * 20 && allowed == 48 * 1024 && needed <= most, "{text}");
    assert!(text.contains(&format!("block_memory({needed})")), "{text}");
    let enough = options.clone().block_memory(needed as usize).check(true);
    assert_eq!(batch.run_with(&enough).unwrap().serializable(), Some(true));
    assert_eq!(cells.to_vec().unwrap()[5999], 1);

    // More memory than a block can have.
    let cells = device.partitioned::<u64, 30_000>(&[0; 30_000]).unwrap();
    let mut batch = device.batch();
    batch.push(fill_more::call(&cells.part(0).unwrap(), 0));
    let text = batch.run_with(&options.block_memory(1 << 30)).unwrap_err().to_string();
    assert!(text.contains(&format!("at most {most}")) && !text.contains("block_memory"), "{text}");
}

#[test]
fn more_elements_than_an_engine_has_room_for_are_an_error() {
    let Some(device) = emulated("transactions without room", EmulatorOptions::threads()) else { return };
    let mut limited = 0;
    for &engine in Engine::ALL {
        let Some(most) = engine.spec().requires.max_footprint else { continue };
        limited += 1;
        let counters = device.shared(&[0_i64; 8]).unwrap();
        let mut batch = device.batch();
        batch.push(sprawl::call(&counters, 8));
        let error = batch.run_with(&RunOptions::new().engine(engine)).unwrap_err();
        let text = error.to_string();
        let Error::Gpu(GpuError::TooManyElements { procedure, most: said, elements, .. }) = error else {
            panic!("{text}")
        };
        assert_eq!((procedure, said, elements), ("sprawl", most, 1000), "{text}");
        assert!(text.contains(engine.name()) && text.contains("1000") && text.contains("max_accesses"), "{text}");
        // The facts say the same before there is a batch.
        let facts = sprawl::kernel().facts().unwrap().to_string();
        assert!(facts.contains(&format!("`{}`: at most {most} elements", engine.name())), "{facts}");
        // The batch and its array are still usable.
        batch.run_with(&RunOptions::new().engine(Engine::default())).unwrap();
        assert_eq!(counters.to_vec().unwrap(), [1; 8]);
    }
    assert!(limited > 0, "no engine has a limit: nothing was shown");
}

#[test]
fn a_block_of_more_threads_than_kernels_have_room_for_is_an_error() {
    let options = |block| EmulatorOptions { block, ..EmulatorOptions::fibers(1) };
    for block in [0, 31, 33, 288, 512, 1024, u32::MAX] {
        let text = Device::emulated(options(block)).map(|device| device.describe()).unwrap_err().to_string();
        assert!(text.contains(&format!("a block of {block} threads")) && text.contains("up to 256"), "{text}");
    }
    for block in [32, 96, 256] {
        let Some(device) = emulated("blocks of several sizes", options(block)) else { return };
        let accounts = device.shared(&[1000_i64; 64]).unwrap();
        let mut batch = device.batch();
        for transaction in 0..200 {
            if transaction % 2 == 0 {
                batch.push(audit::call(&accounts, 0, 64));
            } else {
                batch.push(transfer::call(&accounts, transaction % 64, transaction * 7 % 64, 1));
            }
        }
        // The batch has work for 16 warps of two lanes, and a stage that collects those that read for each warp.
        let report = batch.run_with(&RunOptions::new().threads(31).lanes(2).check(true)).unwrap();
        let LaunchShape::Gpu { first, .. } = report.shape else { panic!("{report}") };
        assert_eq!((first.threads_per_block, report.committed, report.serializable()), (block, 200, Some(true)));
        assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), MONEY);
    }
}
