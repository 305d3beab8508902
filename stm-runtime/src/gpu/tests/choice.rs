//! Engines that are chosen by measuring, and engines with parameters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::kinds::{bump, transfer};
use super::numbers;
use crate::choice::Ended;
use crate::gpu::ledger::Ledger;
use crate::gpu::plan::Plan;
use crate::gpu::run::{End, Run};
use crate::gpu::trial::field::PATIENCE;
use crate::gpu::{EmulatorOptions, GpuDevice, GpuError};
use crate::{Choice, Device, Engine, Error, Outcome, Report, Selection, Shared, Table, Ticket, Trial, Why};

const ACCOUNTS: usize = 1000;
const START: i64 = 1_000_000;
/// Enough for three engines.
const ROWS: usize = 24_000;

fn options() -> EmulatorOptions {
    // Room for half as many threads, and none for thousands of versions.
    EmulatorOptions { threads: 64, memory: 2 << 20, ..EmulatorOptions::threads() }
}

fn engines() -> Selection {
    let names = ["priority", "jvstm(versions=256)", "gpu-stm"];
    Selection::among(names.map(|name| name.parse().expect("the table has it")))
}

/// Transfers that all commit, what comes of them, and two that never can.
struct Bank {
    accounts: Shared<i64>,
    table: Table,
    expected: Vec<i64>,
    stuck: [Ticket; 2],
}

impl Bank {
    fn new(device: &Device) -> Bank {
        let accounts = device.shared(&[START; ACCOUNTS]).unwrap();
        let mut bank =
            Bank { table: device.table(), expected: vec![START; ACCOUNTS], stuck: [Ticket::new(0, 0); 2], accounts };
        let mut next = numbers(3);
        bank.stuck[0] = bank.table.push(transfer(&bank.accounts, 0, 1, i64::MAX));
        for _ in 0..ROWS {
            let (from, to, amount) = (next(ACCOUNTS as u64) as usize, next(ACCOUNTS as u64) as usize, next(10) as i64);
            bank.table.push(transfer(&bank.accounts, from as u32, to as u32, amount));
            bank.expected[from] -= amount;
            bank.expected[to] += amount;
        }
        bank.stuck[1] = bank.table.push(transfer(&bank.accounts, 0, 1, i64::MAX));
        bank
    }

    /// Every row but the stuck ones has been run, and once.
    fn is_done(&self, report: &Report) {
        assert_eq!((report.committed, report.unresolved), (ROWS as u64, 2), "{report}");
        assert_eq!(self.accounts.to_vec().unwrap(), self.expected);
        for stuck in self.stuck {
            assert_eq!(report.outcome(stuck), Outcome::Unresolved(Why::GuardNeverHeld));
        }
    }
}

#[test]
fn a_trial_is_a_part_of_the_run_and_its_choice_can_be_used_again() {
    let device = Device::emulated(options()).unwrap();
    let mut bank = Bank::new(&device);
    let report = bank.table.engine(engines()).run().unwrap();
    bank.is_done(&report);
    let choice = report.choice.clone().expect("it was chosen");
    assert_eq!(report.engine, choice.engine.to_string());
    assert!(report.to_string().contains(&choice.reason), "{report}");
    let refused: Vec<_> = choice.trials.iter().filter(|trial| matches!(trial.ended, Ended::Refused(_))).collect();
    let [refused] = refused.as_slice() else { panic!("one does not fit\n{choice}") };
    assert_eq!((refused.engine.name(), refused.rows), ("jvstm", 0));
    assert!(choice.to_string().contains("refused: not enough device memory"), "{choice}");
    // How fast each is depends on what else the host does; a further round is for those that bear comparison.
    let best = choice.trials.iter().map(Trial::rate).fold(0.0, f64::max);
    let hopeless = |trial: &Trial| matches!(trial.ended, Ended::Measured) && trial.rate() * PATIENCE < best;
    let further = |trial: &Trial| trial.round == 2 || matches!(trial.ended, Ended::GivenUp(_)) || hopeless(trial);
    assert!(choice.trials.iter().any(further), "{choice}");
    let tried: u64 = choice.trials.iter().map(|trial| trial.warm_up + trial.rows).sum();
    assert!(tried > 0 && tried <= ROWS as u64 / 3, "{choice}");
    assert!(choice.trials.iter().all(|trial| trial.committed <= trial.rows), "{choice}");
    assert!(report.times.kernel >= choice.trials.iter().map(|trial| trial.kernel).sum(), "{report}");

    let file = tempfile::NamedTempFile::new().unwrap();
    choice.save(file.path()).unwrap();
    let mut again = Bank::new(&device);
    let loaded = Choice::load(file.path()).unwrap();
    assert_eq!(loaded, choice);
    let report = again.table.engine(&loaded).run().unwrap();
    again.is_done(&report);
    assert_eq!((report.engine, report.choice), (loaded.engine.to_string(), Some(choice)));
}

