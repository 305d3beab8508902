//! The transactions of a stage that no thread has claimed yet.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The most transactions that a thread claims at once: few enough to share the work evenly, enough to make claiming free.
const MAX_CHUNK: usize = 4096;
/// The claims of each thread of a stage.
const CLAIMS: usize = 8;

/// Transactions to be claimed.
#[derive(Debug)]
pub(crate) struct Supply {
    begin: usize,
    next: AtomicUsize,
    end: usize,
    /// The transactions of a claim; `None` for one thread that looks at the clock: as many as it has claimed before.
    chunk: Option<usize>,
    /// When no transaction may be claimed any more.
    until: Option<Instant>,
}

impl Supply {
    /// Returns the supply for that many threads.
    pub(crate) fn of(transactions: Range<usize>, threads: usize) -> Supply {
        let chunk = (transactions.len() / (CLAIMS * threads)).clamp(1, MAX_CHUNK);
        Supply {
            begin: transactions.start,
            next: AtomicUsize::new(transactions.start),
            end: transactions.end,
            chunk: Some(chunk),
            until: None,
        }
    }

    /// Ends the supply at that time. Where one thread takes from it, it is late by no more than the time that it had.
    pub(crate) fn until(self, until: Instant, threads: usize) -> Supply {
        Supply { until: Some(until), chunk: self.chunk.filter(|_| threads > 1), ..self }
    }

    /// Claims the next transactions.
    pub(crate) fn claim(&self) -> Option<Range<usize>> {
        // The counter must not grow without bound: it would eventually wrap around to the first transaction.
        let next = self.next.load(Ordering::Relaxed);
        let is_left = next < self.end && self.until.is_none_or(|until| Instant::now() < until);
        let chunk = self.chunk.unwrap_or_else(|| (next - self.begin).clamp(1, MAX_CHUNK));
        let start = if is_left { self.next.fetch_add(chunk, Ordering::Relaxed) } else { self.end };
        mutant!("cpu: the last transaction is not claimed", start < self.end, start + 1 < self.end)
            .then(|| start..(start + chunk).min(self.end))
    }

    /// Returns the transactions that were not claimed. No thread claims any more.
    pub(crate) fn rest(&self) -> Range<usize> {
        let next = self.next.load(Ordering::Relaxed).min(self.end);
        let begin = mutant!("cpu: a stage begins where the one before it began", next, self.begin);
        mutant!("cpu: a stage that ends early is taken for whole", begin, self.end)..self.end
    }
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;

    hunted! {
        each_transaction_is_claimed_once
    }

    #[cfg_attr(test, test)]
    fn each_transaction_is_claimed_once() {
        for (threads, until) in [(1, None), (3, None), (1, Some(Duration::from_secs(60))), (3, Some(Duration::ZERO))] {
            let supply = Supply::of(5..10_000, threads);
            let supply = match until {
                Some(time) => supply.until(Instant::now() + time, threads),
                None => supply,
            };
            let claimed: Vec<usize> = std::iter::from_fn(|| supply.claim()).flatten().collect();
            let all: Vec<usize> = claimed.into_iter().chain(supply.rest()).collect();
            assert_eq!(all, (5..10_000).collect::<Vec<_>>());
            assert_eq!(supply.rest().is_empty(), until != Some(Duration::ZERO));
        }
    }
}
