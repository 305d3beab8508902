//! The plan of a run: everything that is decided before compilation.

use crate::backend::{Job, JobOptions};
use crate::engine::Engine;
use crate::extent::MAX_COVERAGE;
use crate::gpu::memory::locks::Terms;
use crate::tuning::Tuning;

/// Clamps the coverage: `Tuning` has public fields, and may hold values that `Tuning::load` would reject.
fn coverage_log2(tuning: &Tuning) -> u32 {
    tuning.coverage.and_then(usize::checked_ilog2).unwrap_or(0).min(MAX_COVERAGE.ilog2())
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
    pub(super) fn chosen(tuning: &Tuning, options: &JobOptions) -> Plan {
        let said = Plan::of(tuning.engine, options);
        Plan {
            threads: said.threads.or(tuning.threads),
            lanes: said.lanes.or(tuning.lanes),
            // The history of a checked run uses the arrays' own lock words.
            coverage_log2: if options.check { 0 } else { coverage_log2(tuning) },
            ..said
        }
    }

    /// Returns the properties that determine the layout of every array.
    pub(crate) fn terms(&self, job: &Job<'_>) -> Terms {
        Terms { engine: self.engine.tuned(), coverage_log2: self.coverage_log2, record: job.options.check }
    }
}
