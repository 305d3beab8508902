//! Rows in the order of the parts that they work on, for engines that keep a part with its block.

use std::sync::Arc;

use kernels_gen::device::link::RegionSpec;
use kernels_gen::device::{EngineSpec, home_bytes};
use kernels_gen::spec::{KindSpec, Role};

use super::backend::{Backend, Buffer, HostSlice, Limits};
use super::error::GpuError;
use super::pieces::Rows;
use crate::columns::Column;
use crate::job::{Binding, Job};
use crate::memory::{self, NoMemory};

/// What is short where the order does not fit.
const WHAT: &str = "the order of rows";

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

/// The rows of a table by part.
pub(super) struct Order {
    /// All rows; those of a part in the table's order.
    pub(super) rows: Vec<usize>,
    /// The part of each row.
    parts: Vec<u32>,
    /// How many parts have rows.
    pub(super) used: u64,
}

/// The order of a table's rows, and room on the device to say where the rows of each part begin.
pub(super) struct Homes {
    pub(super) order: Order,
    starts: Buffer,
    numbers: Buffer,
}

/// Bytes a row for the groups of a piece: in the worst case each row has a part of its own.
pub(super) const ROW_BYTES: u64 = 8;

impl Order {
    /// Sorted by counting: there are no more parts than elements.
    pub(super) fn of(job: &Job<'_>) -> Result<Order, NoMemory> {
        let columns: Vec<_> = job.bindings.iter().map(|binding| part_column(job, binding)).collect();
        let part = |row| columns[job.binding_of(row)].map_or(0, |column| column.get(row) as u32);
        let parts: Vec<u32> = memory::collected(WHAT, (0..job.rows).map(part))?;
        let mut next = memory::zeroed::<usize>(WHAT, parts.iter().max().map_or(0, |most| *most as usize + 1))?;
        parts.iter().for_each(|part| next[*part as usize] += 1);
        let used = next.iter().filter(|rows| **rows > 0).count() as u64;
        let mut begin = 0;
        next.iter_mut().for_each(|rows| begin += std::mem::replace(rows, begin));
        let mut rows = memory::zeroed(WHAT, parts.len())?;
        for (row, part) in parts.iter().enumerate() {
            rows[next[*part as usize]] = row;
            next[*part as usize] += 1;
        }
        Ok(Order { rows, parts, used })
    }

    /// Returns the rows that are meant, in the order of their parts.
    pub(super) fn select(&self, is_meant: impl Fn(usize) -> bool) -> Result<Vec<usize>, NoMemory> {
        let meant = || self.rows.iter().copied().filter(|row| is_meant(*row));
        let mut rows = memory::with_room(WHAT, meant().count())?;
        rows.extend(meant());
        Ok(rows)
    }

    /// Where the rows of each part begin, and where the last ones end; and which parts these are. The rows are in order.
    fn groups(&self, rows: &Rows<'_>) -> Result<(Vec<u32>, Vec<u32>), NoMemory> {
        let (mut starts, mut numbers) = (Vec::new(), Vec::new());
        for index in 0..rows.len() {
            let part = self.parts[rows.at(index)];
            if numbers.last() != Some(&part) {
                memory::push(WHAT, &mut starts, index as u32)?;
                let number = mutant!("partitions: numbers are given as they come", part, numbers.len() as u32);
                memory::push(WHAT, &mut numbers, number)?;
            }
        }
        let end = mutant!("partitions: the last transaction is left out", rows.len(), rows.len().saturating_sub(1));
        memory::push(WHAT, &mut starts, end as u32)?;
        Ok((starts, numbers))
    }
}

/// The column that says which part a row works on; none where it works on nothing.
fn part_column<'a>(job: &Job<'a>, binding: &Binding) -> Option<&'a Column> {
    let has_parts = job.kinds[binding.kind].spec.params.iter().any(|param| param.role.part().is_some());
    binding.columns.last().filter(|_| has_parts).map(|column| &job.columns[*column])
}

impl Homes {
    /// With room for the groups of a piece of so many rows.
    pub(super) fn new(backend: &Arc<dyn Backend>, order: Order, capacity: usize) -> Result<Homes, GpuError> {
        let starts = Buffer::new(backend, "transactions", 4 * (capacity + 1))?;
        let numbers = Buffer::new(backend, "transactions", 4 * capacity)?;
        Ok(Homes { order, starts, numbers })
    }

    /// Tells the device where the rows of each part begin.
    pub(super) fn upload(&self, rows: &Rows<'_>) -> Result<Groups, GpuError> {
        let (starts, numbers) = self.order.groups(rows)?;
        self.starts.upload(0, HostSlice::U32(&starts))?;
        self.numbers.upload(0, HostSlice::U32(&numbers))?;
        Ok(Groups { count: numbers.len() as u64, starts: self.starts.address(), parts: self.numbers.address() })
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        groups_follow_the_parts_of_the_rows_that_a_piece_has
    }

    #[cfg_attr(test, test)]
    fn groups_follow_the_parts_of_the_rows_that_a_piece_has() {
        let order = Order { rows: vec![1, 3, 0, 4, 2], parts: vec![5, 2, 9, 2, 5], used: 3 };
        assert_eq!(order.groups(&Rows::Picked(&order.rows)).unwrap(), (vec![0, 2, 4, 5], vec![2, 5, 9]));
        assert_eq!(order.groups(&Rows::Picked(&order.rows[1..3])).unwrap(), (vec![0, 1, 2], vec![2, 5]));
        assert_eq!(order.groups(&Rows::Picked(&[])).unwrap(), (vec![0], vec![]));
    }
}
