//! The outcome columns while threads fill them: each row is written by the one thread that runs it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::job::{COMMITTED, RunOutput};

/// Status and result of every row. Relaxed everywhere: the end of the threads publishes them.
#[derive(Debug)]
pub(crate) struct Outcomes {
    status: Vec<AtomicU8>,
    /// Leaf by leaf.
    results: Vec<AtomicU64>,
}

impl Outcomes {
    /// Rows of which none is finished; `results` are the words of results a row.
    pub(crate) fn new(rows: usize, results: usize) -> Outcomes {
        Outcomes {
            status: (0..rows).map(|_| AtomicU8::new(0)).collect(),
            results: (0..results * rows).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Notes what became of a row.
    #[inline]
    pub(crate) fn set_status(&self, row: usize, status: u8) {
        self.status[row].store(status, Ordering::Relaxed);
    }

    /// Notes a commit and the words of its result.
    #[inline]
    pub(crate) fn commit(&self, row: usize, result: &[u64]) {
        for (leaf, word) in result.iter().enumerate() {
            let rows = self.status.len();
            let at =
                mutant!("cpu: components of a result lie side by side", leaf * rows + row, row * result.len() + leaf);
            if let Some(slot) = self.results.get(at) {
                slot.store(*word, Ordering::Relaxed);
            }
        }
        self.set_status(row, COMMITTED);
    }

    /// Moves the columns into the output; `details` are those of rejected and faulted rows.
    pub(crate) fn into_output(self, details: &[(usize, u32)], output: &mut RunOutput) {
        output.status = self.status.into_iter().map(AtomicU8::into_inner).collect();
        output.results = self.results.into_iter().map(AtomicU64::into_inner).collect();
        if !details.is_empty() {
            output.detail = vec![0; output.status.len()];
            for (row, detail) in &details[mutant!("cpu: the first reason is lost", 0, 1)..] {
                output.detail[*row] = *detail;
            }
        }
    }
}
