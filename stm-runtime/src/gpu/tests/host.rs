//! A plan that hands batches to the host, again and again.

use std::time::Duration;

use super::procedures::transfer;
use crate::columns::Column;
use crate::gpu::backend::{ALONG, Cluster, HostUse, LISTED_FROM, Limits};
use crate::gpu::schedule::place::Place;
use crate::gpu::schedule::{choice, remembered, small};
use crate::options::{Fallback, Outcomes};
use crate::outcome::PlanReason;
use crate::prelude::*;
use crate::{EmulatorOptions, Engine, Order, Selection};

/// A second run may get the memory of the first one's statuses, with what they were.
#[test]
fn a_second_run_on_the_host_starts_anew() {
    const TRANSACTIONS: u64 = 2000;
    for seed in 0..4 {
        let options = EmulatorOptions { plan: Some(seed), ..EmulatorOptions::threads() };
        let Ok(device) = Device::emulated(options) else { return };
        let accounts = device.shared(&[TRANSACTIONS as i64; 4]).unwrap();
        let mut batch = device.batch();
        (0..TRANSACTIONS).for_each(|k| _ = batch.push(transfer(&accounts, k as u32 % 4, (k as u32 + 1) % 4, 1)));
        for run in 0..3 {
            let report = batch.run_with(&RunOptions::new().engine(Selection::plan())).unwrap();
            assert_eq!(report.committed, TRANSACTIONS, "run {run} of plan {seed}: {report}");
        }
        assert_eq!(accounts.to_vec().unwrap(), [TRANSACTIONS as i64; 4]);
    }
}

#[stm_macros::gpu_transaction(crate = crate)]
fn give(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32) -> TxResult {
    tx.update(accounts, from, |balance| balance - 1)?;
    tx.update(accounts, to, |balance| balance * 2)
}

#[stm_macros::gpu_transaction(crate = crate)]
fn count(tx: &mut Tx, counters: &Shared<u32>, number: u32) -> TxResult<(u32, u64)> {
    tx.update(counters, number % 2, |count| count + 1)?;
    Ok((number, u64::from(number) << 40))
}

/// On the host, on the device, or first on one of them.
#[test]
fn results_stay_on_the_device_wherever_a_batch_runs() {
    for seed in 0..6 {
        let options = EmulatorOptions { plan: Some(seed), ..EmulatorOptions::threads() };
        let Ok(device) = Device::emulated(options) else { return };
        let counters = device.shared(&[0_u32; 2]).unwrap();
        let mut batch = device.batch();
        let tickets = batch.push_columns(count::columns(&counters, 0..9000)).unwrap();
        let options = RunOptions::new().engine(Selection::plan()).outcomes(Outcomes::ResultsStay);
        let report = batch.run_with(&options).unwrap();
        let results = report.results_there(&tickets).unwrap().expect("they have stayed").to_vec().unwrap();
        let are_there =
            results.iter().zip(0_u32..).all(|(result, number)| *result == (number, u64::from(number) << 40));
        assert!(are_there && results.len() == 9000, "{report}");
    }
}

#[stm_macros::gpu_transaction(crate = crate)]
fn halve(tx: &mut Tx, accounts: &Shared<i64>, at: u32) -> TxResult {
    tx.update(accounts, at, |balance| balance / 2)
}

/// Of one procedure, and of two, where rows are not the numbers of the transactions.
#[test]
fn a_sample_of_columns_on_the_device_is_one_of_lists_and_copies_few_of_them() {
    const MANY: u32 = 1 << 14;
    let Ok(device) = Device::emulated(EmulatorOptions::threads()) else { return };
    let accounts = device.shared(&[100_i64; MANY as usize]).unwrap();
    let from: Vec<u32> = (0..MANY).collect();
    let near: Vec<u32> = from.iter().map(|at| at % 2).collect();
    for (to, first) in [(&from, 0), (&near, 0), (&from, MANY / 2), (&near, MANY / 2)] {
        let demand = |there: bool| {
            let mut batch = device.batch();
            batch.push_columns(halve::columns(&accounts, 0..first)).unwrap();
            if there {
                let [from, to] = [&from, to].map(|list| device.column(list).unwrap());
                batch.push_columns(give::columns(&accounts, from, to)).unwrap();
            } else {
                batch.push_columns(give::columns(&accounts, &from, to)).unwrap();
            }
            let options = RunOptions::new().resolve(&Selection::plan());
            let job = batch.job(&options);
            let demand = remembered::demand(&job);
            let cells = job.columns.iter().filter_map(Column::on_device);
            let lengths: Vec<_> = cells.map(|cells| cells.cells::<u32>().len()).collect();
            assert_eq!(lengths, vec![0; if there { 2 } else { 0 }], "no whole column was copied");
            (demand.is_hot(1000), format!("{demand:?}"))
        };
        assert_eq!(demand(true), demand(false));
        assert_eq!(demand(true).0, to == &near, "{first}");
    }
}

const DEVICE: Limits = Limits {
    block: 256,
    threads: 1 << 16,
    shared: 1 << 15,
    spread: true,
    host: HostUse::Never,
    along: ALONG,
    cluster: Cluster::ONE,
    lists: LISTED_FROM,
};

#[stm_macros::gpu_transaction(crate = crate)]
fn copy(tx: &mut Tx, rows: &Shared<i64>, from: u32, to: u32) -> TxResult {
    let row = tx.read(rows, from)?;
    tx.write(rows, to, row.wrapping_mul(31))
}

#[stm_macros::gpu_transaction(crate = crate)]
fn mix(tx: &mut Tx, rows: &Shared<i64>, one: u32, other: u32) -> TxResult {
    let (first, second) = (tx.read(rows, one)?, tx.read(rows, other)?);
    tx.write(rows, one, first.wrapping_mul(31).wrapping_add(second))?;
    tx.write(rows, other, second.wrapping_mul(31).wrapping_add(first))
}

