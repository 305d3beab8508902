//! The results of the threads of a run, and their sums.

use crate::cpu::state::Left;
use crate::error::Error;
use crate::memory;
use crate::outcome::{AtomicOutcomes, Conflicts, History, ProfileCounts, RunOutput, UnresolvedReason};

/// The results of one thread in one stage.
#[derive(Debug, Default)]
pub(crate) struct WorkerStatistics {
    /// Rejected and faulted transactions, with the reason.
    pub(crate) details: Vec<(usize, u32)>,
    pub(crate) history: Option<History>,
    pub(crate) conflicts: Conflicts,
    pub(crate) profile: Option<ProfileCounts>,
    pub(crate) postponements: u64,
    pub(crate) passes: u64,
    pub(crate) why: UnresolvedReason,
    /// What the thread leaves to later stages.
    pub(crate) left: Left,
}

impl WorkerStatistics {
    /// Counts that a transaction of the procedure was postponed, if the run is profiled.
    pub(crate) fn count_wait(&mut self, procedure: usize) {
        if let Some(profile) = &mut self.profile {
            profile.procedures[procedure].waits += 1;
        }
    }
}

/// Sums up the results of all threads.
pub(super) fn collect(
    statistics: Vec<WorkerStatistics>,
    outcomes: AtomicOutcomes,
    output: &mut RunOutput,
) -> Result<(), Error> {
    let mut details = Vec::new();
    let mut history: Option<History> = None;
    for statistics in statistics {
        mutant!("cpu: conflicts are not added up", output.conflicts.add(&statistics.conflicts), ());
        output.postponements += statistics.postponements;
        let passes = output.passes;
        output.passes =
            mutant!("cpu: passes of threads add up", passes.max(statistics.passes), passes + statistics.passes);
        output.unresolved_reason =
            mutant!("cpu: the last thread says why", output.unresolved_reason.stronger(statistics.why), statistics.why);
        memory::grow_by("outcomes", &mut details, statistics.details.len())?;
        details.extend_from_slice(&statistics.details);
        match (&mut history, statistics.history) {
            (Some(history), Some(part)) => history.append(&part)?,
            (None, part) => history = part,
            _ => {}
        }
        if let (Some(profile), Some(part)) = (&mut output.profile, &statistics.profile) {
            profile.add(part);
        }
    }
    output.history = history;
    outcomes.into_output(&details, output)?;
    Ok(())
}
