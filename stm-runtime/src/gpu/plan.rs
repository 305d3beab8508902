//! How a job is to be run: what can be settled before anything is compiled.

use super::array::Terms;
use crate::backend::{Job, Options};
use crate::engine::Engine;
use crate::extent::MAX_COVERAGE;
use crate::tuning::{Selected, Tuning};

/// What the file of a tuning would be refused for is put right here: its fields are open.
fn coverage_log2(tuning: &Tuning) -> u32 {
    tuning.coverage.and_then(usize::checked_ilog2).unwrap_or(0).min(MAX_COVERAGE.ilog2())
}

/// An engine, and what is said of the shape of its launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) engine: Engine,
    /// Threads in flight; `None` where nobody says.
    pub(super) threads: Option<usize>,
    /// Active lanes of a warp; `None` where nobody says.
    pub(super) lanes: Option<u32>,
    /// At least so many elements under one lock word, as a power of two.
    pub(super) coverage_log2: u32,
}

impl Plan {
    /// An engine with what the batch's user says.
    pub(super) fn of(engine: Engine, options: &Options) -> Plan {
        let threads = options.threads.filter(|threads| *threads > 0);
        Plan { engine, threads, lanes: options.lanes, coverage_log2: 0 }
    }

    /// A tuning that was made before; what the batch's user says goes first.
    fn chosen(tuning: &Tuning, options: &Options) -> Plan {
        let said = Plan::of(tuning.engine, options);
        Plan {
            threads: said.threads.or(tuning.threads),
            lanes: said.lanes.or(tuning.lanes),
            // The history of a checked run goes by the arrays' own lock words.
            coverage_log2: if options.check { 0 } else { coverage_log2(tuning) },
            ..said
        }
    }

    /// What runs where nothing is measured.
    pub(super) fn unmeasured(job: &Job<'_>) -> Plan {
        match job.options.selection.get() {
            Selected::Chosen(tuning) => Plan::chosen(tuning, job.options),
            Selected::Engine(_) | Selected::Among(_) => Plan::of(job.options.selection.usual(), job.options),
        }
    }

    /// What every array has to be laid out by.
    pub(super) fn terms(&self, job: &Job<'_>) -> Terms {
        Terms { engine: self.engine.tuned(), coverage_log2: self.coverage_log2, record: job.options.check }
    }
}
