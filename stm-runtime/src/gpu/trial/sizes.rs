//! The number of transactions of each candidate.
//!
//! A launch has fixed costs, so on short chunks slow engines look as fast as fast ones. The first round has short chunks
//! all the same: they expose hopeless candidates. Later rounds have few enough candidates for long chunks.

use std::time::Duration;

use super::field::FINALISTS;
use crate::gpu::backend::Limits;

/// The trial may use one in this number of transactions. They are real work, so only the work of slow candidates is lost.
const SHARE: usize = 3;
/// The number of rounds, which share the trial's transactions.
pub(super) const ROUNDS: u32 = 3;
/// The first round may use one in this number.
const PROBES: usize = 20;
/// The minimum number of transactions of a meaningful chunk.
const FEWEST_TRANSACTIONS: usize = 256;
/// A chunk has at least one transaction for this number of the threads that keep the device busy.
const FEW_FOR_THREADS: u64 = 256;
/// The transactions of a long chunk for each thread in flight, so that most transactions run while all threads are active: with
/// fewer, a quarter of the threads look better than all (one H200, 25 million accounts: 4 transactions, 2.6 to 1.1; whole batches,
/// 5.4 to 6.3).
const TRANSACTIONS_A_THREAD: u64 = 12;
/// The minimum duration of a long chunk at the rate of short chunks.
const LONG: Duration = Duration::from_micros(250);
/// The duration beyond which a chunk shows nothing more.
const AMPLE: Duration = Duration::from_millis(2);
/// The factor by which the lengths of chunks with comparable rates may differ.
const ALIKE: f64 = 1.5;
/// One engine in this number is tried on long chunks, but at least `FINALISTS`, if the transactions suffice.
const KEPT: usize = 3;

/// The number of transactions of the trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    budget: usize,
    least: usize,
    threads: usize,
}

impl Sizes {
    /// Returns the sizes for that number of transactions and engines.
    ///
    /// # Errors
    /// The batch is too small; the error is the number of transactions that are needed.
    pub(super) fn of(transactions: usize, engines: usize, limits: Limits) -> Result<Sizes, usize> {
        let least = FEWEST_TRANSACTIONS.max((limits.threads / FEW_FOR_THREADS) as usize);
        let needed = SHARE * ROUNDS as usize * engines * least;
        let threads = usize::try_from(limits.threads).unwrap_or(usize::MAX);
        if transactions < needed { Err(needed) } else { Ok(Sizes { budget: transactions / SHARE, least, threads }) }
    }

    /// Returns the transactions of a chunk in the first round.
    pub(super) fn probe(&self, engines: usize) -> usize {
        (self.budget / PROBES / engines.max(1)).clamp(self.least, self.threads.max(self.least))
    }

    /// Returns the transactions left after `visited` ones; 0 if they are too few for a chunk.
    pub(super) fn left(&self, visited: usize) -> usize {
        Some(self.budget.saturating_sub(visited)).filter(|left| *left >= self.least).unwrap_or(0)
    }
}

/// The lengths of chunks in later rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunks {
    /// Transactions of a chunk with about the rate of a whole batch.
    pub(super) long: usize,
    /// The same, or half of the remaining transactions, so that two candidates can be compared.
    enough: usize,
}

impl Chunks {
    /// Returns the lengths for the rest after the first round, from its best rate and the most threads that a candidate has in
    /// flight.
    pub(super) fn of(left: usize, rate: f64, threads: u64) -> Chunks {
        let for_threads = usize::try_from(threads.saturating_mul(TRANSACTIONS_A_THREAD)).unwrap_or(usize::MAX);
        let long = transactions_in(LONG, rate).max(for_threads).max(1);
        Chunks { long, enough: long.min(left / 2).max(1) }
    }

    /// Returns the number of candidates that `left` transactions suffice for.
    pub(super) fn room(&self, left: usize) -> usize {
        left / self.enough
    }

    /// Returns the number of engines to try on long chunks: half of the room, because shapes need the other half.
    pub(super) fn engines(&self, engines: usize, left: usize) -> usize {
        self.room(left).div_ceil(2).max(2).min(engines.div_ceil(KEPT).max(FINALISTS))
    }

