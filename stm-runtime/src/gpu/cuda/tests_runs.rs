//! Whole runs on the fake driver: what the driver is asked in a small one, and that a large one finds its transactions.

use std::ffi::{CStr, c_char};
use std::iter::repeat_n;

use cudarc::driver::sys;
use kernels_gen::abi::launch::{ArrayAddress, Launch};

use super::nvrtc::tests::fake_that;
use super::tests::run;
use crate::data::arrays;
use crate::error::{Error, GpuError};
use crate::gpu::tests::procedures::{TRANSFER, transfer};
use crate::options::Outcomes;
use crate::{Batch, Columns, Device, Engine, IntoColumn, Outcome, RunOptions, Shared};

/// Runs a test of this module on a driver whose launches commit, beside an NVRTC that compiles nothing.
pub(super) fn with_commits(test: &str, answers: &[(&str, &str)]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let nvrtc = fake_that(folder.path(), [13, 0], true)?;
    let launch = Launch { columns: vec![0; 3], arrays: vec![ArrayAddress::default()], ..Launch::default() };
    let bytes = size_of_val(&launch.words()[..]).to_string();
    let all = [
        ("STM_NVRTC", nvrtc.to_str().unwrap()),
        ("STM_CACHE", folder.path().to_str().unwrap()),
        ("FAKE_COMMITS", "1"),
        ("FAKE_PARAMETER_BYTES", &bytes),
    ];
    run(test, &[&all, answers].concat())
}

#[test]
fn runs_ask_little_of_the_driver_and_find_their_transactions() {
    if with_commits("_runs::a_small_run_is_one_exchange", &[]).is_none() {
        return;
    }
    with_commits("_runs::a_small_run_needs_no_pinned_memory", &[("FAKE_PINNED", "2")]);
    with_commits("_runs::a_large_run_finds_its_transactions", &[]);
    with_commits("_runs::a_large_run_finds_its_transactions", &[("FAKE_PINNED", "2")]);
    with_commits("_runs::a_batch_that_runs_again_copies_nothing", &[("FAKE_TOTAL", "67108864")]);
    // Copies and launches of the middle of the run.
    for copy in ["9", "30", "60"] {
        with_commits("_runs::a_run_that_fails_half_way_is_an_error", &[("FAKE_COPY", copy)]);
    }
    for record in ["20", "60", "90"] {
        with_commits("_runs::a_run_that_fails_half_way_is_an_error", &[("FAKE_RECORD", record)]);
    }
    let roomy = ("FAKE_TOTAL", "67108864");
    with_commits("_runs::a_run_that_waits_has_its_transactions_there", &[roomy]);
    // The uploads of the first run and of the second one.
    for copy in ["2", "9", "13"] {
        with_commits("_runs::what_cannot_go_ahead_is_done_in_the_run", &[roomy, ("FAKE_COPY", copy)]);
    }
    with_commits("_runs::a_broken_context_ends_a_run", &[("FAKE_LAUNCH", "700")]);
}

/// Returns the names of the driver's functions that were called since the last call, without the one that begins each use.
pub(super) fn calls() -> Vec<String> {
    // SAFETY: the fake driver has the function, with this type.
    let calls = unsafe { sys::culib().get::<unsafe extern "C" fn() -> *const c_char>(b"fake_calls\0") }.unwrap();
    // SAFETY: it returns a text that ends with a zero byte, and stays until the next call.
    let text = unsafe { CStr::from_ptr(calls()) }.to_str().unwrap();
    text.split_whitespace().filter(|name| *name != "cuCtxSetCurrent").map(str::to_owned).collect()
}

fn device() -> Device {
    Device::cuda(0).unwrap().with_engine(Engine::default()).unwrap()
}

/// Returns transactions whose first argument is one more than the index.
pub(super) fn numbered<'a>(device: &Device, accounts: &Shared<i64>, transactions: u32) -> Batch<'a> {
    let mut batch = device.batch();
    (0..transactions).for_each(|at| _ = batch.push(transfer(accounts, at + 1, 7, 1)));
    batch
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_small_run_is_one_exchange() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    for transactions in [1, 2, 100] {
        // Kernels, memory and events are kept from the first run.
        numbered(&device, &accounts, transactions).run().unwrap();
        calls();
        let report = numbered(&device, &accounts, transactions).run().unwrap();
        assert_eq!((report.committed, report.unresolved), (transactions.into(), 0), "{report}");
        let expected = [
            "cuMemcpyHtoDAsync_v2",
            "cuEventRecord",
            "cuLaunchKernel",
            "cuEventRecord",
            "cuMemcpyDtoHAsync_v2",
            "cuStreamSynchronize",
            "cuEventSynchronize",
            "cuEventElapsedTime_v2",
        ];
        assert_eq!(calls(), expected, "{transactions} transactions");
        assert!((0..transactions).all(|at| report.outcome_at(at as usize).unwrap() == Outcome::Committed(())));
    }
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_small_run_needs_no_pinned_memory() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    assert_eq!(numbered(&device, &accounts, 5).run().unwrap().committed, 5);
}