#[test]
fn in_order_a_hot_row_only_delays_those_that_read_it_and_write_there() {
    const MANY: u32 = 1 << 15;
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let rows = device.shared(&vec![1_i64; MANY as usize]).unwrap();
    let chosen = |mixed: bool| {
        let mut batch = device.batch();
        for k in 0..MANY {
            let (one, other) = if k % 2 == 0 { (0, k) } else { (k, 0) };
            batch.push(if mixed { mix::call(&rows, one, other) } else { copy::call(&rows, one, other) });
        }
        let options = RunOptions::new().resolve(&Selection::plan());
        let job = batch.job(&options);
        let (engine, reason) = choice::engine_for(&job, DEVICE, remembered::demand(&job)).unwrap();
        (engine.to_string(), reason)
    };
    assert_eq!(chosen(false), ("in-order".into(), PlanReason::LocksPredictedSlower));
    assert_eq!(chosen(true), ("priority".into(), PlanReason::NothingElse));
}

#[test]
fn transactions_that_meet_on_few_elements_have_turns_in_a_block() {
    const MANY: u32 = 1 << 15;
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let chosen = |len: u32| {
        let rows = device.shared(&vec![1_i64; len as usize]).unwrap();
        let mut batch = device.batch();
        (0..MANY).for_each(|k| _ = batch.push(mix::call(&rows, k % len, (7 * k + 1) % len)));
        let options = RunOptions::new().resolve(&Selection::plan());
        let job = batch.job(&options);
        choice::engine_for(&job, DEVICE, remembered::demand(&job)).unwrap().0.to_string()
    };
    assert_eq!([500, 1 << 20].map(chosen), ["in-turns", "priority"]);
}

#[test]
fn a_place_that_was_left_is_not_the_first_one_of_the_next_run() {
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let accounts = device.shared(&[100_i64; 64]).unwrap();
    let mut batch = device.batch();
    (0..64).for_each(|k| _ = batch.push(transfer(&accounts, k, (k + 1) % 64, 1)));
    let options = RunOptions::new().order(Order::Pushed).resolve(&Selection::plan());
    let job = batch.job(&options);
    let engines = || -> Vec<Engine> {
        choice::in_push_order(&job, DEVICE, || remembered::demand(&job)).iter().map(|turns| turns.engine).collect()
    };
    let first = engines();
    remembered::leave(&job, Place::Device(first[0]), 1.0);
    assert_eq!(engines(), first[1..]);
}

#[stm_macros::gpu_transaction(crate = crate)]
fn count_slowly(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult {
    let mut state = u64::from(at);
    for _ in 0..50_000 {
        state = state.wrapping_mul(3) ^ 1;
    }
    tx.guard(state != 1)?;
    tx.update(cells, at, |old| old + 1)
}

#[test]
fn only_small_batches_are_sent_to_the_host() {
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let accounts = device.shared(&[100_i64; 64]).unwrap();
    let is_allowed = RunOptions::new().fallback(Fallback::SmallBatches);
    let predicted = |transactions: u32, options: &RunOptions| {
        let mut batch = device.batch();
        (0..transactions).for_each(|k| _ = batch.push(transfer(&accounts, k % 64, (k + 1) % 64, 0)));
        let options = options.resolve(&Selection::plan());
        let job = batch.job(&options);
        small::fallback(&job).map(|times| (times, small::floor(&job, times)))
    };
    let (times, floor) = predicted(10, &is_allowed).unwrap();
    assert!(times.on_host < Duration::from_micros(5) && times.on_device > Duration::from_micros(30), "{times:?}");
    assert_eq!((floor, predicted(100_000, &is_allowed)), (0.0, None));
    let no = [
        RunOptions::new(),
        is_allowed.clone().engine(Engine::default()),
        is_allowed.clone().threads(32),
        is_allowed.clone().outcomes(Outcomes::ResultsStay),
    ];
    assert_eq!(no.map(|options| predicted(10, &options)), [None; 4]);
    let (counters, numbers) = (device.shared(&[0_u32; 2]).unwrap(), device.column(&[0_u32, 1]).unwrap());
    let mut batch = device.batch();
    batch.push_columns(count::columns(&counters, &numbers)).unwrap();
    let options = is_allowed.resolve(&Selection::plan());
    assert_eq!(small::fallback(&batch.job(&options)), None, "arguments would have to come to the host");
    // Sixteen that take far longer than a launch are enough to see it, unless the batch cannot go on elsewhere.
    assert!((100_000.0..16e6).contains(&predicted(100, &is_allowed).unwrap().1));
    assert_eq!(predicted(100, &is_allowed.order(Order::Pushed)).unwrap().1, 0.0);
}

#[test]
fn a_small_batch_of_long_transactions_goes_on_at_the_device() {
    let Ok(device) = Device::emulated(EmulatorOptions::threads()) else { return };
    let cells = device.shared(&[0_u64; 40]).unwrap();
    let mut batch = device.batch();
    (0..40).for_each(|at| _ = batch.push(count_slowly::call(&cells, at)));
    for (run, steps) in [(1, 2), (2, 1)] {
        let report = batch.run_with(&RunOptions::new().fallback(Fallback::SmallBatches)).unwrap();
        assert_eq!((report.committed, cells.to_vec().unwrap()), (40, vec![run; 40]), "{report}");
        let left: Vec<u64> = report.steps().iter().filter(|step| step.was_left).map(|step| step.finished).collect();
        assert_eq!((left, report.steps().len()), (vec![16; steps - 1], steps), "{report}");
        assert_eq!(report.steps()[0].fallback.is_some(), run == 1, "it is remembered");
    }
}
