//! The state of a batch's run from its first launch to its last, across engines.

use std::time::{Duration, Instant};

use kernels_gen::abi::counters::Counter;

use super::prediction::Demand;
use super::remembered;
use crate::backend::Job;
use crate::gpu::memory::ahead::AheadChunk;
use crate::gpu::memory::stayed::StayedResults;
use crate::gpu::memory::transactions::is_finished;
use crate::memory::{self, NoMemory};
use crate::outcome::{Conflicts, RunOutput, Statuses, Tally, UnresolvedReason};
use crate::progress::Progress;

/// The state of the batch, and the limits of the run.
pub(crate) struct RunState<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) begin: Instant,
    pub(crate) launches: u64,
    pub(crate) finished: u64,
    pub(crate) committed: u64,
    pub(crate) faulted: u64,
    /// The transactions that stages before executions have finished, and the time of these stages.
    pub(crate) in_stages: (u64, Duration),
    pub(crate) output: RunOutput,
    /// The results, where they stay on the device.
    pub(crate) stayed: Option<StayedResults>,
    /// The transactions, where they are on the device already.
    pub(crate) ahead: Option<AheadChunk>,
    /// What they ask of a place, once that is known.
    pub(crate) demand: Option<Demand>,
}

/// The counters of one launch.
pub(crate) struct Counts(pub(crate) Vec<u64>);

/// What the stages before the execution have left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visited {
    /// The transactions that are finished.
    pub(crate) finished: u64,
    /// Whether the status of every transaction is valid.
    pub(crate) has_statuses: bool,
    /// Whether some of them have details.
    pub(crate) has_details: bool,
}

impl Visited {
    /// No such stage ran.
    pub(crate) const NOTHING: Visited = Visited { finished: 0, has_statuses: false, has_details: false };
}

impl Counts {
    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }

    pub(crate) fn finished(&self) -> u64 {
        let rejected = mutant!("run loop: rejects are not finished", self.get(Counter::Rejected), 0);
        self.get(Counter::Committed) + rejected + self.get(Counter::Faulted)
    }

    /// Returns the number of transactions that ended with a code or a fault.
    pub(crate) fn details(&self) -> u64 {
        let details = self.get(Counter::Rejected) + self.get(Counter::Faulted);
        mutant!("run loop: reasons stay on the device", details, 0)
    }

    /// Returns the number of transactions that lost every attempt.
    pub(crate) fn left_by_conflicts(&self) -> u64 {
        mutant!("run loop: conflicts count as waiting", self.get(Counter::LeftConflict), 0)
    }

    /// Returns the number of transactions that there was no time for.
    pub(crate) fn left_unvisited(&self) -> u64 {
        mutant!("run loop: unexecuted transactions count as waiting", self.get(Counter::LeftUnvisited), 0)
    }

    pub(crate) fn conflicts(&self) -> Conflicts {
        Conflicts {
            locked: self.get(Counter::ConflictLocked),
            stolen: self.get(Counter::ConflictStolen),
            changed: self.get(Counter::ConflictChanged),
            overwritten: mutant!("run loop: one cause is lost", self.get(Counter::ConflictOverwritten), 0),
            other: self.get(Counter::ConflictOther),
        }
    }
}

