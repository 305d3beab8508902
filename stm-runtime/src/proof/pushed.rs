//! Runs a batch one transaction at a time in push order, round by round, and compares everything with the run.
//!
//! It follows the definition of [`Order::Pushed`](crate::Order::Pushed), and attempts each waiting transaction in each round.

use super::objection::Objection;
use super::replay::{Replay, recorded};
use crate::backend::Job;
use crate::memory;
use crate::outcome::history::WHAT;
use crate::outcome::{RunOutput, UnresolvedReason};
use crate::reference::TransactionEnd;
use crate::stack::with_stack;

pub(super) fn replay(
    job: &Job<'_>,
    output: &RunOutput,
    initial: Vec<Vec<u64>>,
    last: &[Vec<u64>],
) -> Result<Vec<u32>, Objection> {
    with_stack(job, || in_rounds(&mut Replay::new(job, output, initial)?, last)).map_err(Objection::Failed)?
}

/// Returns the transactions in the order in which they ended.
fn in_rounds(replay: &mut Replay<'_, '_>, last: &[Vec<u64>]) -> Result<Vec<u32>, Objection> {
    let mut waiting: Vec<usize> = (0..replay.job.transactions).collect();
    let (mut is_over, mut order) = (false, Vec::new());
    loop {
        let (mut has_changed, mut still) = (false, Vec::new());
        for transaction in waiting {
            let ended = if is_over { TransactionEnd::Postponed } else { replay.run(transaction)? };
            if ended == TransactionEnd::Postponed {
                still.push(transaction);
            } else if has_ended_before(replay, transaction) {
                replay.executor.take_back();
                is_over = true;
                still.push(transaction);
            } else {
                replay.compare(transaction, ended)?;
                has_changed |= ended == TransactionEnd::Committed;
                memory::push(WHAT, &mut order, transaction as u32)?;
            }
        }
        waiting = still;
        if is_over || !has_changed {
            break;
        }
    }
    for transaction in waiting {
        if mutant!("proof: what push order leaves waiting may commit", true, false) {
            replay.compare(transaction, TransactionEnd::Postponed)?;
        }
    }
    replay.same_values(last)?;
    Ok(order)
}

/// Returns whether the run had ended, by a limit, before the turn of a transaction.
fn has_ended_before(replay: &Replay<'_, '_>, transaction: usize) -> bool {
    let is_limited = replay.output.unresolved_reason != UnresolvedReason::GuardNeverHeld;
    is_limited && recorded(replay.output, transaction) == TransactionEnd::Postponed
}

#[cfg(all(any(test, feature = "mutation"), not(loom)))]
pub(crate) mod tests {
    use crate::backend::JobOptions;
    use crate::outcome::{COMMITTED, Entry, History, POSTPONED, RunOutput, UnresolvedReason};
    use crate::proof::judge_pushed;
    use crate::proof::tests::{history, judged, read, write};
    use crate::test_procedures::{transfer, withdraw};
    use crate::{Batch, Device};

    hunted! {
        another_order_is_refused
        only_a_limit_ends_a_run_before_its_end
        what_waits_at_the_end_has_not_committed
    }

    /// Returns whether a run of a batch on one account is accepted for any order, and for push order.
    fn is_accepted(
        batch: &Batch<'_>,
        output: &RunOutput,
        history: &History,
        [before, after]: [u64; 2],
    ) -> (bool, bool) {
        let options = JobOptions::default();
        let (job, initial, last) = (batch.job(&options), || vec![vec![before]], [vec![after]]);
        let pushed = judge_pushed(&job, output, initial(), &last).expect("there should be memory for a small proof");
        (judged(&job, output, history, initial(), &last).holds(), pushed.holds())
    }

    fn entries(version: u64) -> [Entry; 2] {
        [read(0, version), write(0, version + 1)]
    }

    /// Returns withdrawals of these amounts from one account.
    fn withdrawals(amounts: &[i64]) -> Batch<'static> {
        let device = Device::cpu(1);
        let accounts = device.shared(&[0_i64]).unwrap();
        let mut batch = device.batch();
        amounts.iter().for_each(|amount| _ = batch.push(withdraw::call(&accounts, 0, *amount)));
        batch
    }

    #[cfg_attr(test, test)]
    fn another_order_is_refused() {
        let batch = withdrawals(&[1, 2]);
        let output = |results: [u64; 2]| RunOutput {
            status: vec![COMMITTED; 2].into(),
            results: results.to_vec(),
            ..RunOutput::default()
        };
        let (in_order, reversed) = ([entries(0), entries(1)], [entries(1), entries(0)]);
        let accepted = |entries: [[Entry; 2]; 2], results| {
            is_accepted(&batch, &output(results), &history(&[&entries[0], &entries[1]]), [10, 7])
        };
        assert_eq!(accepted(in_order, [9, 7]), (true, true));
        assert_eq!(accepted(reversed, [7, 8]), (true, false));
    }

    #[cfg_attr(test, test)]
    fn only_a_limit_ends_a_run_before_its_end() {
        let batch = withdrawals(&[1, 2, 3]);
        for (done, why, is_right) in [
            (0, UnresolvedReason::PassLimit, true),
            (0, UnresolvedReason::GuardNeverHeld, false),
            (1, UnresolvedReason::PassLimit, false),
        ] {
            let (mut status, mut results) = (vec![POSTPONED; 3], vec![0; 3]);
            status[done] = COMMITTED;
            results[done] = 9 - done as u64;
            let output = RunOutput { status: status.into(), results, unresolved_reason: why, ..RunOutput::default() };
            let mut one = History::new(true);
            one.push(done, entries(0)).unwrap();
            let accepted = is_accepted(&batch, &output, &one, [10, 9 - done as u64]);
            assert_eq!(accepted, (why == UnresolvedReason::PassLimit, is_right), "{done}, {why:?}");
        }
    }

    #[cfg_attr(test, test)]
    fn what_waits_at_the_end_has_not_committed() {
        let device = Device::cpu(1);
        let accounts = device.shared(&[0_i64]).unwrap();
        let mut batch = device.batch();
        batch.push(transfer::call(&accounts, 0, 0, 5));
        let output = |status| RunOutput { status: vec![status].into(), ..RunOutput::default() };
        assert_eq!(is_accepted(&batch, &output(POSTPONED), &history(&[]), [4, 4]), (true, true));
        assert_eq!(is_accepted(&batch, &output(COMMITTED), &history(&[&entries(0)]), [4, 4]), (false, false));
    }
}
