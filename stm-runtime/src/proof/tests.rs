//! Hand-made bad histories, and good ones from real runs, corrupted in every way that an engine could corrupt them.

use super::{Dependency, Place, Proof, Violation, judge};
use crate::backend::{Job, JobOptions};
use crate::outcome::UnresolvedReason;
use crate::outcome::{COMMITTED, Entry, FAULTED, History, POSTPONED, REJECTED, RunOutput};
use crate::test_procedures::{audit, deposit, skew, tour, transfer, withdraw};
use crate::{Batch, Device};

hunted! {
    a_version_written_twice_is_a_lost_update
    two_writers_from_one_version_are_a_lost_update
    write_skew_is_a_cycle
    a_torn_snapshot_is_a_cycle
    a_read_that_changes_within_a_transaction_is_a_cycle
    a_missing_version_is_a_gap_where_versions_are_dense
    a_version_that_was_never_written_cannot_be_read
    transactions_are_in_the_history_once_and_finished
    long_cycles_are_found_and_reported_short
    real_runs_pass
    a_stale_read_is_caught_wherever_it_is
    exchanged_and_copied_versions_are_caught
    every_component_of_a_result_is_compared
    every_element_is_compared
    aborted_transactions_have_not_written
    an_unfinished_transaction_has_no_history
    wrong_results_values_and_outcomes_are_caught
    a_guard_that_holds_at_the_end_is_caught
    several_elements_under_one_lock_word_are_one_write
}

/// The transactions of a real run, and the number of times that one is corrupted; fewer under Miri.
const TRANSACTIONS: u32 = if cfg!(miri) { 50 } else { 2000 };
const SPOILED: usize = if cfg!(miri) { 2 } else { 200 };

/// Returns deposits of 1 into two accounts with 0: transaction `i` into account `i % 2`.
fn deposits(n: u32) -> Batch<'static> {
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 2]).unwrap();
    let mut batch = device.batch();
    for i in 0..n {
        batch.push(deposit::call(&accounts, i % 2, 1));
    }
    batch
}

/// Returns two transactions of `skew`, each reading the element that the other writes.
fn crosswise() -> Batch<'static> {
    let device = Device::cpu(1);
    let cells = device.shared(&[0_u32; 2]).unwrap();
    let mut batch = device.batch();
    batch.push(skew::call(&cells, 0, 1));
    batch.push(skew::call(&cells, 1, 0));
    batch
}

fn all_committed(transactions: usize) -> RunOutput {
    RunOutput { status: vec![COMMITTED; transactions].into(), results: vec![0; transactions], ..RunOutput::default() }
}

pub(super) fn history(transactions: &[&[Entry]]) -> History {
    let mut history = History::new(true);
    transactions
        .iter()
        .enumerate()
        .for_each(|(transaction, entries)| history.push(transaction, entries.iter().copied()).unwrap());
    history
}

