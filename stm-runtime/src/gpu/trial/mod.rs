//! Autotuning: candidates take turns on the first transactions of the batch itself.
//!
//! Every chunk is real work. A chunk is serializable whichever engine runs it, and chunks run one after the other, so the whole
//! batch is. A transaction that a candidate leaves is pending and runs with the rest. There are three rounds: all engines on
//! short chunks, the best of them on long ones, and other shapes of the best of those.

pub(super) mod field;
mod sizes;

use std::ops::Range;
use std::time::{Duration, Instant};

use super::device::GpuDevice;
use crate::digits::grouped;
use crate::engine::Engine;
use crate::error::GpuError;
use crate::gpu::schedule::choice;
use crate::gpu::schedule::plan::Plan;
use crate::gpu::schedule::run::{End, Run, SLICE};
use crate::gpu::schedule::run_state::RunState;
use crate::outcome::UnresolvedReason;
use crate::tuning::{Selected, TrialStatus, Tuning, TuningTrial};
use field::{Candidate, FINALISTS, PATIENCE, best_first, drop_hopeless, keep, shapes, side_by_side};
use sizes::{Chunks, ROUNDS, Sizes, is_outgrown};

/// One in this number of a chunk's transactions warms up and is not measured.
const WARM_UP: usize = 8;
/// The minimum time before a candidate is given up: first launches are late, and short times are noise.
const SOONEST: Duration = Duration::from_millis(10);
/// The limit on all trials together, without compilation: this time or a fraction of the whole batch, whichever is more.
/// Past it, no trial begins.
const TIME: Duration = Duration::from_secs(1);
const PART_OF_BATCH: f64 = 0.1;

/// The plan of a run, and the progress that its trial made.
pub(super) struct Tried {
    pub(super) tuning: Option<Tuning>,
    pub(super) plan: Plan,
    /// The number of transactions that the trial has executed.
    pub(super) transactions: usize,
    /// The reason, if the run has already ended.
    pub(super) ended: Option<UnresolvedReason>,
}

/// Chooses the plan of a run; measures if requested and possible.
pub(super) fn settle(device: &GpuDevice, run_state: &mut RunState<'_>) -> Result<Tried, GpuError> {
    let (job, name) = (run_state.job, device.describe());
    let unmeasured = |why: &str| {
        let tuning = job.options.selection.unmeasured(&name, why);
        Tried { tuning, plan: choice::unmeasured(job), transactions: 0, ended: None }
    };
    let engines = match job.options.selection.get() {
        Selected::Engine(_) | Selected::Planned(_) => return Ok(unmeasured("")),
        Selected::Chosen(tuning) => {
            if tuning.device != name {
                let note = format!("the engine was chosen on another device: {}", tuning.device);
                run_state.output.notes.push(note);
            }
            return Ok(unmeasured(""));
        }
        Selected::Among(engines) => engines,
    };
    if job.options.check {
        return Ok(unmeasured("not measured: a checked run has the history of one engine"));
    }
    match Sizes::of(job.transactions, engines.len(), device.backend().limits()) {
        Ok(sizes) => Trials::new(device, run_state, sizes, engines[0]).run(engines),
        Err(needed) => Ok(unmeasured(&format!(
            "not measured: a trial takes a table of {} transactions or more, and this one has {}",
            grouped(needed as u64),
            grouped(job.transactions as u64)
        ))),
    }
}

struct Trials<'t, 'a> {
    device: &'t GpuDevice,
    run_state: &'t mut RunState<'a>,
    sizes: Sizes,
    /// The default engine, which runs unless another is better.
    usual: Engine,
    /// The first transaction that has not been executed.
    next: usize,
    list: Vec<TuningTrial>,
    /// Time of trials, without compilation, and without the time that launches took beyond their bounds: a slow candidate does
    /// not use up the others' time.
    spent: Duration,
    /// Commits per second of the best candidate so far.
    best: f64,
    /// Transactions of a long chunk.
    long: usize,
    /// The number of engines and shapes that were dropped unmeasured, or after a short chunk alone.
    left_out: usize,
    ended: Option<UnresolvedReason>,
}