#[test]
fn a_table_that_no_candidate_can_run_is_the_error_of_the_first() {
    let device = Device::emulated(options()).unwrap();
    let mut bank = Bank::new(&device);
    let two = ["jvstm(versions=256)", "jvstm(versions=255)"].map(|name| name.parse().unwrap());
    let error = bank.table.engine(Selection::among(two)).run().unwrap_err();
    assert!(matches!(error, Error::Gpu(GpuError::OutOfMemory { needed: 4_112_000, .. })), "{error}");
    assert_eq!(bank.accounts.to_vec().unwrap(), [START; ACCOUNTS]);
}

#[test]
fn outcomes_come_back_to_their_rows_whoever_ran_them() {
    let device = Device::emulated(EmulatorOptions::threads()).unwrap();
    let counters: Vec<u8> = (0..16_000_u32).map(|at| (at % 200) as u8).collect();
    let region = device.shared(&counters).unwrap();
    let mut table =
        device.engine(Selection::among(["priority", "serial"].map(|n| n.parse().unwrap()))).unwrap().table();
    let index = |row: i32| if row % 1000 == 7 { -1 } else { row };
    let tickets: Vec<_> = (0..16_000).map(|row| table.push(bump(&region, index(row), (row % 5) as u8))).collect();
    let report = table.piece_rows(500).profile(true).run().unwrap();
    for (row, ticket) in tickets.into_iter().enumerate() {
        match report.outcome(ticket) {
            Outcome::Faulted(fault) => assert_eq!((fault.row, row % 1000), (row, 7)),
            Outcome::Rejected(code) => assert_eq!((code, row % 5), (7, 0)),
            Outcome::Committed(before) => assert_eq!(before, counters[row], "row {row}"),
            Outcome::Unresolved(why) => panic!("row {row}: {why}\n{report}"),
        }
    }
    assert_eq!((report.faulted, report.rejected), (16, 3200), "{report}");
    let choice = report.choice.expect("it was chosen");
    assert!(choice.trials.iter().all(|trial| trial.warm_up + trial.rows <= 500), "{choice}");
}

#[test]
fn other_shapes_are_tried_where_the_rows_suffice() {
    // So many threads that fewer are a shape too.
    let device = Device::emulated(EmulatorOptions { threads: 128, ..EmulatorOptions::threads() }).unwrap();
    let mut bank = Bank::new(&device);
    let begin = Instant::now();
    let report = bank.table.engine(Selection::among([Engine::default()])).run().unwrap();
    bank.is_done(&report);
    let choice = report.choice.expect("it was chosen");
    let rounds: Vec<_> = choice.trials.iter().map(|trial| (trial.round, trial.threads)).collect();
    // The usual shape again, because its first piece was short.
    assert!(rounds == [(1, 128), (3, 128), (3, 32)] || begin.elapsed() > Duration::from_secs(1), "{choice}");
    assert!(choice.trials.iter().map(|trial| trial.warm_up + trial.rows).sum::<u64>() <= ROWS as u64 / 3, "{choice}");
}

#[test]
fn limits_hold_during_a_trial() {
    let device = Device::emulated(options()).unwrap();
    let mut bank = Bank::new(&device);
    bank.table.engine(engines()).time_limit(Duration::ZERO);
    let late = bank.table.run().unwrap();
    assert_eq!((late.committed, late.outcome(bank.stuck[0])), (0, Outcome::Unresolved(Why::TimeLimit)), "{late}");
    assert!(late.choice.is_some(), "{late}");
    // Told after the first launch, which is one of a trial.
    let stop = Arc::new(AtomicBool::new(false));
    bank.table.time_limit(Duration::from_secs(600)).stop_when(stop.clone());
    bank.table.progress(move |_| stop.store(true, Ordering::Relaxed));
    let stopped = bank.table.run().unwrap();
    assert_eq!(stopped.outcome(bank.stuck[1]), Outcome::Unresolved(Why::Stopped), "{stopped}");
    assert!(stopped.committed < ROWS as u64 / 10 && stopped.choice.is_some(), "{stopped}");

    bank.table.stop_when(Arc::default()).pass_limit(2);
    let report = bank.table.run().unwrap();
    assert!(report.passes <= 2, "{report}");
    assert_eq!(report.outcome(bank.stuck[0]), Outcome::Unresolved(Why::PassLimit), "{report}");
    assert_eq!(bank.accounts.to_vec().unwrap().iter().sum::<i64>(), START * ACCOUNTS as i64);
}