pub(super) fn judged(
    job: &Job<'_>,
    output: &RunOutput,
    history: &History,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Proof {
    judge(job, output, history, initial, last).expect("there should be memory for a small proof")
}

pub(super) fn read(lock: u64, version: u64) -> Entry {
    Entry::read(0, lock, version)
}

pub(super) fn write(lock: u64, version: u64) -> Entry {
    Entry::write(0, lock, version)
}

/// Returns the verdict on a hand-made history, where the graph decides before any replay.
fn violation(batch: &Batch, history: &History) -> Violation {
    let options = JobOptions::default();
    let job = batch.job(&options);
    let output = all_committed(job.transactions);
    let proof = judged(&job, &output, history, vec![vec![0; 2]], &[vec![0; 2]]);
    assert_eq!(proof.order(), []);
    proof.violation().expect("the history should be refused").clone()
}

fn cycle_of(violation: Violation) -> Vec<(usize, Dependency)> {
    match violation {
        Violation::Cycle { steps } => steps.into_iter().map(|step| (step.transaction, step.dependency)).collect(),
        other => panic!("{other}"),
    }
}

#[cfg_attr(test, test)]
fn a_version_written_twice_is_a_lost_update() {
    let lost = history(&[&[read(0, 0), write(0, 1)], &[read(0, 0), write(0, 1)]]);
    assert_eq!(
        violation(&deposits(2), &lost),
        Violation::WrittenTwice { place: Place { array: 0, index: 0 }, version: 1, transactions: [0, 1] }
    );
}

#[cfg_attr(test, test)]
fn two_writers_from_one_version_are_a_lost_update() {
    let lost = history(&[&[read(0, 0), write(0, 1)], &[read(0, 0), write(0, 2)]]);
    let cycle = cycle_of(violation(&deposits(2), &lost));
    assert_eq!(cycle.len(), 2);
    assert!(cycle.contains(&(1, Dependency::ReadWrite)), "{cycle:?}");
}

#[cfg_attr(test, test)]
fn write_skew_is_a_cycle() {
    let skewed = history(&[&[read(0, 0), read(1, 0), write(1, 1)], &[read(1, 0), read(0, 0), write(0, 1)]]);
    let mut cycle = cycle_of(violation(&crosswise(), &skewed));
    cycle.sort_by_key(|(transaction, _)| *transaction);
    assert_eq!(cycle, [(0, Dependency::ReadWrite), (1, Dependency::ReadWrite)]);
}

#[cfg_attr(test, test)]
fn a_torn_snapshot_is_a_cycle() {
    // Transaction 0 writes both; transaction 1 reads one of them old and the other new.
    let torn = history(&[&[write(0, 1), write(1, 1)], &[read(0, 0), read(1, 1)]]);
    let mut cycle = cycle_of(violation(&crosswise(), &torn));
    cycle.sort_by_key(|(transaction, _)| *transaction);
    assert_eq!(cycle, [(0, Dependency::WriteRead), (1, Dependency::ReadWrite)]);
}

#[cfg_attr(test, test)]
fn a_read_that_changes_within_a_transaction_is_a_cycle() {
    let changed = history(&[&[write(0, 1)], &[read(0, 0), read(0, 1)]]);
    assert_eq!(cycle_of(violation(&deposits(2), &changed)).len(), 2);
}

#[cfg_attr(test, test)]
fn a_missing_version_is_a_gap_where_versions_are_dense() {
    let mut gap = history(&[&[read(0, 0), write(0, 1)], &[read(0, 1), write(0, 3)]]);
    assert_eq!(
        violation(&deposits(2), &gap),
        Violation::Gap { place: Place { array: 0, index: 0 }, version: 2, next: 1 }
    );
    gap.dense = false;
    assert!(!matches!(violation(&deposits(2), &gap), Violation::Gap { .. }));
}

#[cfg_attr(test, test)]
fn a_version_that_was_never_written_cannot_be_read() {
    let ghost = history(&[&[read(1, 7)], &[]]);
    assert_eq!(
        violation(&deposits(2), &ghost),
        Violation::NeverWritten { place: Place { array: 0, index: 1 }, version: 7, transaction: 0 }
    );
}

#[cfg_attr(test, test)]
fn transactions_are_in_the_history_once_and_finished() {
    let batch = deposits(2);
    let what = |history: &History| match violation(&batch, history) {
        Violation::Incomplete { transaction, .. } => transaction,
        other => panic!("{other}"),
    };
    assert_eq!(what(&history(&[&[]])), 1);
    let mut twice = history(&[&[], &[]]);
    twice.push(0, []).unwrap();
    assert_eq!(what(&twice), 0);
    let mut beyond = history(&[&[], &[]]);
    beyond.push(5, []).unwrap();
    assert_eq!(what(&beyond), 5);
}

#[cfg_attr(test, test)]
fn long_cycles_are_found_and_reported_short() {
    // A cycle of write-write edges after a long tail that is not part of it.
    let n = 50;
    let device = Device::cpu(1);
    let accounts = device.shared(&[0_i64; 60]).unwrap();
    let mut batch = device.batch();
    for i in 0..n + 3 {
        batch.push(deposit::call(&accounts, i, 1));
    }
    let mut ring = History::new(false);
    for i in 0..u64::from(n) {
        ring.push(i as usize, [write(i, 2), write((i + 1) % u64::from(n), 1)]).unwrap();
    }
    let n = n as usize;
    ring.push(n, [read(0, 2), write(50, 1)]).unwrap();
    ring.push(n + 1, [read(50, 1), write(51, 1)]).unwrap();
    ring.push(n + 2, [read(51, 1)]).unwrap();
    let cycle = cycle_of(violation(&batch, &ring));
    assert_eq!(cycle.len(), n);
    assert!(cycle.iter().all(|(transaction, why)| *transaction < n && *why == Dependency::WriteWrite));
}

/// A real run, kept so that it can be checked again after it has been corrupted.
struct RecordedRun {
    batch: Batch<'static>,
    output: RunOutput,
    history: History,
    initial: Vec<Vec<u64>>,
    last: Vec<Vec<u64>>,
}

impl RecordedRun {
    /// Returns a run with every kind of outcome under contention, on three threads.
    fn new(seed: u32) -> RecordedRun {
        let device = Device::cpu(3);
        let accounts = device.shared(&[20_i64; 5]).unwrap();
        let mut batch = device.batch();
        for i in 0..TRANSACTIONS {
            let n = i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8;
            let (from, to) = (n % 5, (n % 5 + 1 + n / 7 % 4) % 5);
            match n % 11 {
                0 => batch.push(audit::call(&accounts, 0, 5)).transaction(),
                1 => batch.push(withdraw::call(&accounts, from, 15)).transaction(),
                2 => batch.push(deposit::call(&accounts, to + n % 2 * 4, 9)).transaction(),
                3 => batch.push(audit::call(&accounts, 2, 9)).transaction(),
                _ => batch.push(transfer::call(&accounts, from, to, i64::from(n % 20))).transaction(),
            };
        }
        batch.push(transfer::call(&accounts, 0, 1, i64::MAX));
        let checked = JobOptions { check: true, ..JobOptions::default() };
        let (initial, output, last) = {
            let job = batch.job(&checked);
            let initial = batch.words().unwrap();
            (initial, device.backend().run(&job, None).unwrap(), batch.words().unwrap())
        };
        let history = output.history.clone().unwrap();
        RecordedRun { batch, output, history, initial, last }
    }

    fn judge(&self) -> Proof {
        judged(&self.batch.job(&JobOptions::default()), &self.output, &self.history, self.initial.clone(), &self.last)
    }

    /// Returns the index in the history of the `n`-th transaction that satisfies `fits`.
    fn pick(&self, n: usize, fits: impl Fn(&[Entry]) -> bool) -> usize {
        let fitting: Vec<usize> = (0..self.history.len()).filter(|i| fits(self.history.entries(*i))).collect();
        fitting[n % fitting.len()]
    }

    /// Replaces one entry of the `i`-th finished transaction.
    fn replace(&mut self, i: usize, at: usize, with: Entry) {
        let mut changed = History::new(self.history.dense);
        for j in 0..self.history.len() {
            let entries = self.history.entries(j).iter().enumerate();
            let entries = entries.map(|(k, entry)| if (j, k) == (i, at) { with } else { *entry });
            changed.push(self.history.transaction(j), entries).unwrap();
        }
        self.history = changed;
    }

    fn transaction_with(&self, status: u8) -> usize {
        self.output.status.iter().position(|s| *s == status).expect("the batch should have such an outcome")
    }
}

#[cfg_attr(test, test)]
fn real_runs_pass() {
    for seed in 0..if cfg!(miri) { 1 } else { 10 } {
        let run = RecordedRun::new(seed);
        assert_eq!(run.output.unresolved_reason, UnresolvedReason::GuardNeverHeld);
        assert!(run.judge().holds(), "seed {seed}: {}", run.judge());
    }
}

#[cfg_attr(test, test)]
fn a_stale_read_is_caught_wherever_it_is() {
    let mut run = RecordedRun::new(1);
    for n in 0..SPOILED {
        // A transaction that updates an element it has read, so that the version before is certainly wrong.
        let i = run.pick(7 * n, |entries| {
            let updates = |r: &Entry| entries.iter().any(|w| w.is_write() && w.location() == r.location());
            entries.first().is_some_and(|r| !r.is_write() && r.version() > 0 && updates(r))
        });
        let good = run.history.entries(i)[0];
        run.replace(i, 0, Entry::read(good.array(), good.lock(), 0));
        assert!(!run.judge().holds(), "history index {i}");
        run.replace(i, 0, good);
    }
    assert!(run.judge().holds());
}

#[cfg_attr(test, test)]
fn exchanged_and_copied_versions_are_caught() {
    let mut run = RecordedRun::new(2);
    for n in 0..SPOILED {
        let i = run.pick(3 * n, |entries| entries.iter().any(|entry| entry.is_write()));
        let at = run.history.entries(i).iter().position(|entry| entry.is_write()).unwrap();
        let good = run.history.entries(i)[at];
        let same = |entry: &Entry| entry.is_write() && entry.location() == good.location();
        let j = run.pick(3 * n + 1, |entries| entries.iter().any(same));
        if i == j {
            continue;
        }
        let other_at = run.history.entries(j).iter().position(same).unwrap();
        let other = run.history.entries(j)[other_at];
        run.replace(i, at, other);
        assert!(!run.judge().holds(), "copied from {j} to {i}");
        run.replace(j, other_at, good);
        assert!(!run.judge().holds(), "exchanged {j} and {i}");
        run.replace(i, at, good);
        run.replace(j, other_at, other);
    }
    assert!(run.judge().holds());
}

#[cfg_attr(test, test)]
fn every_component_of_a_result_is_compared() {
    let device = Device::cpu(1);
    let pairs = device.shared(&[(7_i64, 1_u8); 2]).unwrap();
    let mut batch = device.batch();
    (0..4).for_each(|_| _ = batch.push(tour::call(&pairs, 2, (1, true))));
    let checked = JobOptions { check: true, ..JobOptions::default() };
    let job = batch.job(&checked);
    let initial = batch.words().unwrap();
    let mut output = device.backend().run(&job, None).unwrap();
    let (history, last) = (output.history.take().unwrap(), batch.words().unwrap());
    assert!(judged(&job, &output, &history, initial.clone(), &last).holds());
    assert_eq!(output.results.len(), 3 * 4);
    for at in 0..output.results.len() {
        output.results[at] ^= 1;
        let proof = judged(&job, &output, &history, initial.clone(), &last);
        let Some(Violation::OtherOutcome { transaction, recorded, replayed }) = proof.violation() else {
            panic!("{proof}")
        };
        assert_eq!(*transaction, at % 4);
        assert!(recorded != replayed && recorded.matches("0x").count() == 3, "{recorded}");
        output.results[at] ^= 1;
    }
}

#[cfg_attr(test, test)]
fn every_element_is_compared() {
    let device = Device::cpu(2);
    let (one, other) = (device.shared(&[20_i64; 3]).unwrap(), device.shared(&[20_i64; 4]).unwrap());
    let mut batch = device.batch();
    for transaction in 0..40 {
        batch.push(deposit::call(&one, transaction % 3, 1));
        batch.push(deposit::call(&other, transaction % 4, 1));
    }
    let checked = JobOptions { check: true, ..JobOptions::default() };
    let job = batch.job(&checked);
    let initial = batch.words().unwrap();
    let mut output = device.backend().run(&job, None).unwrap();
    let (history, mut last) = (output.history.take().unwrap(), batch.words().unwrap());
    assert!(judged(&job, &output, &history, initial.clone(), &last).holds());
    for (array, index) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 3)] {
        last[array][index] ^= 1;
        let proof = judged(&job, &output, &history, initial.clone(), &last);
        assert!(
            matches!(proof.violation(), Some(Violation::OtherValue { array: r, index: i, .. }) if (*r, *i) == (array, index)),
            "{proof}"
        );
        last[array][index] ^= 1;
    }
}

