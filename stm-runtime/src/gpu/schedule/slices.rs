//! The slices of a chunk in which the stages for transactions of any order test them.
//!
//! The test compares an element with all that the transactions of a slice may take from it. In a whole batch that can be more than
//! there is, although most transactions would find enough at their turn. In a slice of fewer transactions it is less; what these add and
//! take is in the elements before the next slice. So slices of the right size let nearly all transactions pass that ever can, and too
//! small ones would not fill the device.

use std::ops::Range;

/// The fewest transactions of a slice. With fewer, locks are faster.
const FEWEST: u64 = 1 << 12;
/// The part of the transactions of a slice that should pass, at least and at most: with less, slices become smaller, with more, larger.
const PASS: Range<f64> = 0.6..0.85;
/// The part of the pending transactions that a sweep over the chunk has to commit for another sweep.
const PROGRESS: f64 = 0.125;

/// Chooses slices from what passed before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slices {
    transactions: u64,
    /// Transactions that are not finished.
    pending: u64,
    /// Those at the beginning of the sweep.
    before: u64,
    /// The first transaction of the next slice.
    next: u64,
    size: u64,
}

impl Slices {
    /// Returns the slices of a chunk after a test of all its transactions together, which left some pending.
    pub(crate) fn after_all(transactions: u64, pending: u64, elements: u64) -> Slices {
        let size = (elements * 16).clamp(FEWEST, transactions.max(FEWEST));
        Slices { transactions, pending, before: pending, next: 0, size }
    }

    /// Returns the next slice; `None` if others are not worth it.
    pub(crate) fn next(&mut self) -> Option<Range<u64>> {
        if self.next >= self.transactions {
            let committed = self.before - self.pending;
            if (committed as f64) < PROGRESS * self.before as f64 {
                return None;
            }
            (self.before, self.next) = (self.pending, 0);
        }
        let is_small = self.size < FEWEST || self.pending < FEWEST;
        (!is_small).then(|| self.next..self.transactions.min(self.next + self.range()))
    }

    /// Takes the number of transactions of a slice that have committed.
    pub(crate) fn learn(&mut self, slice: &Range<u64>, committed: u64) {
        let tested = (slice.end - slice.start) as f64 * self.before as f64 / self.transactions as f64;
        let passed = committed as f64 / tested.max(1.0);
        self.pending = self.pending.saturating_sub(committed);
        self.next = slice.end;
        if passed < PASS.start {
            self.size /= 2;
        } else if passed > PASS.end {
            self.size = self.size.saturating_mul(2);
        }
    }

    /// Returns the transactions of the chunk among which a slice's worth of pending ones is expected.
    fn range(&self) -> u64 {
        (self.size as f64 * self.transactions as f64 / self.before.max(1) as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs slices of which at most `capacity` transactions pass, until no more follow. Returns their number, and what is left.
    fn run(transactions: u64, capacity: u64) -> (u64, u64) {
        let (mut pending, mut count) = (transactions, 0);
        let mut slices = Slices::after_all(transactions, pending, 1000);
        while let Some(slice) = slices.next() {
            assert!(slice.start < slice.end && slice.end <= transactions && count < 10_000, "{slice:?}");
            let committed = capacity.min(slice.end - slice.start).min(pending);
            slices.learn(&slice, committed);
            (pending, count) = (pending - committed, count + 1);
        }
        (count, pending)
    }

    #[test]
    fn slices_find_the_size_at_which_most_transactions_pass() {
        let (count, left) = run(1 << 20, 1 << 14);
        assert!(left < FEWEST && count < 3 * (1 << 6), "{count} slices, {left} left");
    }

    #[test]
    fn slices_end_where_nothing_passes() {
        let (count, left) = run(1 << 20, 0);
        assert!(count < 16 && left == 1 << 20, "{count}");
    }

    #[test]
    fn a_small_chunk_has_no_slices() {
        assert_eq!(run(FEWEST - 1, u64::MAX), (0, FEWEST - 1));
    }
}
