//! Rows in the order of the parts that they work on, for engines that keep a part with its block.

use std::sync::Arc;

use kernels_gen::device::link::RegionSpec;
use kernels_gen::device::{EngineSpec, home_bytes};
use kernels_gen::spec::{KindSpec, Role};

use super::backend::{Backend, Buffer, HostSlice, Limits};
use super::error::GpuError;
use super::pieces::Rows;
use crate::job::Job;

/// Bytes of block-shared memory that a table may take unless its user says more: what every device gives without being asked.
const USUAL_BYTES: u64 = 48 * 1024;

/// The first parameter of a kind that the engine cannot keep with a block: it is all of an array.
pub(super) fn foreign(engine: &EngineSpec, kind: &KindSpec) -> Result<(), GpuError> {
    let whole = |role: Role| matches!(role, Role::Region(_));
    match kind.params.iter().find(|param| engine.home.is_block() && whole(param.role)) {
        Some(param) => {
            let (parameter, _) = param.name.split_once('.').unwrap_or((param.name, ""));
            Err(GpuError::NotInParts { engine: engine.name, kind: kind.name, parameter })
        }
        None => Ok(()),
    }
}

/// Bytes of block-shared memory for these regions, if that many may be had.
pub(super) fn block_bytes(
    engine: &EngineSpec,
    regions: &[RegionSpec],
    allowed: Option<usize>,
    limits: Limits,
) -> Result<u32, GpuError> {
    let needed = home_bytes(engine, regions);
    let most = u64::from(limits.shared);
    let allowed = allowed.map_or(USUAL_BYTES, |bytes| bytes as u64).min(most);
    if needed > allowed {
        return Err(GpuError::PartsTooLarge { engine: engine.name, needed, allowed, most });
    }
    Ok(needed as u32)
}

/// The groups of a piece's rows on the device.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Groups {
    pub(super) count: u64,
    pub(super) starts: u64,
    pub(super) parts: u64,
}

/// Where the groups of a piece are kept on the device.
pub(super) struct Homes {
    starts: Buffer,
    numbers: Buffer,
}

/// Bytes a row for the groups of a piece: in the worst case each row has a part of its own.
pub(super) const ROW_BYTES: u64 = 8;

/// The part that a row works on; 0 for one that works on nothing.
fn part_of(job: &Job<'_>, row: usize) -> u32 {
    let binding = &job.bindings[job.binding_of(row)];
    let has_parts = job.kinds[binding.kind].spec.params.iter().any(|param| param.role.part().is_some());
    match binding.columns.last() {
        Some(column) if has_parts => job.columns[*column].get(row) as u32,
        _ => 0,
    }
}

impl Homes {
    /// Room for the groups of a piece of so many rows.
    pub(super) fn new(backend: &Arc<dyn Backend>, capacity: usize) -> Result<Homes, GpuError> {
        let starts = Buffer::new(backend, "transactions", 4 * (capacity + 1))?;
        let numbers = Buffer::new(backend, "transactions", 4 * capacity)?;
        Ok(Homes { starts, numbers })
    }

    /// Tells the device where the rows of each part begin.
    pub(super) fn upload(&self, job: &Job<'_>, rows: &Rows<'_>) -> Result<Groups, GpuError> {
        let (starts, numbers) = groups(job, rows);
        self.starts.upload(0, HostSlice::U32(&starts))?;
        self.numbers.upload(0, HostSlice::U32(&numbers))?;
        Ok(Groups { count: numbers.len() as u64, starts: self.starts.address(), parts: self.numbers.address() })
    }
}

/// These rows by part; those of a part as they came.
pub(super) fn order(job: &Job<'_>, mut rows: Vec<usize>) -> Vec<usize> {
    rows.sort_by_key(|row| part_of(job, *row));
    rows
}

/// How many parts have rows.
pub(super) fn parts(job: &Job<'_>) -> u64 {
    let mut parts: Vec<u32> = (0..job.rows).map(|row| part_of(job, row)).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.len() as u64
}

/// Where the rows of each part begin, and where the last ones end; and which parts these are. The rows are in order.
fn groups(job: &Job<'_>, rows: &Rows<'_>) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut numbers) = (Vec::new(), Vec::new());
    for index in 0..rows.len() {
        let part = part_of(job, rows.at(index));
        if numbers.last() != Some(&part) {
            starts.push(index as u32);
            numbers.push(part);
        }
    }
    starts.push(rows.len() as u32);
    (starts, numbers)
}