#[cfg_attr(test, test)]
fn an_unfinished_transaction_has_no_history() {
    let batch = deposits(2);
    let output = RunOutput { status: vec![COMMITTED, POSTPONED].into(), ..all_committed(2) };
    let both = history(&[&[read(0, 0), write(0, 1)], &[read(1, 0)]]);
    let proof = judged(&batch.job(&JobOptions::default()), &output, &both, vec![vec![0; 2]], &[vec![1, 0]]);
    assert_eq!(
        proof.violation(),
        Some(&Violation::Incomplete { transaction: 1, what: "is in the history and not finished" })
    );
}

#[cfg_attr(test, test)]
fn aborted_transactions_have_not_written() {
    let batch = deposits(2);
    let options = JobOptions::default();
    let job = batch.job(&options);
    for status in [REJECTED, FAULTED] {
        let output = RunOutput { status: vec![COMMITTED, status].into(), ..all_committed(2) };
        let written = history(&[&[read(0, 0), write(0, 1)], &[read(1, 0), write(1, 1)]]);
        let proof = judged(&job, &output, &written, vec![vec![0; 2]], &[vec![1, 0]]);
        assert_eq!(
            proof.violation(),
            Some(&Violation::Incomplete { transaction: 1, what: "wrote and did not commit" })
        );
    }
}

