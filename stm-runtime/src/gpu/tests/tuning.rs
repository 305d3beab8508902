//! Engines that are chosen by measuring, and engines with parameters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::numbers;
use super::procedures::{bump, transfer};
use crate::backend::JobOptions;
use crate::error::GpuError;
use crate::gpu::schedule::plan::Plan;
use crate::gpu::schedule::run::{End, Run};
use crate::gpu::schedule::run_state::RunState;
use crate::gpu::trial::field::PATIENCE;
use crate::gpu::{EmulatorOptions, GpuDevice};
use crate::outcome::Algorithm;
use crate::tuning::{TrialStatus, TuningTrial};
use crate::{
    Batch, Device, Engine, Error, Outcome, Report, RunOptions, Selection, Shared, Ticket, Tuning, UnresolvedReason,
};

const ACCOUNTS: usize = 1000;
const START: i64 = 1_000_000;
/// Enough for three engines.
const TRANSACTIONS: usize = 24_000;

fn options() -> EmulatorOptions {
    // Memory for half as many threads, and too little for thousands of versions.
    EmulatorOptions { threads: 64, memory: 2 << 20, ..EmulatorOptions::threads() }
}

fn engines() -> Selection {
    let names = ["priority", "jvstm(versions=256)", "gpu-stm"];
    Selection::among(names.map(|name| name.parse().expect("the batch has it")))
}

/// Transfers that all commit, their expected balances, and two transfers that cannot commit.
struct Bank {
    accounts: Shared<i64>,
    batch: Batch<'static>,
    expected: Vec<i64>,
    stuck: [Ticket; 2],
}

impl Bank {
    fn new(device: &Device) -> Bank {
        let accounts = device.shared(&[START; ACCOUNTS]).unwrap();
        let mut bank =
            Bank { batch: device.batch(), expected: vec![START; ACCOUNTS], stuck: [Ticket::new(0, 0); 2], accounts };
        let mut next = numbers(3);
        bank.stuck[0] = bank.batch.push(transfer(&bank.accounts, 0, 1, i64::MAX));
        for _ in 0..TRANSACTIONS {
            let (from, to, amount) = (next(ACCOUNTS as u64) as usize, next(ACCOUNTS as u64) as usize, next(10) as i64);
            bank.batch.push(transfer(&bank.accounts, from as u32, to as u32, amount));
            bank.expected[from] -= amount;
            bank.expected[to] += amount;
        }
        bank.stuck[1] = bank.batch.push(transfer(&bank.accounts, 0, 1, i64::MAX));
        bank
    }

