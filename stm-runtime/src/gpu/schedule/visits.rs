//! The launches on a chunk before its transactions are executed: the stages that visit them.

use std::ops::Range;
use std::time::Duration;

use kernels_gen::abi::{counters::Counter, launch::Launch};
use kernels_gen::device::{Stage, Visited as Visit, Work};

use super::climb::{self, Climb};
use super::geometry::Geometry;
use super::route::Route;
use super::run::{FIRST_TURNS, Run, SLICE};
use super::run_state::{Counts, Visited};
use crate::backend::Order;
use crate::error::GpuError;
use crate::gpu::memory::partitions::Groups;
use crate::gpu::memory::routes::Routes;
use crate::gpu::spread::is_of_readers;
use crate::gpu::unit;

/// The transactions of each thread in the first launch of a stage that visits transactions. Nothing is known about their length yet.
const FIRST_VISITS: u64 = 4;
/// The same where it is known: those whose order does not matter have few accesses.
const FIRST_SHORT_VISITS: u64 = 16;
/// The transactions in rounds from which their rate counts.
const FIRST_ROUNDS: u64 = 1 << 14;
/// The transactions of each thread in a launch while the number of threads is measured.
pub(super) const CLIMBS: u64 = 8;
/// The time of a launch from which its rate counts.
const LONG_TURNS: Duration = Duration::from_millis(2);
/// How often transactions are listed before all of them run later: each time without those that turned out not to be as foreseen.
const MOST_LISTINGS: usize = 8;
/// The time of the stages before it up to which a stage that decides on what was summed up visits all transactions, whatever happens.
const SHORT_VISITS: Duration = if cfg!(test) { Duration::ZERO } else { SLICE.checked_div(4).unwrap() };
/// How much longer the next launch may be, where the last one was short.
const GROWTH: u32 = 32;

/// Returns how many transactions a stage visits in its next launch, if the last one visited `piece` of them in that time: at least one
/// for each thread, since fewer take as long.
pub(super) fn next_piece(piece: u64, threads: u64, took: Duration) -> u64 {
    match took {
        short if short * GROWTH <= SLICE => piece.saturating_mul(GROWTH.into()),
        long if long > SLICE => (piece / 2).max(threads),
        _ => piece,
    }
}

/// Returns whether the rate of a piece is that of the others: not where it is short. Rounds have their rate from the first ones on, but the
/// first launch may have loaded the kernel.
fn is_typical(work: Work, first: u64, visited: u64, took: Duration) -> bool {
    match work {
        Work::Rounds(..) | Work::Turns(..) => visited >= FIRST_ROUNDS || (first > 0 && took > LONG_TURNS),
        _ => took > LONG_TURNS,
    }
}

impl Run<'_, '_> {
    /// Launches the stages that visit transactions of a chunk before they are executed.
    pub(crate) fn visit(&mut self, chunk: (u64, Groups)) -> Result<Visited, GpuError> {
        if self.visits.is_empty() || self.run_state.limit_reached(0).is_some() {
            return Ok(Visited::NOTHING);
        }
        let finishes = self.engine.finishes_in_visits();
        // Such a stage executes transactions, and the passes would execute them once more than the limit says.
        if finishes && self.run_state.job.options.pass_limit.is_some() {
            return Ok(Visited::NOTHING);
        }
        if !finishes {
            self.start_visits(chunk)?;
            return Ok(Visited::NOTHING);
        }
        self.buffers.zero_counters()?;
        self.start_visits(chunk)?;
        let counts = self.visited()?;
        self.run_state.add(&counts, 1);
        if counts.finished() == 0 {
            return Ok(Visited::NOTHING);
        }
        Ok(Visited { finished: counts.finished(), has_statuses: true, has_details: counts.details() > 0 })
    }

    /// Lists the transactions of a chunk that is on the device now, if several devices run it.
    pub(super) fn route(&mut self, chunk: (u64, Groups)) -> Result<(), GpuError> {
        let Some(Route { stage, geometry, lists }) = &mut self.route else { return Ok(()) };
        lists.clear()?;
        let (stage, geometry, routes) = (*stage, *geometry, lists.address());
        let parameters = Launch { routes, ..self.parameters(geometry, chunk, true, SLICE) };
        self.start(stage.entry, geometry, &parameters)?;
        self.route.iter_mut().for_each(|route| route.lists.are_filled = true);
        Ok(())
    }