#[cfg_attr(test, test)]
fn wrong_results_values_and_outcomes_are_caught() {
    let mut run = RecordedRun::new(3);
    let committed = run.transaction_with(COMMITTED);
    run.output.results[committed] ^= 1;
    assert!(matches!(run.judge().violation(), Some(Violation::OtherOutcome { .. })));
    run.output.results[committed] ^= 1;

    run.last[0][3] ^= 1;
    assert!(matches!(run.judge().violation(), Some(Violation::OtherValue { array: 0, index: 3, .. })));
    run.last[0][3] ^= 1;

    for (from, to) in [(REJECTED, FAULTED), (FAULTED, REJECTED), (REJECTED, COMMITTED)] {
        let transaction = run.transaction_with(from);
        run.output.status[transaction] = to;
        assert!(!run.judge().holds(), "{from} as {to}");
        run.output.status[transaction] = from;
    }
    let transaction = run.transaction_with(REJECTED);
    run.output.detail[transaction] += 1;
    assert!(matches!(run.judge().violation(), Some(Violation::OtherOutcome { .. })));
    run.output.detail[transaction] -= 1;

    let postponed = run.transaction_with(POSTPONED);
    run.output.status[postponed] = COMMITTED;
    assert!(matches!(run.judge().violation(), Some(Violation::Incomplete { .. })));
    run.output.status[postponed] = POSTPONED;
    assert!(run.judge().holds());
}

#[cfg_attr(test, test)]
fn a_guard_that_holds_at_the_end_is_caught() {
    let batch = deposits(2);
    let options = JobOptions::default();
    let job = batch.job(&options);
    let output = RunOutput { status: vec![COMMITTED, POSTPONED].into(), results: vec![0; 2], ..RunOutput::default() };
    let one = history(&[&[read(0, 0), write(0, 1)]]);
    let proof = judged(&job, &output, &one, vec![vec![0; 2]], &[vec![1, 0]]);
    assert_eq!(proof.violation(), Some(&Violation::GuardHolds { transaction: 1 }));
}

#[cfg_attr(test, test)]
fn several_elements_under_one_lock_word_are_one_write() {
    let device = Device::cpu(1);
    let accounts = device.shared_with(&[5_i64; 4], 4).unwrap();
    let mut batch = device.batch();
    batch.push(transfer::call(&accounts, 0, 1, 5));
    let options = JobOptions::default();
    let job = batch.job(&options);
    let both = history(&[&[read(0, 0), read(0, 0), write(0, 1), write(0, 1)]]);
    let output = all_committed(1);
    assert!(judged(&job, &output, &both, vec![vec![5; 4]], &[vec![0, 10, 5, 5]]).holds());
}