/// Transactions whose columns are copied in several pieces by several threads.
const MANY: u32 = 8 * 1024 + 77;

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_large_run_finds_its_transactions() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    for _ in 0..3 {
        calls();
        let report = numbered(&device, &accounts, MANY).run().unwrap();
        assert_eq!((report.committed, report.unresolved), (MANY.into(), 0), "{report}");
        assert!((0..MANY as usize).all(|at| report.outcome_at(at).unwrap() == Outcome::Committed(())));
        assert_eq!(calls().iter().filter(|name| *name == "cuLaunchKernel").count(), 1);
    }
    // A transaction that is not as it should be is found, too.
    let mut batch = numbered(&device, &accounts, MANY - 1);
    batch.push(transfer(&accounts, 3, 7, 1));
    let report = batch.run().unwrap();
    assert_eq!((report.committed, report.faulted), (u64::from(MANY) - 1, 1));
}

/// Returns transfers from one account to another, of 1.
fn transfers<'s, 'a>(
    accounts: &'s Shared<i64>,
    from: impl IntoColumn<'a, u32>,
    to: impl IntoColumn<'a, u32>,
    amount: impl IntoColumn<'a, i64>,
) -> Columns<'s, 'a, (), 1> {
    let columns = Columns::new(&TRANSFER, arrays(|list| list.add(accounts)));
    columns.values("from", from).values("to", to).values("amount", amount)
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_batch_that_runs_again_copies_nothing() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    let copies = |batch: &Batch<'_>, options: &RunOptions| {
        calls();
        let report = batch.run_with(options).unwrap();
        assert_eq!((report.committed, report.faulted), (batch.len() as u64, 0), "{report}");
        let calls = calls();
        let count = |name: &str| calls.iter().filter(|call| *call == name).count();
        [count("cuMemcpyHtoDAsync_v2"), count("cuMemcpyDtoHAsync_v2"), count("cuMemAlloc_v2")]
    };
    let (from, rest): (Vec<u32>, Vec<i64>) = ((1..MANY + 1).collect(), vec![1; MANY as usize]);
    let (mut listed, mut other, mut counted) = (device.batch(), device.batch(), device.batch());
    listed.push_columns(transfers(&accounts, &from, &from, &rest)).unwrap();
    other.push_columns(transfers(&accounts, &from, &from, &rest)).unwrap();
    counted.push_columns(transfers(&accounts, 1..MANY + 1, repeat_n(7, rest.len()), repeat_n(1, rest.len()))).unwrap();
    // The counters go up and down with each launch.
    let (counters, each) = ([1, 1, 0], RunOptions::new());
    copies(&listed, &each);
    copies(&other, &each);
    assert_eq!([&listed, &other, &listed].map(|batch| copies(batch, &each)), [counters; 3]);
    // What is new, and is kept for the batch, needs memory.
    listed.push(transfer(&accounts, MANY + 1, 7, 1));
    let [up, down, _] = copies(&listed, &each);
    assert!(up > 1 && down == 1, "{up} copies there and {down} back");
    drop(other);
    copies(&counted, &each);
    let summary = RunOptions::new().outcomes(Outcomes::Counted);
    assert_eq!([&each, &summary].map(|options| copies(&counted, options)), [counters; 2]);
    // A transaction that faults is listed.
    let mut wrong = device.batch();
    wrong.push_columns(transfers(&accounts, 2..MANY + 2, repeat_n(7, rest.len()), repeat_n(1, rest.len()))).unwrap();
    let report = wrong.run_with(&summary).unwrap();
    assert_eq!((report.faulted, report.faults.len(), report.faults[0].transaction), (MANY.into(), 1000, 0));
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_run_that_fails_half_way_is_an_error() {
    // The fake driver ends the process if memory is freed too early.
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    let mut failed = 0;
    for _ in 0..4 {
        match numbered(&device, &accounts, MANY).run() {
            Ok(report) => assert_eq!(report.committed, MANY.into()),
            Err(Error::Gpu(GpuError::Driver { call, .. })) => {
                assert!(["cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuEventRecord"].contains(&call), "{call}");
                failed += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(failed, 1, "one call failed, and the next run is good");
    assert!(accounts.to_vec().is_ok());
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_run_that_waits_has_its_transactions_there() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    numbered(&device, &accounts, MANY).run().unwrap();
    // The first run ends when the test lets it. The second one uploads meanwhile.
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let first = numbered(&device, &accounts, MANY)
        .start_with(&RunOptions::new().progress(move |_| _ = gate.lock().unwrap().recv()));
    let wait_for = |name: &str| {
        while !calls().iter().any(|call| call == name) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    };
    wait_for("cuLaunchKernel");
    let second = numbered(&device, &accounts, MANY).start();
    wait_for("cuStreamWaitEvent");
    drop(go);
    for report in [first, second].map(|running| running.wait().unwrap()) {
        assert_eq!((report.committed, report.faulted), (MANY.into(), 0));
    }
    // What is asked of the driver for a run whose transactions are there.
    calls();
    numbered(&device, &accounts, MANY).run().unwrap();
    let calls = calls();
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!([count("cuLaunchKernel"), count("cuMemsetD8Async"), count("cuMemAlloc_v2")], [1, 1, 0], "{calls:?}");
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn what_cannot_go_ahead_is_done_in_the_run() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    for _ in 0..2 {
        assert_eq!(numbered(&device, &accounts, MANY).run().unwrap().committed, MANY.into());
    }
}

#[test]
#[ignore = "started by runs_ask_little_of_the_driver_and_find_their_transactions"]
fn a_broken_context_ends_a_run() {
    let device = device();
    let accounts = device.shared(&[100_i64; 16]).unwrap();
    for transactions in [MANY, 1] {
        let error = numbered(&device, &accounts, transactions).run().unwrap_err();
        assert!(matches!(&error, Error::Gpu(GpuError::ContextLost { .. })), "{error}");
    }
}
