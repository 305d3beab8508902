//! One chunk: its transactions go to the device and run, and their outcomes come back.

use std::time::Instant;

use super::coming::Coming;
use super::run::{Bounds, End, Run};
use super::run_state::{RunState, Visited};
use crate::error::GpuError;
use crate::gpu::memory::chunks::few::MOST_LISTED;
use crate::gpu::memory::partitions::Groups;
use crate::gpu::memory::transactions::Transactions;
use crate::outcome::{Details, RunOutput};

impl Run<'_, '_> {
    /// Returns whether the transactions of a chunk travel with its launch. Stages before the execution see all transactions, and so do
    /// engines with groups of them.
    fn takes_along(&self) -> bool {
        let is_seen_before = !self.visits.is_empty() || self.route.is_some();
        !is_seen_before && !self.has_groups() && self.buffers.is_small(self.request.limits)
    }

    /// Uploads a chunk, runs it, and downloads its outcomes.
    pub(super) fn chunk(&mut self, transactions: &Transactions<'_>, bounds: Bounds) -> Result<End, GpuError> {
        let job = self.run_state.job;
        let begin = Instant::now();
        let along = self.takes_along();
        let placed = self.buffers.placed(job, transactions, along)?;
        self.far.upload(&self.buffers.column_addresses(), &self.addresses)?;
        let groups = self.partitions.as_ref().map_or(Ok(Groups::default()), |groups| groups.upload(transactions))?;
        let coming = if along { Coming::Along(&placed) } else { Coming::There };
        if matches!(coming, Coming::There) {
            self.buffers.arrive(&placed, transactions.are_all(job.transactions))?;
        }
        self.run_state.output.times.upload += begin.elapsed();

        let on_device = (transactions.len() as u64, groups);
        self.route(on_device)?;
        let (begin, kernel, upload) = (Instant::now(), self.kernel, self.run_state.output.times.upload);
        let visited = if bounds.is_first { self.visit(on_device)? } else { Visited::NOTHING };
        let took = self.kernel - kernel;
        let (finished, time) = &mut self.run_state.in_stages;
        (*finished, *time) = (*finished + visited.finished, *time + took);
        let tries = self.exit.tries_rest && bounds.is_first;
        let visited = if tries { self.try_rest(on_device, visited)? } else { visited };
        let mut details = visited.has_details;
        let end = match self.after_visits((on_device.0, visited.finished), took) {
            Some(end) => end,
            None => self.launches_timed(on_device, coming, bounds, visited, &mut details)?,
        };
        let times = &mut self.run_state.output.times;
        times.launch += begin.elapsed().saturating_sub((self.kernel - kernel) + (times.upload - upload));
        self.download(transactions, details)?;
        Ok(end)
    }

    /// Uploads a chunk.
    fn upload(&mut self, transactions: &Transactions<'_>) -> Result<(), GpuError> {
        let job = self.run_state.job;
        let placed = self.buffers.placed(job, transactions, false)?;
        self.far.upload(&self.buffers.column_addresses(), &self.addresses)?;
        self.buffers.arrive(&placed, transactions.are_all(job.transactions))
    }

    /// Downloads the outcomes of a chunk.
    fn download(&mut self, transactions: &Transactions<'_>, details: bool) -> Result<(), GpuError> {
        let (begin, is_known) = (Instant::now(), self.run_state.takes_counts());
        span!("download", transactions = transactions.len());
        let RunState { job, output, .. } = &mut *self.run_state;
        if details && !is_known && output.detail.is_empty() {
            output.detail = Details::zeroed(job.transactions)?;
        }
        let is_known = is_known || (self.has_few_left(transactions) && self.download_few()?);
        if !is_known {
            self.buffers.download_statuses(transactions, details, &mut self.run_state.output)?;
        }
        let RunState { output, stayed, .. } = &mut *self.run_state;
        if let Some(stayed) = stayed {
            self.buffers.leave_results(transactions, stayed)?;
        }
        if !output.results.is_empty() {
            self.buffers.download_results(transactions, output)?;
        }
        let RunOutput { status, history, .. } = output;
        if let Some(history) = history {
            status.settle();
            self.buffers.download_history(transactions, status, history)?;
        }
        output.times.download += begin.elapsed();
        Ok(())
    }

    /// Returns whether the chunk is a large batch in which few transactions are unfinished, and all others have committed.
    fn has_few_left(&self, transactions: &Transactions<'_>) -> bool {
        let RunState { job, finished, committed, .. } = &*self.run_state;
        let is_large = transactions.are_all(job.transactions) && job.transactions >= self.request.limits.lists;
        // More than there are would be a mistake of the device, which all statuses show.
        let left = (job.transactions as u64).saturating_sub(*finished);
        is_large && finished == committed && left <= MOST_LISTED && !job.options.proves && !self.has_groups()
    }

    /// Downloads which transactions are unfinished. Returns whether that are as many as have not been counted.
    fn download_few(&mut self) -> Result<bool, GpuError> {
        let RunState { job, finished, output, .. } = &mut *self.run_state;
        let left = job.transactions.saturating_sub(*finished as usize);
        let others = self.buffers.not_committed(job.transactions, left, self.request.limits)?;
        Ok(others.map(|others| output.status.commit_but(others)).is_some())
    }

    /// Returns how many transactions of the chunk had their turns: less than all if some cannot run in turn, or it is slow.
    pub(super) fn chunk_takes_turns(&mut self, transactions: &Transactions<'_>) -> Result<usize, GpuError> {
        let begin = Instant::now();
        self.upload(transactions)?;
        self.run_state.output.times.upload += begin.elapsed();

        let (begin, kernel) = (Instant::now(), self.kernel);
        self.buffers.zero_counters()?;
        let on_device = (transactions.len() as u64, Groups::default());
        let visited = self.start_visits(on_device)?;
        let counts = self.visited()?;
        self.run_state.output.times.launch += begin.elapsed().saturating_sub(self.kernel - kernel);
        if visited > 0 {
            self.run_state.add(&counts, 1);
            self.download(transactions, counts.details() > 0)?;
        }
        Ok(visited as usize)
    }
}
