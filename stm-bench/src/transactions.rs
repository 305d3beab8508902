//! The transactions of a batch: made by many threads, and independent of their number.

use std::num::NonZero;
use std::thread;

use rand::SeedableRng;

use crate::benchmark::{Benchmark, Rng};

/// Transactions that share one generator of random numbers.
const CHUNK: u64 = 1 << 14;
/// An odd number, so that no two seeds give the same numbers for their chunks.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the transactions of a batch, arranged.
#[must_use]
pub fn generate<B: Benchmark>(benchmark: &B, count: u64, seed: u64) -> Vec<B::Transaction> {
    transactions_on(benchmark, count, seed, thread::available_parallelism().map_or(1, NonZero::get))
}

/// Returns the same, made on `threads` threads.
fn transactions_on<B: Benchmark>(benchmark: &B, count: u64, seed: u64, threads: usize) -> Vec<B::Transaction> {
    if count == 0 {
        return Vec::new();
    }
    // The memory is allocated once, and each thread writes its part.
    let mut transactions = vec![benchmark.transaction(&mut numbers(seed, 0), 0); count as usize];
    let share = count.div_ceil(CHUNK).div_ceil(threads.max(1) as u64) * CHUNK;
    thread::scope(|scope| {
        let parts = transactions.chunks_mut(share as usize).zip((0..).step_by(share as usize));
        let parts: Vec<_> =
            parts.map(|(part, first)| scope.spawn(move || fill(benchmark, seed, first, part))).collect();
        for part in parts {
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    benchmark.arrange(&mut transactions);
    transactions
}

/// Makes the transactions from `first` on, which begins a chunk.
fn fill<B: Benchmark>(benchmark: &B, seed: u64, first: u64, transactions: &mut [B::Transaction]) {
    for (chunk, transactions) in (first / CHUNK..).zip(transactions.chunks_mut(CHUNK as usize)) {
        let mut rng = numbers(seed, chunk);
        for (number, transaction) in (chunk * CHUNK..).zip(transactions) {
            *transaction = benchmark.transaction(&mut rng, number);
        }
    }
}

/// Returns the random numbers of a chunk.
fn numbers(seed: u64, chunk: u64) -> Rng {
    Rng::seed_from_u64(seed.wrapping_mul(SPREAD).wrapping_add(chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Counters;

    #[test]
    fn transactions_do_not_depend_on_the_number_of_threads() {
        let benchmark = Counters::default();
        let one = transactions_on(&benchmark, 3 * CHUNK + 7, 5, 1);
        assert_eq!(one.len() as u64, 3 * CHUNK + 7);
        for threads in [2, 3, 4, 64] {
            assert!(one == transactions_on(&benchmark, 3 * CHUNK + 7, 5, threads), "{threads} threads");
        }
        assert!(one != transactions_on(&benchmark, 3 * CHUNK + 7, 6, 1), "another seed, other transactions");
        // Each chunk has numbers of its own.
        assert_ne!(one[..CHUNK as usize], one[CHUNK as usize..2 * CHUNK as usize]);
        assert!(transactions_on(&benchmark, 0, 5, 4).is_empty());
    }
}
