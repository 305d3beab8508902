//! A run where no engine is chosen: stages at rest, in place, and under locks.
//!
//! First, the transactions that write nothing run at rest. Then slices of the batch run in place or under locks, as [`Pace`] chooses.
//! Between two slices no thread works, so each sees what the one before it has stored. Transactions whose guards are false wait for
//! the last stage.

use std::time::{Duration, Instant};

use crate::cpu::at_rest::AtRest;
use crate::cpu::pace::{Pace, Slice, Way};
use crate::cpu::serial::Serial;
use crate::cpu::stage::Stage;
use crate::cpu::state::{CpuRun, Left};
use crate::cpu::statistics::WorkerStatistics;
use crate::cpu::supply::Supply;
use crate::cpu::team::Crew;
use crate::cpu::worker::Worker;
use crate::outcome::Algorithm;
use crate::tx::Halted;
use crate::tx::attempt::Attempt;

/// How long one thread runs the transactions that write nothing before others help it.
const ALONE: Duration = Duration::from_micros(500);

/// A run that has ended.
pub(crate) struct Done {
    pub(crate) statistics: Vec<WorkerStatistics>,
    pub(crate) engine: Algorithm,
    /// The most threads that worked at a time.
    pub(crate) threads: usize,
}

/// The thread that leads a run.
pub(super) struct Leader<'a> {
    run: &'a CpuRun<'a>,
    crew: Crew,
    pace: Pace,
    serial: Serial<'a>,
    statistics: Vec<WorkerStatistics>,
    left: Left,
    /// The most threads that have worked at a time.
    worked: usize,
    /// Transactions with a final outcome: at rest, in place, and under locks.
    at_rest: u64,
    in_place: u64,
    locked: u64,
}

impl<'a> Leader<'a> {
    pub(super) fn new(run: &'a CpuRun<'a>, crew: Crew, pace: Pace) -> Leader<'a> {
        Leader {
            run,
            crew,
            pace,
            serial: Serial::new(run),
            statistics: Vec::new(),
            left: Left::default(),
            worked: 1,
            at_rest: 0,
            in_place: 0,
            locked: 0,
        }
    }

    /// Runs the batch.
    pub(super) fn lead(mut self) -> Done {
        let ended = self.all();
        self.statistics.push(self.serial.end(ended));
        let Leader { at_rest, in_place, locked, .. } = self;
        let engine = Algorithm::CpuPlan { at_rest, in_place, locked };
        Done { statistics: self.statistics, engine, threads: self.worked }
    }

    fn all(&mut self) -> Result<(), Halted> {
        let transactions = self.run.job.transactions;
        if !self.run.readers.is_empty() {
            self.rest()?;
        }
        let mut next = 0;
        while next < transactions {
            let slice = self.pace.next(transactions - next);
            let begin = Instant::now();
            let supply = Supply::of(next..next + slice.most, self.threads_of(slice.way));
            let supply = match slice.time {
                Some(time) => supply.until(begin + time, self.threads_of(slice.way)),
                None => supply,
            };
            let after = self.visit(slice, supply)?;
            self.pace.note(slice, after - next, begin.elapsed());
            next = after;
        }
        self.finish()
    }

    /// Runs what can run at rest: alone at first, because few transactions do not pay for threads.
    fn rest(&mut self) -> Result<(), Halted> {
        let (run, before) = (self.run, self.run.pool.finished());
        let alone = Supply::of(0..run.job.transactions, 1).until(Instant::now() + ALONE, 1);
        self.statistics.push(AtRest::new(run, 0).run(&alone));
        let rest = alone.rest();
        if !rest.is_empty() {
            let threads = self.pace.threads().min(rest.len());
            let supply = Supply::of(rest, threads);
            let member = |thread| {
                let supply = &supply;
                move || AtRest::new(run, thread).run(supply)
            };
            let statistics = self.crew.work(threads, member);
            self.worked = self.worked.max(statistics.len());
            self.statistics.extend(statistics);
        }
        self.at_rest = run.pool.finished() - before;
        self.look()
    }

    /// Runs transactions for the first time. Returns the first one that it has not reached.
    fn visit(&mut self, slice: Slice, supply: Supply) -> Result<usize, Halted> {
        let before = self.run.pool.finished();
        let after = match slice.way {
            Way::InPlace => {
                self.serial.visit_supply(&supply)?;
                let after = supply.rest().start;
                self.in_place += self.run.pool.finished() - before;
                after
            }
            Way::Locked => {
                let stage = Stage::of(supply);
                self.on_threads(slice.most, &stage);
                let after = stage.supply.rest().start;
                self.locked += self.run.pool.finished() - before;
                after
            }
        };
        self.look()?;
        Ok(after)
    }

    /// Runs what waits, until nothing can change any more.
    fn finish(&mut self) -> Result<(), Halted> {
        let (before, left) = (self.run.pool.finished(), std::mem::take(&mut self.left));
        let mut left = mutant!("cpu: what waits is lost when the way changes", left, Left::default());
        if self.pace.way() == Way::InPlace {
            let ended = self.serial.finish(left);
            self.in_place += self.run.pool.finished() - before;
            return ended;
        }
        left.append(self.serial.left()).map_err(|short| self.run.pool.alarm.fail(short))?;
        if !left.is_empty() {
            let transactions = left.put_off.len() + left.lost.len();
            self.on_threads(transactions, &Stage::last(Supply::of(0..0, 1), left));
            self.locked += self.run.pool.finished() - before;
        }
        self.look()
    }

    fn on_threads(&mut self, transactions: usize, stage: &Stage) {
        let run = self.run;
        let member = |thread| {
            let attempt = Attempt::new(run.views.to_vec(), thread as u64);
            let worker = Worker::new(run, stage, thread, attempt);
            move || worker.run()
        };
        let mut statistics = self.crew.work(self.pace.threads().min(transactions), member);
        self.worked = self.worked.max(statistics.len());
        for one in &mut statistics {
            if let Err(short) = self.left.append(&mut one.left) {
                self.run.pool.alarm.fail(short);
            }
        }
        self.statistics.extend(statistics);
    }

    /// Returns an error if the run has to end.
    fn look(&self) -> Result<(), Halted> {
        if self.run.pool.alarm.is_over() { Err(Halted) } else { Ok(()) }
    }

    fn threads_of(&self, way: Way) -> usize {
        match way {
            Way::InPlace => 1,
            Way::Locked => self.pace.threads(),
        }
    }
}
