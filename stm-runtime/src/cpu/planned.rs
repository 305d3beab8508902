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
use crate::engine::Engine;
use crate::outcome::{Algorithm, PlanReason, PlanStep};
use crate::tuning;
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
    /// What each method did, where the plan chose.
    pub(crate) plan: Vec<PlanStep>,
    /// The faster method, where that is known.
    pub(crate) faster: Option<Engine>,
}

/// What the run did in one way.
#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    /// The transactions without an outcome when it began; 0 if it never did.
    given: u64,
    finished: u64,
    time: Duration,
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
    at_rest: Stretch,
    in_place: Stretch,
    locked: Stretch,
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
            at_rest: Stretch::default(),
            in_place: Stretch::default(),
            locked: Stretch::default(),
        }
    }

    /// Runs the batch.
    pub(super) fn lead(mut self) -> Done {
        let ended = self.all();
        let [at_rest, in_place, locked] = [self.at_rest, self.in_place, self.locked].map(|of| of.finished);
        let engine = Algorithm::CpuPlan { at_rest, in_place, locked };
        let (plan, faster) = (self.steps(engine), self.pace.faster());
        self.statistics.push(self.serial.end(ended));
        Done { statistics: self.statistics, engine, threads: self.worked, plan, faster }
    }

    /// Returns what each method did.
    fn steps(&self, whole: Algorithm) -> Vec<PlanStep> {
        let (asked, serial) = (Engine::default(), tuning::on_host());
        let reason = |way| self.pace.reason(way);
        let steps = [
            (self.at_rest, tuning::at_rest(), whole, PlanReason::WriteNothing),
            (self.in_place, serial, Algorithm::CpuSerial { asked: serial }, reason(Way::InPlace)),
            (self.locked, asked, Algorithm::CpuThreads { asked }, reason(Way::Locked)),
        ];
        let step = |(Stretch { given, finished, time }, method, algorithm, reason): (Stretch, Engine, _, _)| {
            (given > 0).then(|| PlanStep { given, finished, time, ..PlanStep::new(method, algorithm, reason) })
        };
        steps.into_iter().filter_map(step).collect()
    }

    /// Adds to a way what was finished since its last beginning.
    fn add(&mut self, way: Way, finished: u64, begin: Instant) {
        let more = self.run.pool.finished() - finished;
        let stretch = match way {
            Way::InPlace => &mut self.in_place,
            Way::Locked => &mut self.locked,
        };
        if stretch.given == 0 {
            stretch.given = self.run.job.transactions as u64 - finished;
        }
        stretch.finished += more;
        stretch.time += begin.elapsed();
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
        let (run, begin) = (self.run, Instant::now());
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
        let given = run.job.transactions as u64;
        self.at_rest = Stretch { given, finished: run.pool.finished(), time: begin.elapsed() };
        self.look()
    }

    /// Runs transactions for the first time. Returns the first one that it has not reached.
    fn visit(&mut self, slice: Slice, supply: Supply) -> Result<usize, Halted> {
        let (before, begin) = (self.run.pool.finished(), Instant::now());
        let (after, ended) = match slice.way {
            Way::InPlace => {
                let ended = self.serial.visit_supply(&supply);
                (supply.rest().start, ended)
            }
            Way::Locked => {
                let stage = Stage::of(supply);
                self.on_threads(slice.most, &stage);
                (stage.supply.rest().start, Ok(()))
            }
        };
        self.add(slice.way, before, begin);
        ended?;
        self.look()?;
        Ok(after)
    }

    /// Runs what waits, until nothing can change any more.
    fn finish(&mut self) -> Result<(), Halted> {
        let (before, begin, left) = (self.run.pool.finished(), Instant::now(), std::mem::take(&mut self.left));
        let mut left = mutant!("cpu: what waits is lost when the way changes", left, Left::default());
        if self.pace.way() == Way::InPlace {
            let ended = self.serial.finish(left);
            self.add(Way::InPlace, before, begin);
            return ended;
        }
        left.append(self.serial.left()).map_err(|short| self.run.pool.alarm.fail(short))?;
        if !left.is_empty() {
            let transactions = left.put_off.len() + left.lost.len();
            self.on_threads(transactions, &Stage::last(Supply::of(0..0, 1), left));
            self.add(Way::Locked, before, begin);
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