impl<'t, 'a> Trials<'t, 'a> {
    fn new(device: &'t GpuDevice, run_state: &'t mut RunState<'a>, sizes: Sizes, usual: Engine) -> Trials<'t, 'a> {
        let (list, spent) = (Vec::new(), Duration::ZERO);
        Trials { device, run_state, sizes, usual, next: 0, list, spent, best: 0.0, long: 0, left_out: 0, ended: None }
    }

    fn run(mut self, engines: &[Engine]) -> Result<Tried, GpuError> {
        let options = self.run_state.job.options;
        let mut field: Vec<Candidate> =
            engines.iter().map(|engine| Candidate::new(Plan::of(*engine, options))).collect();
        self.round(1, &mut field, self.sizes.probe(engines.len()), 0.0)?;
        let mut winner = drop_hopeless(&mut field, self.usual);
        let threads = field.iter().map(Candidate::threads).max().unwrap_or(0);
        let chunks = Chunks::of(self.sizes.left(self.next), self.best, threads);
        self.long = chunks.long;

        self.at_length(&mut field, engines.len(), chunks)?;
        winner = field.first().copied().or(winner);
        self.shapes(&mut field, chunks)?;
        winner = field.first().copied().or(winner);
        Ok(self.conclude(winner, engines))
    }

    /// Runs the second round: the engines that are not hopeless, as many as there are long chunks for. Leaves no candidates where
    /// there
    /// are transactions for none, unless only one is left.
    fn at_length(&mut self, field: &mut Vec<Candidate>, engines: usize, chunks: Chunks) -> Result<(), GpuError> {
        let left = self.sizes.left(self.next);
        self.left_out += keep(field, self.usual, chunks.engines(engines, left));
        // A single candidate needs no comparison.
        if field.len() < 2 {
            return Ok(());
        }
        if left == 0 {
            field.clear();
            return Ok(());
        }
        // Run the default engine last: array layouts then already match if it wins.
        field.sort_by_key(|candidate| candidate.plan.engine == self.usual);
        self.round(2, field, chunks.transactions(left / 2, field.len(), self.best), 0.0)
    }

    /// Runs the third round: other shapes of the best candidates, the winner's first, and the best themselves if their chunks were
    /// shorter.
    fn shapes(&mut self, field: &mut Vec<Candidate>, chunks: Chunks) -> Result<(), GpuError> {
        let (left, job) = (self.sizes.left(self.next), self.run_state.job);
        field.truncate(FINALISTS);
        let mut others: Vec<Candidate> = field.iter().flat_map(|candidate| shapes(candidate, job)).collect();
        let (all, room) = (others.len(), chunks.room(left));
        let transactions = |candidates: usize| chunks.transactions(left, candidates.min(room), self.best);
        let known = field.iter().map(|candidate| candidate.transactions).min().unwrap_or(0);
        let mut alike = Vec::new();
        if is_outgrown(known, transactions(all)) {
            others.splice(..0, field.iter().copied());
        } else {
            alike.clone_from(field);
        }
        self.left_out += others.len().saturating_sub(room).min(all);
        others.truncate(room);
        // A single candidate needs no comparison.
        if others.len() + alike.len() > 1 && !others.is_empty() {
            let transactions = transactions(others.len());
            let best = alike.first().and_then(|candidate| candidate.rate).unwrap_or(0.0);
            self.round(3, &mut others, transactions, best)?;
            alike.append(&mut others);
            best_first(&mut alike);
            *field = alike;
        }
        Ok(())
    }

    /// Measures every candidate on a chunk of that many transactions, and keeps those that have a rate, the best first. `best` is
    /// the
    /// rate of competing candidates.
    fn round(
        &mut self,
        round: u32,
        field: &mut Vec<Candidate>,
        transactions: usize,
        mut best: f64,
    ) -> Result<(), GpuError> {
        side_by_side(field);
        for candidate in field.iter_mut() {
            if self.ended.is_some() {
                break;
            }
            // No candidate may win only because there was no time for the default engine.
            if self.is_late(if candidate.plan.engine == self.usual { ROUNDS } else { round }) {
                if round == 1 {
                    let ended = TrialStatus::GivenUp("the time for trials was over".into());
                    self.list.push(TuningTrial { ended, ..new_trial(&candidate.plan, round) });
                }
                candidate.rate = None;
                continue;
            }
            self.measure(candidate, round, transactions, best)?;
            best = candidate.rate.unwrap_or(0.0).max(best);
        }
        self.best = self.best.max(best);
        best_first(field);
        Ok(())
    }