    /// Checks that every transaction but the unresolved ones has run exactly once.
    fn is_done(&self, report: &Report) {
        assert_eq!((report.committed, report.unresolved), (TRANSACTIONS as u64, 2), "{report}");
        assert_eq!(self.accounts.to_vec().unwrap(), self.expected);
        for stuck in self.stuck {
            assert_eq!(report.outcome(stuck), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
        }
    }
}

#[test]
fn a_trial_is_a_part_of_the_run_and_its_tuning_can_be_used_again() {
    let device = Device::emulated(options()).unwrap();
    let bank = Bank::new(&device);
    let report = bank.batch.run_with(&RunOptions::new().engine(engines())).unwrap();
    bank.is_done(&report);
    let tuning = report.tuning.clone().expect("it was chosen");
    assert_eq!(report.engine, Algorithm::Gpu(tuning.engine));
    assert!(report.to_string().contains(&tuning.reason), "{report}");
    let refused: Vec<_> = tuning.trials.iter().filter(|trial| matches!(trial.ended, TrialStatus::Refused(_))).collect();
    let [refused] = refused.as_slice() else { panic!("one does not fit\n{tuning}") };
    assert_eq!((refused.engine.name(), refused.transactions), ("jvstm", 0));
    assert!(tuning.to_string().contains("refused: not enough device memory"), "{tuning}");
    // The speed of each depends on the load of the host; only candidates with comparable rates reach a further round.
    let best = tuning.trials.iter().map(TuningTrial::rate).fold(0.0, f64::max);
    let hopeless = |trial: &TuningTrial| matches!(trial.ended, TrialStatus::Measured) && trial.rate() * PATIENCE < best;
    let further =
        |trial: &TuningTrial| trial.round == 2 || matches!(trial.ended, TrialStatus::GivenUp(_)) || hopeless(trial);
    assert!(tuning.trials.iter().any(further), "{tuning}");
    let tried: u64 = tuning.trials.iter().map(|trial| trial.warm_up + trial.transactions).sum();
    assert!(tried > 0 && tried <= TRANSACTIONS as u64 / 3, "{tuning}");
    assert!(tuning.trials.iter().all(|trial| trial.committed <= trial.transactions), "{tuning}");
    assert!(report.times.kernel >= tuning.trials.iter().map(|trial| trial.kernel).sum(), "{report}");
    // Each trial has a unit, and so has the rest of the batch; the one that was refused has been compiled before.
    assert!((2..=tuning.trials.len() + 1).contains(&report.units.len()), "{:?}", report.units);
    let compile: Duration = report.units.iter().map(|unit| unit.times.total()).sum();
    assert_eq!((compile, report.times.compile_steps.total()), (report.times.compile, compile));
    assert!(report.to_string().contains(" from memory: text "), "a further round uses the same unit\n{report}");

    let file = tempfile::NamedTempFile::new().unwrap();
    tuning.save(file.path()).unwrap();
    let again = Bank::new(&device);
    let loaded = Tuning::load(file.path()).unwrap();
    assert_eq!(loaded, tuning);
    let report = again.batch.run_with(&RunOptions::new().engine(&loaded)).unwrap();
    again.is_done(&report);
    assert_eq!((report.engine, report.tuning), (Algorithm::Gpu(loaded.engine), Some(tuning)));
}

#[test]
fn a_batch_that_no_candidate_can_run_is_the_error_of_the_first() {
    let device = Device::emulated(options()).unwrap();
    let bank = Bank::new(&device);
    let two = ["jvstm(versions=256)", "jvstm(versions=255)"].map(|name| name.parse().unwrap());
    let error = bank.batch.run_with(&RunOptions::new().engine(Selection::among(two))).unwrap_err();
    assert!(matches!(error, Error::Gpu(GpuError::OutOfMemory { needed: 4_104_000, .. })), "{error}");
    assert_eq!(bank.accounts.to_vec().unwrap(), [START; ACCOUNTS]);
}

#[test]
fn outcomes_come_back_to_their_transactions_whoever_ran_them() {
    let device = Device::emulated(EmulatorOptions::threads()).unwrap();
    let counters: Vec<u8> = (0..16_000_u32).map(|at| (at % 200) as u8).collect();
    let array = device.shared(&counters).unwrap();
    let mut batch =
        device.with_engine(Selection::among(["priority", "serial"].map(|n| n.parse().unwrap()))).unwrap().batch();
    let index = |transaction: i32| if transaction % 1000 == 7 { -1 } else { transaction };
    let tickets: Vec<_> =
        (0..16_000).map(|transaction| batch.push(bump(&array, index(transaction), (transaction % 5) as u8))).collect();
    let report = batch.run_with(&RunOptions::new().chunk_size(500).profile(true)).unwrap();
    for (transaction, ticket) in tickets.into_iter().enumerate() {
        match report.outcome(ticket) {
            Outcome::Faulted(fault) => assert_eq!((fault.transaction, transaction % 1000), (transaction, 7)),
            Outcome::Rejected(code) => assert_eq!((code, transaction % 5), (7, 0)),
            Outcome::Committed(before) => assert_eq!(before, counters[transaction], "transaction {transaction}"),
            Outcome::Unresolved(why) => panic!("transaction {transaction}: {why}\n{report}"),
        }
    }
    assert_eq!((report.faulted, report.rejected), (16, 3200), "{report}");
    let tuning = report.tuning.expect("it was chosen");
    assert!(tuning.trials.iter().all(|trial| trial.warm_up + trial.transactions <= 500), "{tuning}");
}

#[test]
fn other_shapes_are_tried_where_the_transactions_suffice() {
    // Enough threads that a shape with fewer is tried too.
    let device = Device::emulated(EmulatorOptions { threads: 128, ..EmulatorOptions::threads() }).unwrap();
    let bank = Bank::new(&device);
    let begin = Instant::now();
    let report = bank.batch.run_with(&RunOptions::new().engine(Selection::among([Engine::default()]))).unwrap();
    bank.is_done(&report);
    let tuning = report.tuning.expect("it was chosen");
    let rounds: Vec<_> = tuning.trials.iter().map(|trial| (trial.round, trial.threads)).collect();
    // The default shape again, because its first chunk was short.
    assert!(rounds == [(1, 128), (3, 128), (3, 32)] || begin.elapsed() > Duration::from_secs(1), "{tuning}");
    assert!(
        tuning.trials.iter().map(|trial| trial.warm_up + trial.transactions).sum::<u64>() <= TRANSACTIONS as u64 / 3,
        "{tuning}"
    );
}

#[test]
fn limits_hold_during_a_trial() {
    let device = Device::emulated(options()).unwrap();
    let bank = Bank::new(&device);
    let options = RunOptions::new().engine(engines());
    let late = bank.batch.run_with(&options.clone().time_limit(Duration::ZERO)).unwrap();
    assert_eq!(
        (late.committed, late.outcome(bank.stuck[0])),
        (0, Outcome::Unresolved(UnresolvedReason::TimeLimit)),
        "{late}"
    );
    assert!(late.tuning.is_some(), "{late}");
    // Set after the first launch, which belongs to a trial.
    let stop = Arc::new(AtomicBool::new(false));
    let limited = options.time_limit(Duration::from_secs(600)).stop_when(stop.clone());
    let stopping = limited.clone().progress(move |_| stop.store(true, Ordering::Relaxed));
    let stopped = bank.batch.run_with(&stopping).unwrap();
    assert_eq!(stopped.outcome(bank.stuck[1]), Outcome::Unresolved(UnresolvedReason::Stopped), "{stopped}");
    assert!(stopped.committed < TRANSACTIONS as u64 / 10 && stopped.tuning.is_some(), "{stopped}");

    let report = bank.batch.run_with(&limited.stop_when(Arc::default()).pass_limit(2)).unwrap();
    assert!(report.passes <= 2, "{report}");
    assert_eq!(report.outcome(bank.stuck[0]), Outcome::Unresolved(UnresolvedReason::PassLimit), "{report}");
    assert_eq!(bank.accounts.to_vec().unwrap().iter().sum::<i64>(), START * ACCOUNTS as i64);
}

#[test]
fn where_nothing_is_measured_the_report_says_why() {
    let emulated = Device::emulated(options()).unwrap();
    let few = |device: &Device, check: bool| {
        let device = device.with_engine(Selection::auto()).unwrap();
        let accounts = device.shared(&[5_i64; 4]).unwrap();
        let mut batch = device.batch();
        batch.push(transfer(&accounts, 0, 1, 1));
        let report = batch.run_with(&RunOptions::new().check(check)).unwrap();
        assert_eq!(report.committed, 1, "{report}");
        let tuning = report.tuning.expect("a tuning was asked for");
        assert_eq!((tuning.engine, tuning.trials.len()), (Engine::default(), 0));
        tuning.reason
    };
    assert!(few(&emulated, false).contains("this one has 1"));
    assert!(few(&emulated, true).contains("checked"));
    assert!(few(&Device::cpu(1), false).contains("one algorithm"));
    let empty = emulated.with_engine("auto").unwrap().batch().run().unwrap();
    assert!(empty.tuning.expect("a tuning was asked for").reason.contains("empty"));
}

#[test]
fn what_a_candidate_leaves_goes_on_with_the_rest() {
    let device = Device::emulated(options()).unwrap();
    let gpu = GpuDevice::emulated(options()).unwrap();
    let bank = Bank::new(&device);
    let options = JobOptions::default();
    let job = bank.batch.job(&options);
    let mut run_state = RunState::new(&job).unwrap();
    let plan = Plan::of(Engine::default(), job.options);
    let mut slow = Run::prepare(&gpu, &mut run_state, plan, 5000).unwrap();
    // Each thread checks the time after some transactions.
    assert_eq!(slow.try_transactions(0..5000, Duration::from_nanos(1)).unwrap(), End::Overdue);
    assert!(slow.run_state.finished < 5000);
    let mut rest = Run::prepare(&gpu, &mut run_state, plan, TRANSACTIONS).unwrap();
    rest.work(5000).unwrap();
    assert_eq!((run_state.committed, run_state.pending().unwrap()), (TRANSACTIONS as u64, vec![0, TRANSACTIONS + 1]));
    assert_eq!(bank.accounts.to_vec().unwrap(), bank.expected);
}

#[test]
fn parameters_are_kept_apart_on_the_same_array() {
    let device = Device::emulated(options()).unwrap();
    let accounts = device.shared(&[1000_i64; 20]).unwrap();
    let mut bytes = Vec::new();
    for name in ["jvstm(versions=2, records=2)", "jvstm(versions=16)", "jvstm(versions=2, records=2)", "jvstm"] {
        let mut batch = device.with_engine(name).unwrap().batch();
        super::random_transfers(&mut batch, &accounts, 300);
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!((report.committed, report.serializable()), (300, Some(true)), "{report}");
        assert_eq!(report.engine, Algorithm::Gpu(name.parse().unwrap()));
        bytes.push(report.memory.locks);
    }
    assert_eq!(bytes[0], bytes[2]);
    assert_eq!(bytes[1] - bytes[3], 16 * 8 * 20);
    assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 20_000);
}

