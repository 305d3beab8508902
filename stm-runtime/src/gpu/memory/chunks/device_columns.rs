//! The columns of a chunk that live on the device: its transactions read them where they are, or a copy of their rows.

use super::{ChunkBuffers, Transactions};
use crate::backend::Job;
use crate::error::GpuError;
use crate::gpu::backend::DeviceBuffer;
use crate::gpu::memory::device_columns;
use crate::gpu::memory::rows::ChunkRows;

impl ChunkBuffers {
    /// Finds the cells of the columns that live on the device. `rows` are those of the chunk.
    pub(super) fn find_there(&mut self, job: &Job<'_>, rows: &ChunkRows<'_>) -> Result<(), GpuError> {
        self.gathered.clear();
        // The rows of the procedure before, as the columns are in the order of the procedures.
        let mut known: Option<(usize, DeviceBuffer)> = None;
        for place in &mut self.columns {
            let Some(cells) = job.columns[place.column].on_device() else { continue };
            let picked = match rows.of_procedure(place.procedure) {
                Transactions::Picked(picked) => picked,
                Transactions::Range(_) => {
                    let before = rows.begin() * cells.width().bytes();
                    place.address = device_columns::address(cells)
                        + mutant!("chunks: every chunk reads the first rows of a column of the device", before, 0)
                            as u64;
                    continue;
                }
            };
            if picked.is_empty() {
                continue;
            }
            let numbers = match known.take() {
                Some((procedure, numbers)) if procedure == place.procedure => numbers,
                _ => device_columns::numbers(&self.block, picked)?,
            };
            let list = device_columns::gather(cells, &numbers, picked.len())?;
            place.address = mutant!(
                "chunks: what is left reads the first rows of a column of the device",
                list.address(),
                device_columns::address(cells)
            );
            self.gathered.push(list);
            known = Some((place.procedure, numbers));
        }
        Ok(())
    }
}
