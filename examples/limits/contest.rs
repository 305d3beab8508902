//! The measurement: the kernels, their order, and the stored results.

use std::time::Duration;

use gpu_transactions::Error;

/// The launch shapes to try: all threads that the device holds, divided by these; in full warps, and spread over as many warps as
/// possible. Under contention, few lanes in many warps are often best.
const DENSE: [u64; 6] = [1, 2, 4, 8, 32, 128];
const SPREAD: [u64; 4] = [8, 32, 128, 512];
/// The fewest threads to try.
const FEWEST: u64 = 32;

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) threads: u64,
    /// Over as many warps as the device holds; otherwise in full warps.
    pub(crate) spread: bool,
}

/// A kernel that runs the batch.
pub(crate) trait Contestant {
    fn name(&self) -> &str;

    /// Returns the threads of this kernel that the device holds at once.
    fn most_threads(&self) -> Result<u64, Error>;

    /// Runs the whole batch once, from the start.
    fn run(&mut self, shape: Shape) -> Result<Run, Error>;
}

/// One run of the batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) threads: u64,
    /// Working lanes of each warp.
    pub(crate) lanes: u64,
    /// On the device.
    pub(crate) time: Duration,
    pub(crate) committed: u64,
    pub(crate) conflicts: u64,
    /// The total is what it was before.
    pub(crate) conserved: bool,
}

impl Run {
    /// Returns commits a second.
    pub(crate) fn rate(&self) -> f64 {
        self.committed as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// All timed runs of one kernel, in its best shape.
pub(crate) struct Score {
    pub(crate) name: String,
    /// Never empty; in ascending order of the rate.
    runs: Vec<Run>,
    /// Money was conserved in every run, including those that tried a shape.
    pub(crate) conserved: bool,
}

impl Score {
    /// Returns the run with the median rate.
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

/// Measures all kernels: first each with several shapes, then `repeat` times in turn.
pub(crate) fn measure(contestants: &mut [&mut dyn Contestant], repeat: u32) -> Result<Vec<Score>, Error> {
    let mut best = Vec::new();
    let mut scores = Vec::new();
    for contestant in contestants.iter_mut() {
        let (shape, conserved) = best_shape(&mut **contestant)?;
        best.push(shape);
        scores.push(Score { name: contestant.name().to_owned(), runs: Vec::new(), conserved });
    }
    for _ in 0..repeat {
        for ((contestant, shape), score) in contestants.iter_mut().zip(&best).zip(&mut scores) {
            let run = contestant.run(*shape)?;
            score.conserved &= run.conserved;
            score.runs.push(run);
        }
    }
    for score in &mut scores {
        score.runs.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
    }
    Ok(scores)
}

/// Returns the shape with the highest rate, and whether money was conserved in all runs up to it.
fn best_shape(contestant: &mut dyn Contestant) -> Result<(Shape, bool), Error> {
    let shapes = shapes(contestant.most_threads()?);
    // The first run includes one-time costs, such as loading the kernel.
    let mut conserved = contestant.run(shapes[0])?.conserved;
    let (mut best, mut best_rate) = (shapes[0], 0.0);
    for shape in shapes {
        let run = contestant.run(shape)?;
        conserved &= run.conserved;
        if run.rate() > best_rate {
            (best, best_rate) = (shape, run.rate());
        }
    }
    Ok((best, conserved))
}

fn shapes(most: u64) -> Vec<Shape> {
    let threads = |divisor: &u64| (most / divisor).max(FEWEST.min(most));
    let dense = DENSE.iter().map(|divisor| Shape { threads: threads(divisor), spread: false });
    let spread = SPREAD.iter().map(|divisor| Shape { threads: threads(divisor), spread: true });
    let mut all: Vec<Shape> = dense.chain(spread).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that is fastest with 256 threads.
    struct Picky;

    impl Contestant for Picky {
        fn name(&self) -> &str {
            "picky"
        }

        fn most_threads(&self) -> Result<u64, Error> {
            Ok(1024)
        }

        fn run(&mut self, shape: Shape) -> Result<Run, Error> {
            let threads = shape.threads;
            let time = Duration::from_micros(1000 + threads.abs_diff(256));
            Ok(Run { threads, lanes: 32, time, committed: 1000, conflicts: 0, conserved: threads != 32 })
        }
    }

    #[test]
    fn the_best_shape_is_repeated() {
        let scores = measure(&mut [&mut Picky], 3).unwrap();
        assert_eq!((scores[0].median().threads, scores[0].runs.len()), (256, 3));
        assert!(!scores[0].conserved, "a loss while trying is not forgotten");
        assert!(scores[0].slowest() <= scores[0].fastest());
    }
}
