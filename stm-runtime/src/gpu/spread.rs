//! Which devices of a cluster run a batch.

use kernels_gen::device::unit::UnitSpec;
use kernels_gen::device::{Layout, Visited, Work};

use super::backend::{Cluster, Code, Driver, Limits, Loaded};
use super::making::Making;
use super::memory::array_copies::is_worth;
use super::memory::layout;
use crate::backend::{Array, Job};
use crate::engine::Engine;
use crate::error::GpuError;
use crate::tuning::Selected;

/// The devices that run a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    All,
    /// The first one: it has all elements, and some are written. The others would change them over the links between the devices, and all
    /// of them wait for each other.
    First,
    /// All of them run the transactions that write nothing, each on a copy of the elements. Then the first one runs the others.
    Readers,
}

impl Spread {
    pub(crate) fn of(driver: &dyn Driver, job: &Job<'_>) -> Spread {
        let Some((_, divided)) = driver.alone() else { return Spread::All };
        let bytes = |array: &Array| layout::data_bytes(Layout::Cells, array.scalar(), array.len()) as u64;
        let is_small = job.arrays.iter().all(|array| bytes(array) < divided);
        let specs = || job.procedures.iter().map(|procedure| procedure.spec);
        let all = job.arrays.iter().map(bytes).sum();
        let have_stage = visits_readers(job) && specs().any(|spec| Visited::ReadOnly.may_contain(spec));
        // The memory of engines has parts on all devices, too, so what writes can be slower than on the first one alone.
        let are_many = writing(job).is_some_and(|writing| writing <= job.transactions / 4 * 3);
        match is_small {
            true if have_stage && are_many && is_worth(all, job.transactions) => Spread::Readers,
            true if !is_read_only(job) => Spread::First,
            _ => Spread::All,
        }
    }

    /// Loads the unit of a batch.
    pub(crate) fn load(self, driver: &dyn Driver, unit: &UnitSpec<'_>, making: Making) -> Result<Loaded, GpuError> {
        let mut loaded = driver.load(Code::Unit(unit), making)?;
        if let (Spread::Readers, Some((first, _))) = (self, driver.alone()) {
            let alone = first.load(Code::Unit(unit), Making::begin())?.program;
            let others = unit.engine.stages.iter().filter(|stage| !is_of_readers(stage.work));
            let others: Vec<&'static str> = others.map(|stage| stage.entry).collect();
            loaded.program = loaded.program.on_first(&others, alone).unwrap_or(loaded.program);
        }
        Ok(loaded)
    }

    /// Returns the limits of the devices that execute transactions.
    pub(crate) fn limits(self, all: Limits) -> Limits {
        match self {
            Spread::All | Spread::First => all,
            Spread::Readers => {
                Limits { threads: all.threads / all.cluster.devices as u64, cluster: Cluster::ONE, ..all }
            }
        }
    }

    /// Returns what the report says of a batch.
    pub(crate) fn note(self, job: &Job<'_>) -> Option<&'static str> {
        match self {
            Spread::All => None,
            _ if is_read_only(job) => None,
            Spread::First => Some("one device of the cluster had all elements, and ran the batch alone"),
            Spread::Readers => {
                Some("one device of the cluster had all elements, and ran what writes; all devices ran the others")
            }
        }
    }
}

/// Returns how many transactions are of procedures that write, if their columns tell.
fn writing(job: &Job<'_>) -> Option<usize> {
    let mut lens = vec![0; job.procedures.len()];
    for specialization in job.specializations {
        if !job.procedures[specialization.procedure].spec.facts.read_only {
            lens[specialization.procedure] = job.columns[specialization.columns.clone()].first()?.len();
        }
    }
    Some(lens.iter().sum())
}

fn is_read_only(job: &Job<'_>) -> bool {
    job.procedures.iter().all(|procedure| procedure.spec.facts.read_only)
}

/// Returns whether the engine of a job may have a stage of transactions that write nothing.
fn visits_readers(job: &Job<'_>) -> bool {
    let visits = |engine: Engine| engine.spec().stages.iter().any(|stage| is_of_readers(stage.work));
    match job.options.selection.get() {
        Selected::Engine(engine) => visits(engine),
        Selected::Planned(methods) => methods.iter().any(visits),
        Selected::Among(_) | Selected::Chosen(_) => false,
    }
}

/// Returns whether no element changes while a stage runs, and it reads them alone.
pub(crate) fn is_of_readers(work: Work) -> bool {
    matches!(work, Work::Visit(Visited::ReadOnly, _))
}
