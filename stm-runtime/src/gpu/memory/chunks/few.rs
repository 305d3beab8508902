//! The transactions of a chunk that have not committed, where they are few among many: a list of them is shorter than all statuses.

use kernels_gen::device::stage::EXECUTE;

use super::{ChunkBuffers, WHAT};
use crate::error::GpuError;
use crate::gpu::backend::{HostSliceMut, KernelCall, Limits, Shape};
use crate::outcome::COMMITTED;

/// The kernel that lists them.
const LIST: &str = include_str!("list.cu");
/// The most transactions of a list.
pub(crate) const MOST_LISTED: u64 = 1 << 10;

impl ChunkBuffers {
    /// Returns those of the first transactions of the chunk that have not committed, with their statuses, in order; `None` where they are
    /// not as many as `left`.
    pub(crate) fn not_committed(
        &self,
        transactions: usize,
        left: usize,
        limits: Limits,
    ) -> Result<Option<Vec<(usize, u8)>>, GpuError> {
        let list = self.block.beside(WHAT, &vec![0; left + 1])?;
        let program = self.block.program(LIST)?;
        let Limits { block, threads, .. } = limits;
        let shape = Shape { grid: threads.div_ceil(block.into()) as u32, block, shared: 0 };
        let parameters =
            [self.address(&self.at.status), transactions as u64, COMMITTED.into(), list.address(), left as u64];
        program.start(KernelCall { entry: EXECUTE, shape, parameters: &parameters })?.wait()?;
        let mut words = vec![0; left + 1];
        list.download(0, HostSliceMut::U64(&mut words))?;
        if words[0] != left as u64 {
            return Ok(None);
        }
        let mut listed: Vec<(usize, u8)> = words[1..].iter().map(|word| ((word >> 8) as usize, *word as u8)).collect();
        listed.sort_unstable();
        Ok(Some(mutant!(
            "chunks: the first one that is left counts as committed",
            listed,
            listed.split_off(left.min(1))
        )))
    }
}
