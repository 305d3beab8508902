//! The stage in which transactions of any order reserve what they take, one pass over a chunk after the other.
//!
//! Those that announce more than an element has, because many do at the same time, take it back and try again in the next pass. The more
//! threads, the more of them do. So the number of threads is measured.

use std::time::Duration;

use kernels_gen::abi::launch::Launch;
use kernels_gen::device::{Stage, Work};

use super::climb::Climb;
use super::geometry::Geometry;
use super::run::{Run, SLICE};
use super::visits::{CLIMBS, next_piece};
use crate::error::GpuError;
use crate::gpu::memory::partitions::Groups;

/// The fewest transactions that are worth a pass.
const FEWEST: u64 = 1 << 4;
/// The part of a chunk that has to be left for a search for the number of threads.
const MANY: u64 = 32;
/// The transactions a second that a pass has to commit for another pass: about what locks do with elements for which many wait.
const LOCKS: f64 = 2e6;
/// The time of a launch from which its rate counts: one that visits little says nothing.
const SHORT: Duration = Duration::from_micros(100);
/// The threads for each element in the first launch: the best number for 1,000 elements (one H100, docs/results).
const THREADS_OF_ELEMENT: u64 = 64;

impl Run<'_, '_> {
    /// Launches the stage on what the stages before it have left of a chunk, as long as that brings something.
    pub(super) fn retry(&mut self, stage: &Stage, all: Geometry, chunk: (u64, Groups)) -> Result<(), GpuError> {
        let mut left = chunk.0.saturating_sub(self.visited()?.finished());
        if left < FEWEST || self.run_state.must_end().is_some() {
            return Ok(());
        }
        self.sums.zero()?;
        // Where few are left, a launch passes many more, and the number of threads does not matter.
        let are_few = left <= chunk.0 / MANY;
        let least = if are_few { MANY * CLIMBS } else { CLIMBS };
        let is_searched = self.request.threads.is_none() && !are_few;
        let mut climb =
            is_searched.then(|| Climb::new(THREADS_OF_ELEMENT.saturating_mul(self.sums.elements()), all.threads()));
        loop {
            let (before, kernel) = (left, self.kernel);
            self.pass(stage, all, chunk, least, &mut climb)?;
            left = chunk.0.saturating_sub(self.visited()?.finished());
            let rate = before.saturating_sub(left) as f64 / (self.kernel - kernel).as_secs_f64().max(1e-9);
            let is_over = left < FEWEST || rate < self.slowest();
            if is_over || self.run_state.must_end().is_some() {
                break;
            }
        }
        // What was reserved is committed, also in a run that ends early.
        for (stage, geometry) in self.visits.clone() {
            if let Work::Settle(_) = stage.work {
                self.start_once(stage, geometry, chunk, false)?;
            }
        }
        Ok(())
    }

    /// Returns the rate below which others are faster.
    fn slowest(&self) -> f64 {
        LOCKS.max(self.exit.floor)
    }

    /// Makes one pass over the chunk, at least that many transactions a thread in a launch, and looks at the limits of the run in between. It ends
    /// early where others are faster.
    fn pass(
        &mut self,
        stage: &Stage,
        all: Geometry,
        chunk: (u64, Groups),
        least: u64,
        climb: &mut Option<Climb>,
    ) -> Result<(), GpuError> {
        let (mut first, mut piece, mut finished) = (0, 0, self.visited()?.finished());
        while first < chunk.0 && self.run_state.must_end().is_none() {
            let geometry = climb.as_ref().map_or(all, |climb| self.shape_of(stage, all, climb.threads()));
            let measures = climb.as_ref().is_some_and(Climb::measures);
            let fewest = least * geometry.threads();
            piece = if measures { fewest } else { piece.max(fewest) };
            let end = chunk.0.min(first.saturating_add(piece));
            let parameters = Launch { first, end, ..self.parameters(geometry, chunk, false, SLICE) };
            let (before, kernel) = (finished, self.kernel);
            self.start(stage.entry, geometry, &parameters)?;
            let took = self.kernel - kernel;
            finished = self.visited()?.finished();
            let rate = finished.saturating_sub(before) as f64 / took.as_secs_f64().max(1e-9);
            if let Some(climb) = climb.as_mut().filter(|_| measures && end - first >= geometry.threads()) {
                climb.learn(rate);
            } else if took > SHORT && rate < self.slowest() {
                break;
            }
            first = end;
            piece = next_piece(piece, geometry.threads(), took);
        }
        Ok(())
    }
}
