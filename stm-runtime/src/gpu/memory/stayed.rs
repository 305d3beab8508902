//! The results of a batch that stay on the device: words, component by component, as the host would have them.

use std::sync::Arc;

use kernels_gen::device::stage::EXECUTE;
use kernels_gen::device::unit::ColumnWidth;

use super::device_columns::{self, WHAT, spread};
use super::transactions::Transactions;
use crate::backend::Job;
use crate::device_cells::DeviceCells;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice};
use crate::outcome::COMMITTED;

/// The kernel that copies those of a chunk.
const KEEP: &str = include_str!("keep.cu");

/// Results, which are 0 for transactions that have not committed.
pub(crate) struct StayedResults {
    backend: Arc<dyn Driver>,
    words: DeviceBuffer,
    transactions: usize,
    components: usize,
}

/// Where the results of some transactions are, component by component, and how many words each component has. `status` is the address of
/// their statuses; 0 if all have committed.
pub(super) struct Results {
    pub(super) status: u64,
    pub(super) address: u64,
    pub(super) stride: usize,
}

impl StayedResults {
    /// Returns memory for the results of a job, if they stay on the device and there are any.
    pub(crate) fn of(backend: &Arc<dyn Driver>, job: &Job<'_>) -> Result<Option<StayedResults>, GpuError> {
        let (transactions, components) = (job.transactions, job.results);
        if !job.options.results_stay || components == 0 {
            return Ok(None);
        }
        let bytes = transactions.saturating_mul(8 * components);
        let words = DeviceBuffer::zeroed(backend, "results that stay on the device", bytes)?;
        Ok(Some(StayedResults { backend: backend.clone(), words, transactions, components }))
    }

    /// Copies the results of those transactions that have committed.
    pub(super) fn keep(&self, transactions: &Transactions<'_>, from: &Results) -> Result<(), GpuError> {
        let (numbers, first) = match transactions {
            Transactions::Range(range) => (None, range.start),
            Transactions::Picked(picked) => {
                let numbers = mutant!("results: those of what is left are of the first ones", Some(picked), None);
                (numbers.map(|numbers| device_columns::numbers(&self.words, numbers)).transpose()?, 0)
            }
        };
        let numbers_address = numbers.as_ref().map_or(0, DeviceBuffer::address);
        let parameters = [
            from.status,
            COMMITTED.into(),
            from.address,
            from.stride as u64,
            self.components as u64,
            transactions.len() as u64,
            numbers_address,
            first as u64,
            self.words.address(),
            self.transactions as u64,
        ];
        let program = self.words.program(KEEP)?;
        program.launch(EXECUTE, spread(self.words.limits(), transactions.len()), &parameters)?;
        self.words.settle_with_kernel();
        Ok(())
    }

    /// Copies results of transactions that have committed on the host: words, component by component.
    pub(crate) fn put(&self, transactions: &[usize], words: &[u64]) -> Result<(), GpuError> {
        if transactions.is_empty() {
            return Ok(());
        }
        let from = self.words.beside(WHAT, 8 * words.len())?;
        from.upload(0, HostSlice::U64(words))?;
        let results = Results { status: 0, address: from.address(), stride: transactions.len() };
        self.keep(&Transactions::Picked(transactions), &results)
    }

    /// Returns them as cells, after the run.
    pub(crate) fn into_cells(self) -> DeviceCells {
        let place = device_columns::placed(&self.backend, self.words, None);
        DeviceCells::new(ColumnWidth::U64, self.components * self.transactions, place)
    }
}
