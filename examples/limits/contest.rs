//! The measurement: who runs, in which order, and what is kept of it.

use std::time::Duration;

use stm_runtime::Error;

/// The numbers of threads that are tried: all that the device holds, divided by these.
const DIVISORS: [u64; 6] = [1, 2, 4, 8, 32, 128];
/// Fewer threads are not tried.
const FEWEST: u64 = 32;

/// A kernel that runs the table.
pub(crate) trait Contestant {
    fn name(&self) -> &str;

    /// Threads of this kernel that the device holds at once.
    fn most_threads(&self) -> Result<u64, Error>;

    /// Runs the whole table once, from the start.
    fn run(&mut self, threads: u64) -> Result<Run, Error>;
}

/// One run of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) threads: u64,
    /// On the device.
    pub(crate) time: Duration,
    pub(crate) committed: u64,
    pub(crate) conflicts: u64,
    /// The total is what it was before.
    pub(crate) conserved: bool,
}

impl Run {
    /// Commits a second.
    pub(crate) fn rate(&self) -> f64 {
        self.committed as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// All timed runs of one kernel, at its best number of threads.
pub(crate) struct Score {
    pub(crate) name: String,
    /// Never empty; ascending by rate.
    runs: Vec<Run>,
    /// Money was conserved in every run, those that only tried a number of threads included.
    pub(crate) conserved: bool,
}

impl Score {
    /// The run with the median rate.
    pub(crate) fn median(&self) -> &Run {
        &self.runs[self.runs.len() / 2]
    }

    pub(crate) fn slowest(&self) -> f64 {
        self.runs[0].rate()
    }

    pub(crate) fn fastest(&self) -> f64 {
        self.runs[self.runs.len() - 1].rate()
    }
}

/// Lets all run the table: first each with several numbers of threads, then `repeat` times in turn.
pub(crate) fn measure(contestants: &mut [&mut dyn Contestant], repeat: u32) -> Result<Vec<Score>, Error> {
    let mut best = Vec::new();
    let mut scores = Vec::new();
    for contestant in contestants.iter_mut() {
        let (threads, conserved) = best_threads(&mut **contestant)?;
        best.push(threads);
        scores.push(Score { name: contestant.name().to_owned(), runs: Vec::new(), conserved });
    }
    for _ in 0..repeat {
        for ((contestant, threads), score) in contestants.iter_mut().zip(&best).zip(&mut scores) {
            let run = contestant.run(*threads)?;
            score.conserved &= run.conserved;
            score.runs.push(run);
        }
    }
    for score in &mut scores {
        score.runs.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
    }
    Ok(scores)
}

/// The number of threads with the highest rate, and whether money was conserved on the way to it.
fn best_threads(contestant: &mut dyn Contestant) -> Result<(u64, bool), Error> {
    let most = contestant.most_threads()?;
    // The first run pays for what is done once, such as loading the kernel.
    let mut conserved = contestant.run(most)?.conserved;
    let (mut best, mut best_rate) = (most, 0.0);
    let mut threads: Vec<u64> = DIVISORS.iter().map(|divisor| (most / divisor).max(FEWEST.min(most))).collect();
    threads.dedup();
    for threads in threads {
        let run = contestant.run(threads)?;
        conserved &= run.conserved;
        if run.rate() > best_rate {
            (best, best_rate) = (threads, run.rate());
        }
    }
    Ok((best, conserved))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fastest with eight threads.
    struct Eight;

    impl Contestant for Eight {
        fn name(&self) -> &str {
            "eight"
        }

        fn most_threads(&self) -> Result<u64, Error> {
            Ok(1024)
        }

        fn run(&mut self, threads: u64) -> Result<Run, Error> {
            let time = Duration::from_micros(1000 + threads.abs_diff(256));
            Ok(Run { threads, time, committed: 1000, conflicts: 0, conserved: threads != 32 })
        }
    }

    #[test]
    fn the_best_number_of_threads_is_repeated() {
        let scores = measure(&mut [&mut Eight], 3).unwrap();
        assert_eq!((scores[0].median().threads, scores[0].runs.len()), (256, 3));
        assert!(!scores[0].conserved, "a loss while trying is not forgotten");
        assert!(scores[0].slowest() <= scores[0].fastest());
    }
}