    /// Returns whether the time of the round is over. Each round has an equal share, and the time that earlier ones left.
    fn is_late(&self, round: u32) -> bool {
        let whole = if self.best > 0.0 { self.run_state.job.transactions as f64 / self.best } else { 0.0 };
        let all = TIME.as_secs_f64().max(PART_OF_BATCH * whole);
        self.spent.as_secs_f64() > all * f64::from(round) / f64::from(ROUNDS)
    }

    /// Measures a candidate on the next transactions, for at most a multiple of the time of the round's best.
    fn measure(
        &mut self,
        candidate: &mut Candidate,
        round: u32,
        transactions: usize,
        best: f64,
    ) -> Result<(), GpuError> {
        let (begin, compiled) = (Instant::now(), self.run_state.output.times.compile);
        let mut beyond = Duration::ZERO;
        let bound = bound(transactions, if best > 0.0 { best } else { candidate.rate.unwrap_or(0.0) });
        (candidate.rate, candidate.transactions) = (None, 0);
        let mut trial = new_trial(&candidate.plan, round);
        match Run::prepare(self.device, self.run_state, candidate.plan, transactions) {
            Ok(mut run) => {
                (candidate.request, trial.threads, trial.lanes) =
                    (Some(run.request), run.geometry.threads(), run.geometry.lanes);
                let transactions = transactions.min(run.capacity());
                candidate.transactions = transactions;
                let end = attempt(&mut run, self.next..self.next + transactions, bound, &mut trial)?;
                run.collect_profile()?;
                beyond = run.kernel.saturating_sub(2 * bound);
                self.next += (trial.warm_up + trial.transactions) as usize;
                trial.ended = self.judge(end, bound, trial.rate() * PATIENCE < best);
            }
            Err(error) if is_refusal(&error) => trial.ended = TrialStatus::Refused(first_line(&error.to_string())),
            Err(error) => return Err(error),
        }
        trial.compile = self.run_state.output.times.compile - compiled;
        self.spent += begin.elapsed().saturating_sub(trial.compile + beyond);
        candidate.rate = (trial.ended == TrialStatus::Measured && trial.committed > 0).then(|| trial.rate());
        self.list.push(trial);
        Ok(())
    }

    /// Returns the status of a candidate after its chunk, and whether the run ends.
    fn judge(&mut self, end: End, bound: Duration, is_slow: bool) -> TrialStatus {
        match end {
            // Its transactions have reached the pass limit.
            End::Done | End::Stuck | End::Few | End::Slow | End::Visited | End::Limit(UnresolvedReason::PassLimit) => {
                TrialStatus::Measured
            }
            // If chunks take long for all candidates, a part of one is a sufficient measurement.
            End::Overdue if !is_slow => TrialStatus::Measured,
            End::Overdue => TrialStatus::GivenUp(format!("not done after {:.1} ms", 1e3 * bound.as_secs_f64())),
            End::Limit(why) => {
                self.ended = Some(why);
                TrialStatus::GivenUp(why.to_string())
            }
        }
    }

    fn conclude(self, winner: Option<Candidate>, engines: &[Engine]) -> Tried {
        let job = self.run_state.job;
        let can_run = |engine: &&Engine| {
            !self.list.iter().any(|trial| trial.engine == **engine && matches!(trial.ended, TrialStatus::Refused(_)))
        };
        // The first engine that may run the batch; if none may, the first of all returns the reason.
        let usual = engines.iter().find(can_run).unwrap_or(&engines[0]);
        let plan = winner.map_or(Plan::of(*usual, job.options), |candidate| candidate.plan);
        let reason = self.reason(winner.as_ref());
        let tuning = Tuning {
            engine: plan.engine,
            threads: plan.threads,
            lanes: plan.lanes,
            coverage: (plan.coverage_log2 > 0).then(|| 1 << plan.coverage_log2),
            reason,
            device: self.device.describe(),
            trials: self.list,
        };
        Tried { tuning: Some(tuning), plan, transactions: self.next, ended: self.ended }
    }