    /// Returns where the transactions of the chunk are listed; 0 if they are not.
    pub(super) fn routes_address(&self) -> u64 {
        let lists = self.route.as_ref().map(|route| &route.lists);
        lists.filter(|lists| lists.are_filled).map_or(0, Routes::address)
    }

    /// Returns what the stages before the execution have counted.
    pub(super) fn visited(&self) -> Result<Counts, GpuError> {
        let mut counts = self.buffers.download_counters()?;
        counts.truncate(Counter::COUNT);
        Ok(Counts(counts))
    }

    /// Launches these stages. Returns how many transactions they have visited. In push order it is 0, and no element has changed, if some
    /// transactions cannot run in turn; and it is less than all if it is slow.
    pub(super) fn start_visits(&mut self, chunk: (u64, Groups)) -> Result<u64, GpuError> {
        let is_pushed = self.run_state.job.options.order == Order::Pushed;
        let (visits, mut next, mut refused) = (self.visits.clone(), 0, Vec::new());
        let (begun, mut is_whole) = (self.kernel, false);
        self.sums.zero()?;
        while let Some((stage, geometry)) = visits.get(next).copied() {
            next += 1;
            match stage.work {
                Work::Execute | Work::Route(..) => {}
                Work::Visit(Visit::AnyOrder, _) if !stage.finishes => {
                    if !self.sum_up(stage, geometry, chunk)? {
                        return Ok(0);
                    }
                }
                Work::Visit(of, _) => {
                    let decides = stage.finishes && of == Visit::AnyOrder;
                    is_whole = decides && self.kernel - begun <= SHORT_VISITS && self.run_state.must_end().is_none();
                    let visited = self.start_visit(stage, geometry, chunk, (0..chunk.0, is_whole))?;
                    let is_slow = visited < chunk.0 && self.run_state.must_end().is_none();
                    let is_asked = is_pushed || of == Visit::Late;
                    let left = if is_asked { self.visited()?.left_by_conflicts() } else { 0 };
                    if is_pushed && (is_slow || left > 0) {
                        return Ok(0);
                    }
                    if of == Visit::Late && left > refused.last().copied().unwrap_or(0) {
                        refused.push(left);
                        if refused.len() == MOST_LISTINGS {
                            break;
                        }
                        next = self.begin_lists(&visits)?;
                    }
                }
                Work::Rounds(..) | Work::Turns(..) => {
                    let visited = self.start_visit(stage, geometry, chunk, (0..chunk.0, false))?;
                    if is_pushed {
                        return Ok(visited);
                    }
                }
                Work::Retry(..) => self.retry(stage, geometry, chunk)?,
                // A run that ends early has committed some transactions, too.
                Work::Once(..) | Work::Check(_) | Work::Settle(_) => {
                    self.start_once(stage, geometry, chunk, is_whole)?
                }
            }
        }
        Ok(chunk.0)
    }

    /// Launches a stage that visits no transactions. `is_whole` says whether the stage before it has visited all of them, whatever happened.
    pub(super) fn start_once(
        &mut self,
        stage: &Stage,
        geometry: Geometry,
        chunk: (u64, Groups),
        is_whole: bool,
    ) -> Result<(), GpuError> {
        let parameters = self.parameters(geometry, chunk, is_whole, SLICE);
        self.start(stage.entry, geometry, &parameters)
    }