#[test]
fn a_tuning_can_have_fewer_lock_words_than_the_array() {
    let device = Device::emulated(options()).unwrap();
    let bank = Bank::new(&device);
    let all = ACCOUNTS as u64;
    for (times, coverage, locks) in [(1, None, 8 * all), (2, Some(8), all), (3, None, 8 * all)] {
        let mut tuning = Tuning::unmeasured(Engine::default(), "another device", "a test");
        tuning.coverage = coverage;
        let report = bank.batch.run_with(&RunOptions::new().engine(tuning)).unwrap();
        assert_eq!((report.committed, report.memory.locks), (TRANSACTIONS as u64, locks), "{report}");
        assert!(report.notes.iter().any(|note| note.contains("another device")), "{report}");
        // The batch runs again on its own results.
        let expected: Vec<i64> = bank.expected.iter().map(|end| START + times * (end - START)).collect();
        assert_eq!(bank.accounts.to_vec().unwrap(), expected);
    }
}

#[test]
fn engines_with_other_parameters_are_other_algorithms() {
    let device = Device::emulated(options()).unwrap();
    let tuned = Engine::ALL.iter().find(|engine| engine.parameters().len() > 0).unwrap();
    let (parameter, _) = tuned.parameters().next().unwrap();
    let other = tuned.with(parameter.name, parameter.least).unwrap();
    assert_eq!((device.algorithm(*tuned), device.algorithm(other)), (Algorithm::Gpu(*tuned), Algorithm::Gpu(other)));
    assert_ne!(device.algorithm(*tuned), device.algorithm(other));
}