impl<'a> RunState<'a> {
    /// Returns a state in which every transaction is pending.
    pub(crate) fn new(job: &'a Job<'a>) -> Result<RunState<'a>, NoMemory> {
        // A proof compares them on the host.
        let reported = if job.options.results_stay && !job.options.proves { 0 } else { job.reported() };
        let output = RunOutput {
            status: Statuses::pending(job.transactions)?,
            results: memory::zeroed("results", reported.saturating_mul(job.transactions))?,
            profile: job.new_profile(),
            ..RunOutput::default()
        };
        Ok(RunState {
            job,
            begin: Instant::now(),
            launches: 0,
            finished: 0,
            committed: 0,
            faulted: 0,
            in_stages: (0, Duration::ZERO),
            output,
            stayed: None,
            ahead: None,
            demand: None,
        })
    }

    /// Returns what the transactions ask of a place.
    pub(crate) fn demand(&mut self) -> Demand {
        *self.demand.get_or_insert_with(|| remembered::demand(self.job))
    }

    /// Adds a launch. `made` is the number of passes over its transactions, those of earlier rounds included.
    pub(crate) fn add(&mut self, counts: &Counts, made: u64) {
        self.finished += counts.finished();
        self.committed += counts.get(Counter::Committed);
        self.faulted += counts.get(Counter::Faulted);
        let passes = self.output.passes;
        self.output.passes = mutant!("run loop: passes of chunks add up", passes.max(made), passes + made);
        let times = mutant!("run loop: postponements count twice", 1, 2);
        self.output.postponements += times * counts.get(Counter::Postponements);
        mutant!("run loop: conflicts are not added up", self.output.conflicts.add(&counts.conflicts()), ());
        self.tell_progress();
    }

    /// Takes the outcomes of all transactions from what was counted. Returns whether they follow from that.
    pub(crate) fn takes_counts(&mut self) -> bool {
        let transactions = self.job.transactions as u64;
        if mutant!("run loop: all have committed where all have finished", self.committed, self.finished)
            == transactions
        {
            self.output.status.commit_but(Vec::new());
            return true;
        }
        let is_enough = self.job.options.counts_only
            && !self.job.options.profile
            && self.faulted == 0
            && self.finished == transactions;
        if is_enough {
            self.output.counted = Some([self.committed, transactions - self.committed]);
        }
        is_enough
    }

    /// Returns the transactions without a final outcome.
    pub(crate) fn pending(&self) -> Result<Vec<usize>, NoMemory> {
        if self.finished == self.job.transactions as u64 {
            return Ok(Vec::new());
        }
        let status = &self.output.status;
        let unresolved = status.tallies().iter().map(Tally::unresolved).sum::<u64>();
        let mut pending = memory::with_room("the transactions that are left", unresolved as usize)?;
        let unfinished = status.unlike(0..status.transactions(), is_finished);
        pending.extend(unfinished.map(|(transaction, _)| transaction));
        Ok(pending)
    }

    /// Returns the limit of the run that is reached after that many passes.
    pub(crate) fn limit_reached(&self, passes: u64) -> Option<UnresolvedReason> {
        let pass_limit = self.job.options.pass_limit;
        let is_over = |limit| mutant!("run loop: the pass limit is one more", passes >= limit, passes > limit);
        self.must_end().or_else(|| pass_limit.is_some_and(is_over).then_some(UnresolvedReason::PassLimit))
    }

    /// Returns the reason to end the run, if there is one.
    pub(crate) fn must_end(&self) -> Option<UnresolvedReason> {
        let options = self.job.options;
        if options.stop.is_set() {
            return mutant!("run loop: the stop flag is overlooked", Some(UnresolvedReason::Stopped), None);
        }
        let is_late = options.time_limit.is_some_and(|limit| self.worked() >= limit);
        mutant!("run loop: the time limit is overlooked", is_late, false).then_some(UnresolvedReason::TimeLimit)
    }

    /// Returns the elapsed time without compilation, which the time limit does not cover.
    fn worked(&self) -> Duration {
        self.begin.elapsed().saturating_sub(self.output.times.compile)
    }

    /// Returns the time, reduced to the rest of the time limit.
    pub(crate) fn within_limit(&self, slice: Duration) -> Duration {
        match self.job.options.time_limit {
            Some(limit) => slice.min(limit.saturating_sub(self.worked())),
            None => slice,
        }
    }

    fn tell_progress(&self) {
        if let Some(progress) = &self.job.options.progress {
            progress(Progress {
                finished: self.finished,
                transactions: self.job.transactions as u64,
                elapsed: self.begin.elapsed(),
            });
        }
    }
}
