//! Where the time of the device's threads went.

use std::time::Duration;

use kernels_gen::abi::phases::Phase;
use kernels_gen::device::EngineSpec;

/// Where the time of the device's threads went, summed over all threads and attempts.
///
/// The time between attempts, such as finding the next transaction and backing off, is in no field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Phases {
    /// From the start of an attempt to the end of its body. For engines that lock at each access, this includes locking.
    pub body: Duration,
    /// From there to the end of the attempt.
    pub commit: Duration,
    /// The part of both that went to attempts which ended in a conflict.
    pub wasted: Duration,
    /// The part of `commit` before the request to a commit server: writing the request, and the check among the lanes of a warp.
    /// This and the following fields are `None` where the engine does not measure them.
    pub pre_validate: Option<Duration>,
    /// The part of `commit` that was waiting for a server, or for the clock of all commits.
    pub wait: Option<Duration>,
    /// The part of `commit` that validated the read set. The validation of a server counts for each transaction that waited
    /// for it.
    pub validate: Option<Duration>,
    /// The part of `commit` that wrote records for later commits. A server's time counts as for validation.
    pub record: Option<Duration>,
    /// The part of `commit` that wrote the new values.
    pub write_back: Option<Duration>,
}

impl Phases {
    /// Returns the time of all attempts, from start to end.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.body + self.commit
    }

    /// Returns the parts of `commit` that the engine measures, by name and in order, and `rest` for the remainder: among
    /// others, the time that lanes of a warp wait for each other. Empty where the engine measures no parts.
    #[must_use]
    pub fn of_commit(&self) -> Vec<(&'static str, Duration)> {
        let measured = [
            ("pre-validate", self.pre_validate),
            ("wait", self.wait),
            ("validate", self.validate),
            ("record", self.record),
            ("write-back", self.write_back),
        ];
        let mut parts: Vec<_> = measured.into_iter().filter_map(|(name, time)| Some((name, time?))).collect();
        if !parts.is_empty() {
            let sum = parts.iter().map(|(_, time)| *time).sum();
            parts.push(("rest", self.commit.saturating_sub(sum)));
        }
        parts
    }

    /// Adds the sums of the threads of one launch, in the order of [`Phase::ALL`].
    pub(crate) fn add(&mut self, engine: &EngineSpec, sums: &[u64]) {
        let of = |phase: Phase| sums[phase as usize];
        let time = |phase: Phase| {
            // A server's phases are subtracted from the waiting time, so rounding may leave a slightly negative value.
            let cycles = of(phase).cast_signed().max(0) as f64;
            Duration::from_nanos((cycles * of(Phase::Nanoseconds) as f64 / of(Phase::Cycles).max(1) as f64) as u64)
        };
        self.body += time(Phase::Body);
        self.commit += time(Phase::Commit);
        self.wasted += time(Phase::Wasted);
        for phase in engine.commit_phases {
            if let Some(sum) = self.part_of_commit(*phase) {
                *sum = Some(sum.unwrap_or_default() + time(*phase));
            }
        }
    }

    fn part_of_commit(&mut self, phase: Phase) -> Option<&mut Option<Duration>> {
        match phase {
            Phase::PreValidate => Some(&mut self.pre_validate),
            Phase::Wait => Some(&mut self.wait),
            Phase::Validate => Some(&mut self.validate),
            Phase::Record => Some(&mut self.record),
            Phase::WriteBack => Some(&mut self.write_back),
            Phase::Body | Phase::Commit | Phase::Wasted | Phase::Cycles | Phase::Nanoseconds => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_become_time_by_the_life_of_the_threads() {
        let mut sums = vec![0; Phase::COUNT];
        for (phase, cycles) in [(Phase::Body, 300), (Phase::Commit, 200), (Phase::Validate, 50), (Phase::Wasted, 20)] {
            sums[phase as usize] = cycles;
        }
        sums[Phase::Wait as usize] = 3_u64.wrapping_neg();
        (sums[Phase::Cycles as usize], sums[Phase::Nanoseconds as usize]) = (1000, 2000);
        let engine = |commit_phases| EngineSpec { commit_phases, ..*kernels_gen::device::engines::ENGINES[0] };
        let mut phases = Phases::default();
        phases.add(&engine(&[]), &sums);
        assert_eq!((phases.total(), phases.of_commit()), (Duration::from_nanos(1000), Vec::new()));
        phases.add(&engine(&[Phase::Wait, Phase::Validate]), &sums);
        let nanos = Duration::from_nanos;
        assert_eq!((phases.body, phases.wasted), (nanos(1200), nanos(80)));
        assert_eq!(phases.of_commit(), [("wait", nanos(0)), ("validate", nanos(100)), ("rest", nanos(700))]);
        assert_eq!(phases.write_back, None);
    }
}
