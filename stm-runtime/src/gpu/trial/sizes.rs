//! How many rows each candidate is given.
//!
//! A launch has costs that do not depend on its rows, so that on short pieces slow engines look as fast as fast ones. The
//! first round's are short all the same: they show who is hopeless. Later rounds have as few candidates as it takes for long
//! pieces.

use std::time::Duration;

use super::field::FINALISTS;
use crate::gpu::backend::Limits;

/// The trial has one row of so many. They are real work, so that only what slow candidates do is lost.
const SHARE: usize = 3;
/// Rounds, which share the trial's rows.
pub(super) const ROUNDS: u32 = 3;
/// The first of them has one of so many.
const PROBES: usize = 20;
/// Fewer rows a piece show nothing.
const FEWEST_ROWS: usize = 256;
/// A piece has at least one row for so many of the threads that keep the device busy.
const FEW_FOR_THREADS: u64 = 256;
/// A long piece has so many rows for each thread in flight, so that most rows run while all threads are at work: with fewer, a
/// quarter of the threads look better than all (one H200, 25 million accounts: 4 rows, 2.6 to 1.1; whole tables, 5.4 to 6.3),
const ROWS_A_THREAD: u64 = 12;
/// and would take so long at the rate of short pieces.
const LONG: Duration = Duration::from_micros(250);
/// What takes longer shows no more.
const AMPLE: Duration = Duration::from_millis(2);
/// Rates on pieces whose lengths differ by less than that factor are compared.
const ALIKE: f64 = 1.5;
/// One engine of so many is tried at length, and no fewer than `FINALISTS`, where the rows suffice.
const KEPT: usize = 3;

/// How many rows the trial may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    budget: usize,
    least: usize,
    threads: usize,
}

impl Sizes {
    /// For a table of so many rows, and so many engines.
    ///
    /// # Errors
    /// The table is too small: the rows that are needed.
    pub(super) fn of(rows: usize, engines: usize, limits: Limits) -> Result<Sizes, usize> {
        let least = FEWEST_ROWS.max((limits.threads / FEW_FOR_THREADS) as usize);
        let needed = SHARE * ROUNDS as usize * engines * least;
        let threads = usize::try_from(limits.threads).unwrap_or(usize::MAX);
        if rows < needed { Err(needed) } else { Ok(Sizes { budget: rows / SHARE, least, threads }) }
    }

    /// The rows of a piece in the first round.
    pub(super) fn probe(&self, engines: usize) -> usize {
        (self.budget / PROBES / engines.max(1)).clamp(self.least, self.threads.max(self.least))
    }

    /// What there is after so many rows; nothing if that is too little for a piece.
    pub(super) fn left(&self, visited: usize) -> usize {
        Some(self.budget.saturating_sub(visited)).filter(|left| *left >= self.least).unwrap_or(0)
    }
}

/// How long the pieces of later rounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pieces {
    /// Rows that show the rate of a whole table.
    pub(super) long: usize,
    /// The same, or half of what there is, so that two can be compared.
    enough: usize,
}

impl Pieces {
    /// For what is left after the first round, by the best rate there and the most threads that a candidate has in flight.
    pub(super) fn of(left: usize, rate: f64, threads: u64) -> Pieces {
        let for_threads = usize::try_from(threads.saturating_mul(ROWS_A_THREAD)).unwrap_or(usize::MAX);
        let long = rows_in(LONG, rate).max(for_threads).max(1);
        Pieces { long, enough: long.min(left / 2).max(1) }
    }

    /// How many candidates so many rows suffice for.
    pub(super) fn room(&self, left: usize) -> usize {
        left / self.enough
    }

    /// How many of so many engines are tried at length: half of the room, for the other half is for shapes.
    pub(super) fn engines(&self, engines: usize, left: usize) -> usize {
        self.room(left).div_ceil(2).max(2).min(engines.div_ceil(KEPT).max(FINALISTS))
    }

    /// The rows of a piece where candidates share so many, and the best has that rate.
    pub(super) fn rows(&self, share: usize, candidates: usize, rate: f64) -> usize {
        (share / candidates.max(1)).clamp(self.enough, rows_in(AMPLE, rate).max(self.enough))
    }
}

/// What was measured on so many rows says nothing beside what is measured on a piece of that length.
pub(super) fn is_outgrown(rows: usize, piece: usize) -> bool {
    piece as f64 > ALIKE * rows as f64
}

/// Rows in that time, at a rate.
fn rows_in(time: Duration, rate: f64) -> usize {
    (rate * time.as_secs_f64()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: u64 = 132 * 512;
    const LIMITS: Limits = Limits { block: 256, threads: THREADS, spread: true, shared: 48 * 1024 };
    const ENGINES: usize = 12;

    /// The rows of the second round's pieces, how many there are, and what is left after them.
    fn second_round(rows: usize, rate: f64, threads: u64) -> (usize, usize, usize) {
        let sizes = Sizes::of(rows, ENGINES, LIMITS).unwrap();
        let visited = ENGINES * sizes.probe(ENGINES);
        let left = sizes.left(visited);
        let pieces = Pieces::of(left, rate, threads);
        let engines = pieces.engines(ENGINES, left);
        let piece = pieces.rows(left / 2, engines, rate);
        let used = visited + engines * piece;
        assert!(used <= rows / SHARE, "{used} of {rows}");
        (piece, engines, sizes.left(used))
    }

    #[test]
    fn short_tables_are_refused_and_the_least_have_two_long_pieces() {
        let Err(needed) = Sizes::of(10_000, ENGINES, LIMITS) else { panic!("10,000 rows are too few for 12 engines") };
        assert!(Sizes::of(needed - 1, ENGINES, LIMITS).is_err());
        let least = (THREADS / FEW_FOR_THREADS) as usize;
        let (piece, engines, left) = second_round(needed, 1e9, THREADS);
        assert!(piece > 10 * least && engines == 2 && left == 0, "{engines} of {piece}, {left} left");
    }

    #[test]
    fn pieces_are_long_enough_to_tell_a_high_rate_from_a_low_cost() {
        let (piece, engines, left) = second_round(1 << 24, 700e6, THREADS);
        assert!(piece as u64 >= ROWS_A_THREAD * THREADS && engines == 3, "{engines} of {piece}");
        assert!(left > piece, "and there is room for a shape: {left}");
        // Seconds for so many rows, where a launch costs much or little beside them.
        let (fast, slow) = (|rows: usize| 150e-6 + rows as f64 / 12e9, |rows: usize| 10e-6 + rows as f64 / 0.9e9);
        assert!(fast(piece) < slow(piece));
        let probe = Sizes::of(1 << 24, ENGINES, LIMITS).unwrap().probe(ENGINES);
        assert!(fast(probe) > slow(probe), "as short pieces cannot");
    }

    #[test]
    fn pieces_grow_with_the_table_until_they_show_no_more() {
        let (piece, engines, _) = second_round(1 << 34, 1e9, THREADS);
        assert_eq!((piece, engines), (2_000_000, 4));
        // Few threads in flight: the time decides.
        let (piece, engines, left) = second_round(5_000_000, 100e6, 2000);
        assert!(piece >= 25_000 && engines == 4 && left >= 4 * 25_000, "{engines} of {piece}, {left} left");
    }

    #[test]
    fn pieces_of_like_length_are_compared() {
        assert!(!is_outgrown(1000, 1400) && !is_outgrown(1000, 10) && is_outgrown(1000, 1600) && is_outgrown(0, 1));
    }
}
