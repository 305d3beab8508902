//! The rows of a table: made by many threads, the same however many there are.

use std::num::NonZero;
use std::thread;

use rand::SeedableRng;

use crate::benchmark::{Benchmark, Rng};

/// Rows that one generator of random numbers makes.
const CHUNK: u64 = 1 << 14;
/// An odd number, so that no two seeds give the same numbers for their chunks.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The rows of a table, arranged.
#[must_use]
pub fn rows<B: Benchmark>(benchmark: &B, transactions: u64, seed: u64) -> Vec<B::Row> {
    rows_on(benchmark, transactions, seed, thread::available_parallelism().map_or(1, NonZero::get))
}

/// The same on so many threads.
fn rows_on<B: Benchmark>(benchmark: &B, transactions: u64, seed: u64, threads: usize) -> Vec<B::Row> {
    let chunks = transactions.div_ceil(CHUNK);
    let share = chunks.div_ceil(threads.max(1) as u64).max(1);
    let part = |first: u64| some(benchmark, seed, first..(first + share).min(chunks), transactions);
    let mut rows = thread::scope(|scope| {
        let parts: Vec<_> = (0..chunks).step_by(share as usize).map(|first| scope.spawn(move || part(first))).collect();
        let mut rows = Vec::new();
        for part in parts {
            // The first part is kept, and grows once.
            let part = part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if rows.is_empty() {
                rows = part;
                rows.reserve_exact(transactions as usize - rows.len());
            } else {
                rows.extend_from_slice(&part);
            }
        }
        rows
    });
    benchmark.arrange(&mut rows);
    rows
}

/// The rows of some chunks.
fn some<B: Benchmark>(benchmark: &B, seed: u64, chunks: std::ops::Range<u64>, transactions: u64) -> Vec<B::Row> {
    let mut rows = Vec::with_capacity(((chunks.end - chunks.start) * CHUNK) as usize);
    for chunk in chunks {
        let mut rng = Rng::seed_from_u64(seed.wrapping_mul(SPREAD).wrapping_add(chunk));
        let numbers = chunk * CHUNK..((chunk + 1) * CHUNK).min(transactions);
        rows.extend(numbers.map(|number| benchmark.row(&mut rng, number)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Counters;

    #[test]
    fn rows_do_not_depend_on_the_number_of_threads() {
        let benchmark = Counters::default();
        let one = rows_on(&benchmark, 3 * CHUNK + 7, 5, 1);
        assert_eq!(one.len() as u64, 3 * CHUNK + 7);
        for threads in [2, 3, 4, 64] {
            assert!(one == rows_on(&benchmark, 3 * CHUNK + 7, 5, threads), "{threads} threads");
        }
        assert!(one != rows_on(&benchmark, 3 * CHUNK + 7, 6, 1), "another seed, other rows");
        // Each chunk has numbers of its own.
        assert_ne!(one[..CHUNK as usize], one[CHUNK as usize..2 * CHUNK as usize]);
        assert!(rows_on(&benchmark, 0, 5, 4).is_empty());
    }
}
