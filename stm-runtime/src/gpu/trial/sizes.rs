//! How many transactions each candidate is given.
//!
//! A launch has costs that do not depend on its transactions, so that on short chunks slow engines look as fast as fast ones. The
//! first round's are short all the same: they show who is hopeless. Later rounds have as few candidates as it takes for long
//! chunks.

use std::time::Duration;

use super::field::FINALISTS;
use crate::gpu::backend::Limits;

/// The trial has one transaction of so many. They are real work, so that only what slow candidates do is lost.
const SHARE: usize = 3;
/// Rounds, which share the trial's transactions.
pub(super) const ROUNDS: u32 = 3;
/// The first of them has one of so many.
const PROBES: usize = 20;
/// Fewer transactions a chunk show nothing.
const FEWEST_TRANSACTIONS: usize = 256;
/// A chunk has at least one transaction for so many of the threads that keep the device busy.
const FEW_FOR_THREADS: u64 = 256;
/// A long chunk has so many transactions for each thread in flight, so that most transactions run while all threads are at work: with fewer, a
/// quarter of the threads look better than all (one H200, 25 million accounts: 4 transactions, 2.6 to 1.1; whole batches, 5.4 to 6.3),
const TRANSACTIONS_A_THREAD: u64 = 12;
/// and would take so long at the rate of short chunks.
const LONG: Duration = Duration::from_micros(250);
/// What takes longer shows no more.
const AMPLE: Duration = Duration::from_millis(2);
/// Rates on chunks whose lengths differ by less than that factor are compared.
const ALIKE: f64 = 1.5;
/// One engine of so many is tried at length, and no fewer than `FINALISTS`, where the transactions suffice.
const KEPT: usize = 3;

/// How many transactions the trial may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    budget: usize,
    least: usize,
    threads: usize,
}

impl Sizes {
    /// For a batch of so many transactions, and so many engines.
    ///
    /// # Errors
    /// The batch is too small: the transactions that are needed.
    pub(super) fn of(transactions: usize, engines: usize, limits: Limits) -> Result<Sizes, usize> {
        let least = FEWEST_TRANSACTIONS.max((limits.threads / FEW_FOR_THREADS) as usize);
        let needed = SHARE * ROUNDS as usize * engines * least;
        let threads = usize::try_from(limits.threads).unwrap_or(usize::MAX);
        if transactions < needed { Err(needed) } else { Ok(Sizes { budget: transactions / SHARE, least, threads }) }
    }

    /// The transactions of a chunk in the first round.
    pub(super) fn probe(&self, engines: usize) -> usize {
        (self.budget / PROBES / engines.max(1)).clamp(self.least, self.threads.max(self.least))
    }

    /// What there is after so many transactions; nothing if that is too little for a chunk.
    pub(super) fn left(&self, visited: usize) -> usize {
        Some(self.budget.saturating_sub(visited)).filter(|left| *left >= self.least).unwrap_or(0)
    }
}

/// How long the chunks of later rounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunks {
    /// Transactions that show the rate of a whole batch.
    pub(super) long: usize,
    /// The same, or half of what there is, so that two can be compared.
    enough: usize,
}

impl Chunks {
    /// For what is left after the first round, by the best rate there and the most threads that a candidate has in flight.
    pub(super) fn of(left: usize, rate: f64, threads: u64) -> Chunks {
        let for_threads = usize::try_from(threads.saturating_mul(TRANSACTIONS_A_THREAD)).unwrap_or(usize::MAX);
        let long = transactions_in(LONG, rate).max(for_threads).max(1);
        Chunks { long, enough: long.min(left / 2).max(1) }
    }

    /// How many candidates so many transactions suffice for.
    pub(super) fn room(&self, left: usize) -> usize {
        left / self.enough
    }

    /// How many of so many engines are tried at length: half of the room, for the other half is for shapes.
    pub(super) fn engines(&self, engines: usize, left: usize) -> usize {
        self.room(left).div_ceil(2).max(2).min(engines.div_ceil(KEPT).max(FINALISTS))
    }

    /// The transactions of a chunk where candidates share so many, and the best has that rate.
    pub(super) fn transactions(&self, share: usize, candidates: usize, rate: f64) -> usize {
        (share / candidates.max(1)).clamp(self.enough, transactions_in(AMPLE, rate).max(self.enough))
    }
}

/// What was measured on so many transactions says nothing beside what is measured on a chunk of that length.
pub(super) fn is_outgrown(transactions: usize, chunk: usize) -> bool {
    chunk as f64 > ALIKE * transactions as f64
}

/// Transactions in that time, at a rate.
fn transactions_in(time: Duration, rate: f64) -> usize {
    (rate * time.as_secs_f64()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: u64 = 132 * 512;
    const LIMITS: Limits = Limits { block: 256, threads: THREADS, spread: true, shared: 48 * 1024 };
    const ENGINES: usize = 12;

    /// The transactions of the second round's chunks, how many there are, and what is left after them.
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
        // Seconds for so many transactions, where a launch costs much or little beside them.
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
