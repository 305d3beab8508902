//! The output of a run for its batch: plain data.

use super::compilation::Compilation;
use super::history::History;
use super::hottest::HotElement;
use super::kept::Details;
use super::launch::{Algorithm, LaunchShape};
use super::parts::{Conflicts, Memory, Times, UnresolvedReason};
use super::phases::Phases;
use super::plan::PlanStep;
use super::profile::ProfileCounts;
use super::statuses::Statuses;
use crate::device_cells::DeviceCells;
use crate::tuning::{Found, Tuning};

/// The output of a run.
#[derive(Debug, Default)]
pub(crate) struct RunOutput {
    /// The status of each transaction.
    pub(crate) status: Statuses,
    /// How many have committed, and how many were rejected, where all transactions are one or the other and their statuses are not known.
    pub(crate) counted: Option<[u64; 2]>,
    /// The code of a rejected transaction; for a faulted one, the fault as `kernels_gen::abi::detail` packs it. Empty when no
    /// transaction has a detail.
    pub(crate) detail: Details,
    /// The result words, component by component: word `component` of a transaction is at `component * transactions +
    /// transaction`. There are as many components as the job has results.
    pub(crate) results: Vec<u64>,
    /// The same, where they have stayed on a device.
    pub(crate) stayed: Option<DeviceCells>,
    /// The accesses of the finished transactions, if requested.
    pub(crate) history: Option<History>,
    /// The elements with the most accesses, the hottest first, where the engine counts accesses.
    pub(crate) hottest: Option<Vec<HotElement>>,
    /// Conflicts by cause.
    pub(crate) conflicts: Conflicts,
    /// What was counted, if the run is profiled.
    pub(crate) profile: Option<ProfileCounts>,
    /// How often a transaction was postponed.
    pub(crate) postponements: u64,
    /// Passes over the unfinished transactions, the first one included.
    pub(crate) passes: u64,
    /// The reason why transactions are left, if any are.
    pub(crate) unresolved_reason: UnresolvedReason,
    /// How the engine was chosen, unless the user named one.
    pub(crate) tuning: Option<Tuning>,
    /// What each method did of the batch, where the user chose no engine.
    pub(crate) plan: Vec<PlanStep>,
    /// What the runs of the batch have found for its plan.
    pub(crate) found: Found,
    /// The algorithm that ran.
    pub(crate) engine: Algorithm,
    /// The shape of its launches.
    pub(crate) shape: LaunchShape,
    /// Where the time went; `total` is set by the batch.
    pub(crate) times: Times,
    /// The units, in the order in which they were needed.
    pub(crate) units: Vec<Compilation>,
    /// Where the time of the device's threads went, if requested and measured.
    pub(crate) phases: Option<Phases>,
    /// Memory on the device.
    pub(crate) memory: Memory,
    /// Notes for users, such as trouble with the kernel cache.
    pub(crate) notes: Vec<String>,
}

impl RunOutput {
    /// Adds a unit and its times.
    pub(crate) fn add_unit(&mut self, unit: Compilation) {
        self.times.compile += unit.times.total();
        self.times.compile_steps.add(&unit.times);
        self.units.push(unit);
    }
}