    /// Returns the transactions of a chunk if candidates share that many, and the best has that rate.
    pub(super) fn transactions(&self, share: usize, candidates: usize, rate: f64) -> usize {
        (share / candidates.max(1)).clamp(self.enough, transactions_in(AMPLE, rate).max(self.enough))
    }
}

/// Returns whether a measurement on that many transactions cannot be compared with one on a chunk of that length.
pub(super) fn is_outgrown(transactions: usize, chunk: usize) -> bool {
    chunk as f64 > ALIKE * transactions as f64
}

/// Returns the number of transactions in that time, at a rate.
fn transactions_in(time: Duration, rate: f64) -> usize {
    (rate * time.as_secs_f64()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::backend::{ALONG, Cluster, HostUse, LISTED_FROM};

    const THREADS: u64 = 132 * 512;
    const LIMITS: Limits = Limits {
        block: 256,
        threads: THREADS,
        spread: true,
        shared: 48 * 1024,
        host: HostUse::Never,
        along: ALONG,
        cluster: Cluster::ONE,
        lists: LISTED_FROM,
    };
    const ENGINES: usize = 12;

    /// Returns the transactions of the second round's chunks, the number of chunks, and the transactions left after them.
    fn second_round(transactions: usize, rate: f64, threads: u64) -> (usize, usize, usize) {
        let sizes = Sizes::of(transactions, ENGINES, LIMITS).unwrap();
        let visited = ENGINES * sizes.probe(ENGINES);
        let left = sizes.left(visited);
        let chunks = Chunks::of(left, rate, threads);
        let engines = chunks.engines(ENGINES, left);
        let chunk = chunks.transactions(left / 2, engines, rate);
        let used = visited + engines * chunk;
        assert!(used <= transactions / SHARE, "{used} of {transactions}");
        (chunk, engines, sizes.left(used))
    }

    #[test]
    fn short_batches_are_refused_and_the_least_have_two_long_chunks() {
        let Err(needed) = Sizes::of(10_000, ENGINES, LIMITS) else {
            panic!("10,000 transactions are too few for 12 engines")
        };
        assert!(Sizes::of(needed - 1, ENGINES, LIMITS).is_err());
        let least = (THREADS / FEW_FOR_THREADS) as usize;
        let (chunk, engines, left) = second_round(needed, 1e9, THREADS);
        assert!(chunk > 10 * least && engines == 2 && left == 0, "{engines} of {chunk}, {left} left");
    }

    #[test]
    fn chunks_are_long_enough_to_tell_a_high_rate_from_a_low_cost() {
        let (chunk, engines, left) = second_round(1 << 24, 700e6, THREADS);
        assert!(chunk as u64 >= TRANSACTIONS_A_THREAD * THREADS && engines == 3, "{engines} of {chunk}");
        assert!(left > chunk, "and there is room for a shape: {left}");
        // Seconds for that many transactions, if the cost of a launch is small or large in comparison.
        let (fast, slow) = (
            |transactions: usize| 150e-6 + transactions as f64 / 12e9,
            |transactions: usize| 10e-6 + transactions as f64 / 0.9e9,
        );
        assert!(fast(chunk) < slow(chunk));
        let probe = Sizes::of(1 << 24, ENGINES, LIMITS).unwrap().probe(ENGINES);
        assert!(fast(probe) > slow(probe), "as short chunks cannot");
    }

    #[test]
    fn chunks_grow_with_the_batch_until_they_show_no_more() {
        let (chunk, engines, _) = second_round(1 << 34, 1e9, THREADS);
        assert_eq!((chunk, engines), (2_000_000, 4));
        // Few threads in flight: the time decides.
        let (chunk, engines, left) = second_round(5_000_000, 100e6, 2000);
        assert!(chunk >= 25_000 && engines == 4 && left >= 4 * 25_000, "{engines} of {chunk}, {left} left");
    }

    #[test]
    fn chunks_of_like_length_are_compared() {
        assert!(!is_outgrown(1000, 1400) && !is_outgrown(1000, 10) && is_outgrown(1000, 1600) && is_outgrown(0, 1));
    }
}
