//! How the memory of a chunk is laid out: one allocation, in which what the host reads after a launch comes first and what it writes
//! comes next. So a small chunk travels in one copy there and one back.

use std::ops::Range;

use crate::backend::Job;

/// Bytes between the beginnings of sections: what the driver aligns allocations to.
const ALIGNMENT: usize = 256;

/// The sections of a chunk's memory, by their offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sections {
    /// The counters of a launch, and of its phases.
    pub(super) counters: Range<usize>,
    /// `u8` for each transaction.
    pub(super) status: Range<usize>,
    /// `u32` for each transaction.
    pub(super) detail: Range<usize>,
    /// `u64` for each component and transaction.
    pub(super) results: Range<usize>,
    /// `u16` for each transaction.
    pub(super) specializations: Range<usize>,
    /// `u32` for each transaction.
    pub(super) rows: Range<usize>,
    /// The argument columns, in the order of the unit's.
    pub(super) columns: Vec<Range<usize>>,
}

impl Sections {
    /// Returns the sections for that many transactions and counters.
    pub(super) fn of(job: &Job<'_>, columns: &[(usize, usize)], counters: usize, capacity: usize) -> Sections {
        let mut end = 0_usize;
        let mut section = |bytes: usize| {
            let begin = end.next_multiple_of(ALIGNMENT);
            end = begin.saturating_add(bytes);
            begin..end
        };
        let if_some = |is_there: bool, bytes: usize| if is_there { bytes * capacity } else { 0 };
        Sections {
            counters: section(8 * counters),
            status: section(capacity),
            detail: section(4 * capacity),
            results: section(job.results.saturating_mul(8 * capacity)),
            specializations: section(if_some(job.specialization_ids.is_some(), 2)),
            rows: section(if_some(job.rows.is_some(), 4)),
            columns: columns.iter().map(|(_, column)| section(job.columns[*column].bytes(capacity) as usize)).collect(),
        }
    }

    /// Returns what the host reads after a launch, which is zero before the first one.
    pub(super) fn head(&self) -> Range<usize> {
        0..self.results.end
    }

    /// Returns what the host writes alone.
    pub(super) fn arguments(&self) -> Range<usize> {
        self.specializations.start..self.bytes()
    }

    /// Returns the sections of that.
    pub(super) fn sections_of_arguments(&self) -> impl Iterator<Item = Range<usize>> {
        [&self.specializations, &self.rows].into_iter().chain(&self.columns).cloned()
    }

    /// Returns all bytes.
    pub(super) fn bytes(&self) -> usize {
        self.columns.last().unwrap_or(&self.rows).end
    }
}