#[test]
fn where_nothing_is_measured_the_report_says_why() {
    let emulated = Device::emulated(options()).unwrap();
    let few = |device: &Device, check: bool| {
        let device = device.engine(Engine::auto()).unwrap();
        let accounts = device.shared(&[5_i64; 4]).unwrap();
        let mut table = device.table();
        table.push(transfer(&accounts, 0, 1, 1));
        let report = table.check(check).run().unwrap();
        assert_eq!(report.committed, 1, "{report}");
        let choice = report.choice.expect("a choice was asked for");
        assert_eq!((choice.engine, choice.trials.len()), (Engine::default(), 0));
        choice.reason
    };
    assert!(few(&emulated, false).contains("this one has 1"));
    assert!(few(&emulated, true).contains("checked"));
    assert!(few(&Device::cpu(1), false).contains("one algorithm"));
    let empty = emulated.engine("auto").unwrap().table().run().unwrap();
    assert!(empty.choice.expect("a choice was asked for").reason.contains("empty"));
}

#[test]
fn what_a_candidate_leaves_goes_on_with_the_rest() {
    let device = Device::emulated(options()).unwrap();
    let gpu = GpuDevice::emulated(options()).unwrap();
    let bank = Bank::new(&device);
    let job = bank.table.job();
    let mut ledger = Ledger::new(&job).unwrap();
    let plan = Plan::of(Engine::default(), job.options);
    let mut slow = Run::prepare(&gpu, &mut ledger, plan, 5000).unwrap();
    // Each thread looks at the time after some rows.
    assert_eq!(slow.try_rows(0..5000, Duration::from_nanos(1)).unwrap(), End::Overdue);
    assert!(slow.ledger.finished < 5000);
    let mut rest = Run::prepare(&gpu, &mut ledger, plan, ROWS).unwrap();
    rest.work(5000).unwrap();
    assert_eq!((ledger.committed, ledger.pending().unwrap()), (ROWS as u64, vec![0, ROWS + 1]));
    assert_eq!(bank.accounts.to_vec().unwrap(), bank.expected);
}

#[test]
fn parameters_are_kept_apart_on_the_same_region() {
    let device = Device::emulated(options()).unwrap();
    let accounts = device.shared(&[1000_i64; 20]).unwrap();
    let mut bytes = Vec::new();
    for name in ["jvstm(versions=2, records=2)", "jvstm(versions=16)", "jvstm(versions=2, records=2)", "jvstm"] {
        let mut table = device.engine(name).unwrap().table();
        super::random_transfers(&mut table, &accounts, 300);
        let report = table.check(true).run().unwrap();
        assert_eq!((report.committed, report.serializable()), (300, Some(true)), "{report}");
        assert_eq!(report.engine, name.parse::<Engine>().unwrap().to_string());
        bytes.push(report.memory.locks);
    }
    assert_eq!(bytes[0], bytes[2]);
    assert_eq!(bytes[1] - bytes[3], 16 * 8 * 20);
    assert_eq!(accounts.to_vec().unwrap().iter().sum::<i64>(), 20_000);
}

#[test]
fn a_choice_can_have_fewer_lock_words_than_the_region() {
    let device = Device::emulated(options()).unwrap();
    let mut bank = Bank::new(&device);
    let all = ACCOUNTS as u64;
    for (times, coverage, locks) in [(1, None, 8 * all), (2, Some(8), all), (3, None, 8 * all)] {
        let mut choice = Choice::unmeasured(Engine::default(), "another device", "as told");
        choice.coverage = coverage;
        let report = bank.table.engine(choice).run().unwrap();
        assert_eq!((report.committed, report.memory.locks), (ROWS as u64, locks), "{report}");
        assert!(report.notes.iter().any(|note| note.contains("another device")), "{report}");
        // The table runs again on what it has left.
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
    assert_eq!((device.algorithm(*tuned), device.algorithm(other)), (tuned.to_string(), other.to_string()));
    assert_ne!(device.algorithm(*tuned), device.algorithm(other));
}
