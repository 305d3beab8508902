//! The copies of outcomes from the device.

use super::{ChunkBuffers, Sections, Transactions, WHAT, histories};
use crate::error::GpuError;
use crate::gpu::backend::HostSliceMut;
use crate::gpu::memory::stayed::{Results, StayedResults};
use crate::memory;
use crate::outcome::{History, RunOutput};

impl ChunkBuffers {
    /// Reads from the chunk's memory, or from what the last launch left.
    fn read(&self, offset: usize, mut into: HostSliceMut<'_>) -> Result<(), GpuError> {
        let bytes = into.bytes();
        match self.head.get(offset..offset + bytes.len()) {
            Some(known) => {
                bytes.copy_from_slice(known);
                Ok(())
            }
            None => self.block.download(offset, into),
        }
    }

    /// Reads statuses, and has them counted as they come.
    fn read_counted(
        &self,
        offset: usize,
        into: &mut [u8],
        count: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<(), GpuError> {
        match self.head.get(offset..offset + into.len()) {
            Some(known) => {
                into.copy_from_slice(known);
                count(0, into);
                Ok(())
            }
            None => self.block.download_seen(offset, into, count),
        }
    }

    /// Downloads the statuses, and details where there are any.
    pub(crate) fn download_statuses(
        &self,
        transactions: &Transactions<'_>,
        details: bool,
        output: &mut RunOutput,
    ) -> Result<(), GpuError> {
        if !self.has_arrived {
            output.status.settle();
            return Ok(());
        }
        let Sections { status, detail, .. } = &self.at;
        match transactions {
            Transactions::Range(range) if range.len() == output.status.transactions() => {
                output.status.fetch(|list, count| self.read_counted(status.start, list, count))?;
            }
            Transactions::Range(_) => {
                scatter(transactions, &mut output.status, |s| self.read(status.start, HostSliceMut::U8(s)))?;
            }
            Transactions::Picked(picked) => output
                .status
                .edit(picked, |list| scatter(transactions, list, |s| self.read(status.start, HostSliceMut::U8(s))))?,
        }
        if details {
            scatter(transactions, &mut output.detail, |d: &mut [u32]| self.read(detail.start, HostSliceMut::U32(d)))?;
        }
        Ok(())
    }

    /// Downloads the results.
    pub(crate) fn download_results(
        &self,
        transactions: &Transactions<'_>,
        output: &mut RunOutput,
    ) -> Result<(), GpuError> {
        if !self.has_arrived {
            return Ok(());
        }
        let batch = output.status.transactions();
        for component in 0..self.components {
            // Both sides are component by component: on the device for the transactions of the chunk, here for those of the batch.
            let stride =
                mutant!("chunks: a short chunk has results like a long one", transactions.len(), self.capacity);
            let offset = self.at.results.start + 8 * component * stride;
            let fetch = |words: &mut [u64]| self.read(offset, HostSliceMut::U64(words));
            scatter(transactions, &mut output.results[component * batch..][..batch], fetch)?;
        }
        Ok(())
    }

    /// Copies the results to those that stay on the device.
    pub(crate) fn leave_results(
        &self,
        transactions: &Transactions<'_>,
        stayed: &StayedResults,
    ) -> Result<(), GpuError> {
        if !self.has_arrived {
            return Ok(());
        }
        let Sections { status, results, .. } = &self.at;
        let [status, address] = [status, results].map(|section| self.address(section));
        let stride = mutant!("results: a short chunk leaves them like a long one", transactions.len(), self.capacity);
        stayed.keep(transactions, &Results { status, address, stride })
    }

    /// Adds the histories of the transactions that this chunk finished; the outcomes are already on the host.
    pub(crate) fn download_history(
        &self,
        transactions: &Transactions<'_>,
        status: &[u8],
        history: &mut History,
    ) -> Result<(), GpuError> {
        let Some(log) = &self.log else { return Ok(()) };
        histories::download(log, self.log_stride, transactions, status, history)
    }
}

/// Downloads one value of each transaction and stores it at the transaction's index in the batch.
pub(super) fn scatter<T: Copy + Default>(
    transactions: &Transactions<'_>,
    into: &mut [T],
    fetch: impl FnOnce(&mut [T]) -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    match transactions {
        Transactions::Range(range) => fetch(&mut into[range.clone()]),
        Transactions::Picked(transactions) => {
            let mut values = memory::filled(WHAT, transactions.len(), T::default())?;
            fetch(&mut values)?;
            for (transaction, value) in transactions.iter().zip(values) {
                into[mutant!("chunks: outcomes of what is left go to others", *transaction, *transaction / 2)] = value;
            }
            Ok(())
        }
    }
}