    /// Returns the basis of the tuning. The rate is that of a chunk, as the text says: postponed transactions come at the end of a
    /// batch.
    fn reason(&self, winner: Option<&Candidate>) -> String {
        let (trials, transactions) = (self.list.len(), grouped(self.next as u64));
        let Some((winner, rate)) = winner.and_then(|candidate| Some((candidate, candidate.rate?))) else {
            return format!("the usual one: nothing was measured in {trials} trials on {transactions} transactions");
        };
        let (rate, chunk) = (rate / 1e6, grouped(winner.transactions as u64));
        let mut text = format!(
            "the fastest of {trials} trials on the first {transactions} transactions, {rate:.3} million commits a second on {chunk} of \
             them, which is not the rate of the batch"
        );
        if winner.transactions < self.long {
            let long = grouped(self.long as u64);
            text += &format!("; chunks of {long} would tell more, and the batch is too small for them");
        }
        if self.left_out > 0 {
            text += &format!("; engines or shapes left out for longer trials of these: {}", self.left_out);
        }
        text
    }
}

/// Returns a trial that has not begun.
fn new_trial(plan: &Plan, round: u32) -> TuningTrial {
    TuningTrial {
        engine: plan.engine,
        threads: 0,
        lanes: 0,
        coverage: (plan.coverage_log2 > 0).then(|| 1 << plan.coverage_log2),
        round,
        warm_up: 0,
        transactions: 0,
        committed: 0,
        kernel: Duration::ZERO,
        compile: Duration::ZERO,
        ended: TrialStatus::Measured,
    }
}

/// Runs a chunk: its first transactions unmeasured, because caches, clocks and code are cold, and then the others.
fn attempt(
    run: &mut Run<'_, '_>,
    transactions: Range<usize>,
    bound: Duration,
    trial: &mut TuningTrial,
) -> Result<End, GpuError> {
    let warm = transactions.start + transactions.len() / WARM_UP;
    let end = try_transactions(run, transactions.start..warm, bound, trial)?;
    if let End::Limit(UnresolvedReason::Stopped | UnresolvedReason::TimeLimit) | End::Overdue = end {
        // There is no other measurement.
        return Ok(end);
    }
    trial.warm_up = trial.transactions;
    try_transactions(run, warm..transactions.end, bound, trial)
}

/// Runs transactions, and records the result.
fn try_transactions(
    run: &mut Run<'_, '_>,
    transactions: Range<usize>,
    bound: Duration,
    trial: &mut TuningTrial,
) -> Result<End, GpuError> {
    trial.transactions = transactions.len() as u64;
    let (committed, kernel) = (run.run_state.committed, run.kernel);
    let end = run.try_transactions(transactions, bound)?;
    trial.committed = run.run_state.committed - committed;
    trial.kernel = run.kernel - kernel;
    Ok(end)
}

/// Returns the time limit of a chunk, given the rate of another candidate.
fn bound(transactions: usize, rate: f64) -> Duration {
    if rate > 0.0 {
        Duration::try_from_secs_f64(PATIENCE * transactions as f64 / rate).unwrap_or(TIME).clamp(SOONEST, TIME)
    } else {
        // The limits of the run are checked as often.
        SLICE
    }
}

/// Returns whether the engine cannot run this batch while another may. All other errors are trouble with the device.
fn is_refusal(error: &GpuError) -> bool {
    !matches!(
        error,
        GpuError::ContextLost { .. }
            | GpuError::Driver { .. }
            | GpuError::DriverIncomplete { .. }
            | GpuError::NoNvrtc { .. }
            | GpuError::Nvrtc { .. }
            | GpuError::Emulator { .. }
            | GpuError::Parameters { .. }
            | GpuError::NotOneParameter
    )
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_has_time_by_the_best_of_its_round() {
        assert_eq!(bound(1000, 0.0), SLICE);
        assert_eq!(bound(1000, 1e9), SOONEST);
        assert_eq!(bound(1000, 1e4), Duration::from_millis(400));
        assert_eq!(bound(usize::MAX, 1e-300), TIME);
    }

    #[test]
    fn trouble_with_the_device_is_no_refusal() {
        let lost = GpuError::ContextLost { name: "name".into(), text: "text".into() };
        let full = GpuError::OutOfMemory { what: "arrays", needed: 2, free: 1 };
        assert!(!is_refusal(&lost) && is_refusal(&full));
    }
}