    /// Forgets what is listed. Returns the stage that lists first.
    fn begin_lists(&self, visits: &[(&'static Stage, Geometry)]) -> Result<usize, GpuError> {
        self.sums.zero()?;
        self.buffers.zero_own()?;
        let lists = |(stage, _): &(&Stage, Geometry)| matches!(stage.work, Work::Visit(Visit::Foreseen, _));
        Ok(visits.iter().position(lists).unwrap_or(visits.len()))
    }

    /// Launches a stage on one piece of a part of the chunk after the other, and looks at the limits of the run in between, unless it visits
    /// all transactions whatever happens. Returns where it has ended: in push order that is after a piece that is slower than the floor.
    pub(super) fn start_visit(
        &mut self,
        stage: &Stage,
        all: Geometry,
        chunk: (u64, Groups),
        (part, is_whole): (Range<u64>, bool),
    ) -> Result<u64, GpuError> {
        let is_pushed = self.run_state.job.options.order == Order::Pushed;
        let mut climb = self.climb(stage, all);
        let mut addresses = self.addresses.clone();
        if is_of_readers(stage.work) {
            self.copies.fill(self.run_state.job, &mut addresses)?;
        }
        let mut geometry = climb.map_or(all, |climb| self.shape_of(stage, all, climb.threads()));
        let in_turn = matches!(stage.work, Work::Rounds(..) | Work::Turns(..));
        let mut first = part.start;
        let mut piece = match is_pushed {
            true if in_turn => self.turns,
            true => FIRST_TURNS,
            false if is_whole => part.end,
            false if matches!(stage.work, Work::Visit(Visit::AnyOrder, _)) => FIRST_SHORT_VISITS * geometry.threads(),
            false => FIRST_VISITS * geometry.threads(),
        };
        while first < part.end && (is_whole || self.run_state.must_end().is_none()) {
            let end = part.end.min(first.saturating_add(piece));
            let arrays = addresses.clone();
            let mut parameters = Launch { first, end, arrays, ..self.parameters(geometry, chunk, is_whole, SLICE) };
            // It visits them in their order.
            parameters.routes = if stage.waits { 0 } else { parameters.routes };
            let before = self.kernel;
            self.start(stage.entry, geometry, &parameters)?;
            let took = self.kernel - before;
            let (began, visited) = (first, end - first);
            first = end;
            let rate = visited as f64 / took.as_secs_f64().max(1e-9);
            let counts = self.exit.floor.is_infinite() || is_typical(stage.work, began, visited, took);
            if is_pushed && counts && rate < self.exit.floor {
                break;
            }
            piece = next_piece(piece, geometry.threads(), took);
            if let Some(climb) = climb.as_mut().filter(|climb| climb.measures()) {
                if visited >= geometry.threads() {
                    climb.learn(rate);
                    geometry = self.shape_of(stage, all, climb.threads());
                }
                piece = CLIMBS * geometry.threads();
            }
        }
        if in_turn {
            self.turns = piece;
        }
        Ok(first)
    }

    /// Returns a search for the number of threads of a stage, if its transactions wait for earlier ones, and the user has set none.
    fn climb(&self, stage: &Stage, all: Geometry) -> Option<Climb> {
        let is_meant = stage.finishes && matches!(stage.work, Work::Visit(Visit::Foreseen, _));
        let waits = || unit::foreseen(self.run_state.job).procedures.iter().flatten().any(|known| !known.complete);
        let first = self.request.contention.map_or(climb::FIRST, |room| room.min(climb::FIRST));
        (is_meant && self.request.threads.is_none() && waits()).then(|| Climb::new(first, all.threads()))
    }

    /// Returns the shape of that many threads for a stage that has this one with all.
    pub(super) fn shape_of(&self, stage: &Stage, all: Geometry, threads: u64) -> Geometry {
        Geometry::choose(&self.request.of_visit(stage, all.shape.grid, threads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_grow_while_they_are_short_and_have_a_transaction_for_each_thread() {
        assert_eq!(next_piece(400, 100, SLICE / GROWTH), 400 * u64::from(GROWTH));
        assert_eq!(next_piece(u64::MAX, 100, Duration::ZERO), u64::MAX);
        assert_eq!([SLICE / 2, SLICE].map(|took| next_piece(400, 100, took)), [400; 2]);
        assert_eq!([400, 150].map(|piece| next_piece(piece, 100, 2 * SLICE)), [200, 100]);
    }

    #[test]
    fn slow_rounds_have_a_rate_after_the_first_launch() {
        let rounds = Work::Rounds(Visit::Foreseen, ["claim", "run"]);
        let is_typical = |first, visited, took| is_typical(rounds, first, visited, took);
        assert!(is_typical(0, FIRST_ROUNDS, Duration::ZERO) && is_typical(FIRST_TURNS, FIRST_TURNS, 2 * LONG_TURNS));
        assert!(!is_typical(0, FIRST_TURNS, 2 * LONG_TURNS) && !is_typical(FIRST_TURNS, FIRST_TURNS, LONG_TURNS));
    }
}
