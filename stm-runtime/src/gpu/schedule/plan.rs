//! The plan of a run: everything that is decided before compilation.

use kernels_gen::device::Planned;

use super::geometry;
use crate::backend::{Job, JobOptions};
use crate::engine::Engine;
use crate::extent::MAX_COVERAGE;
use crate::gpu::backend::Limits;
use crate::gpu::memory::locks::Terms;
use crate::tuning::{Selected, Tuning};

/// Clamps the coverage: `Tuning` has public fields, and may hold values that `Tuning::load` would reject.
fn coverage_log2(tuning: &Tuning) -> u32 {
    tuning.coverage.and_then(usize::checked_ilog2).unwrap_or(0).min(MAX_COVERAGE.ilog2())
}

/// Returns the engine for a batch by what is known before it runs: the last in the list whose stages suit it.
fn engine_for(job: &Job<'_>, limits: Limits) -> Engine {
    let suits = |engine: &&Engine| {
        let spec = engine.spec();
        let Some(visited) = spec.last_visited() else { return false };
        match spec.planned {
            Planned::Never => false,
            Planned::WhereUsed => job.procedures.iter().any(|procedure| visited.may_contain(procedure.spec)),
            Planned::WhereCrowded => {
                let writers = || job.procedures.iter().filter(|procedure| !procedure.spec.facts.read_only);
                let those = writers().filter(|procedure| visited.may_contain(procedure.spec)).count();
                2 * those > writers().count() && geometry::is_crowded(job, limits, |spec| visited.may_contain(spec))
            }
        }
    };
    Engine::ALL.iter().rev().find(suits).copied().unwrap_or_default()
}

/// An engine, and the requested shape of its launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) engine: Engine,
    /// Threads in flight; `None` if not set.
    pub(crate) threads: Option<usize>,
    /// Active lanes of a warp; `None` if not set.
    pub(crate) lanes: Option<u32>,
    /// The minimum number of elements under one lock word, as a power of two.
    pub(crate) coverage_log2: u32,
}

impl Plan {
    /// Returns the plan of an engine with the user's options.
    pub(crate) fn of(engine: Engine, options: &JobOptions) -> Plan {
        let threads = options.threads.filter(|threads| *threads > 0);
        Plan { engine, threads, lanes: options.lanes, coverage_log2: 0 }
    }

    /// Returns the plan of an earlier tuning; the user's options take precedence.
    fn chosen(tuning: &Tuning, options: &JobOptions) -> Plan {
        let said = Plan::of(tuning.engine, options);
        Plan {
            threads: said.threads.or(tuning.threads),
            lanes: said.lanes.or(tuning.lanes),
            // The history of a checked run uses the arrays' own lock words.
            coverage_log2: if options.check { 0 } else { coverage_log2(tuning) },
            ..said
        }
    }

    /// Returns the plan where nothing is measured.
    pub(crate) fn unmeasured(job: &Job<'_>, limits: Limits) -> Plan {
        match job.options.selection.get() {
            Selected::Chosen(tuning) => Plan::chosen(tuning, job.options),
            Selected::Planned => Plan::of(engine_for(job, limits), job.options),
            Selected::Engine(_) | Selected::Among(_) => Plan::of(job.options.selection.usual(), job.options),
        }
    }

    /// Returns the properties that determine the layout of every array.
    pub(crate) fn terms(&self, job: &Job<'_>) -> Terms {
        Terms { engine: self.engine.tuned(), coverage_log2: self.coverage_log2, record: job.options.check }
    }
}
