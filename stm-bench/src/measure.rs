//! One point of a sweep: the same batch under each engine, in turn, with the invariant checked after every run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use stm_runtime::{Device, Error, GpuError};

use crate::cell::{Cell, Key, Run, Status};
use crate::contender::Contender;
use crate::entry::{Entry, Ran, Workload, timed_out};
use crate::interrupt::Stop;
use crate::options::Options;
use crate::parameters::Parameters;
use crate::stats::Spread;
use crate::target::Target;

/// What is the same for all engines of a point.
pub(crate) struct Point<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) given: Parameters,
    pub(crate) options: Options,
}

/// The device, the time limits and the callbacks of a measurement.
pub(crate) struct Place<'a> {
    pub(crate) device: &'a Device,
    pub(crate) stop: &'a Stop,
    /// Called before each run, with its engine.
    pub(crate) begin: &'a dyn Fn(&str),
    /// Called after each run, and for each that a cell without a result does not need any more.
    pub(crate) end: &'a dyn Fn(),
}

/// How the measurement of a point ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All cells were measured.
    Whole,
    /// No cell was measured: an incomplete point allows no comparison.
    Interrupted,
    /// The device is lost to this process. Only the cell that caused it was measured.
    Lost(String),
}

/// Why a cell has no result.
struct Trouble {
    status: Status,
    why: String,
    /// No other cell will have one either.
    lost: bool,
}

impl Trouble {
    fn new(status: Status, why: impl ToString) -> Trouble {
        Trouble { status, why: why.to_string(), lost: false }
    }

    fn refused(why: impl ToString) -> Trouble {
        Trouble::new(Status::Refused, why)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        let lost = matches!(error, Error::Gpu(GpuError::ContextLost { .. }));
        Trouble { lost, ..Trouble::refused(error) }
    }
}

/// A cell under construction.
struct Growing {
    engine: Contender,
    shape: String,
    runs: Vec<Run>,
    trouble: Option<Trouble>,
}

/// Measures a point under each engine, for the cells with those keys.
pub(crate) fn measure(point: &Point<'_>, engines: &[(Contender, &Key)], place: &Place<'_>) -> (Vec<Cell>, Ended) {
    let start = Instant::now();
    let made = prepare(point);
    let generate = start.elapsed().as_secs_f64();
    let mut cells: Vec<Growing> = engines.iter().map(|(engine, _)| Growing::new(*engine)).collect();
    let end = match made {
        Ok(workload) => rounds(&*workload, point, &mut cells, place),
        Err(Trouble { status, why, .. }) => {
            cells.iter_mut().for_each(|cell| cell.trouble = Some(Trouble::new(status, &why)));
            Ended::Whole
        }
    };
    let is_there = |cell: &Growing| match end {
        Ended::Whole => true,
        Ended::Interrupted => false,
        Ended::Lost(_) => cell.trouble.as_ref().is_some_and(|trouble| trouble.lost),
    };
    let round = round();
    let there = cells.into_iter().zip(engines).filter(|(cell, _)| is_there(cell));
    let cells = there.map(|(cell, (_, key))| cell.end((*key).clone(), round.clone(), generate)).collect();
    (cells, end)
}

/// Returns the key of the point's cell under an engine, given all its parameters.
pub(crate) fn key(point: &Point<'_>, parameters: &Parameters, engine: Contender, target: &Target) -> Key {
    Key {
        benchmark: point.entry.name().to_owned(),
        parameters: parameters.clone(),
        options: point.options.clone(),
        engine: target.algorithm(engine),
        device: target.describe(),
    }
}

fn prepare(point: &Point<'_>) -> Result<Box<dyn Workload>, Trouble> {
    let (mut workload, _) = point.entry.open(&point.given).map_err(Trouble::refused)?;
    guarded(|| {
        workload.fill(point.options.transactions, point.options.seed);
        Ok(())
    })?;
    Ok(workload)
}

/// Makes all runs: each engine once, and again, so that a change of the machine affects all of them.
fn rounds(workload: &dyn Workload, point: &Point<'_>, cells: &mut [Growing], place: &Place<'_>) -> Ended {
    let options = &point.options;
    for turn in 0..options.warmup + options.runs {
        for cell in &mut *cells {
            if place.stop.is_asked() {
                return Ended::Interrupted;
            }
            if cell.trouble.is_some() {
                (place.end)();
                continue;
            }
            (place.begin)(&cell.engine.to_string());
            let ran = one(workload, cell.engine, options, place.device);
            (place.end)();
            match ran {
                Ok(ran) if turn >= options.warmup => cell.add(&ran),
                Ok(_) => {}
                Err(trouble) => {
                    let lost = trouble.lost.then(|| trouble.why.clone());
                    cell.trouble = Some(trouble);
                    if let Some(why) = lost {
                        return Ended::Lost(why);
                    }
                }
            }
        }
    }
    Ended::Whole
}

/// Makes and checks one run.
fn one(workload: &dyn Workload, engine: Contender, options: &Options, device: &Device) -> Result<Ran, Trouble> {
    let ran = guarded(|| Ok(workload.run(device, engine, options)?))?;
    let report = &ran.report;
    if timed_out(report) {
        let (left, limit) = (report.unresolved, options.time_limit);
        return Err(Trouble::new(Status::TimedOut, format!("{left} transactions were left after {limit} s")));
    }
    if let Err(broken) = &ran.verdict {
        return Err(Trouble::new(Status::Failed, broken));
    }
    match &report.proof {
        Some(proof) if !proof.holds() => Err(Trouble::new(Status::Failed, proof)),
        _ => Ok(ran),
    }
}

/// Runs `work`, so that a benchmark that panics loses only its own cells.
fn guarded<T>(work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Trouble::refused(format!("the benchmark panicked: {}", text.unwrap_or_default())))
    })
}

impl Growing {
    fn new(engine: Contender) -> Growing {
        Growing { engine, shape: String::new(), runs: Vec::new(), trouble: None }
    }

    fn add(&mut self, ran: &Ran) {
        self.shape = ran.report.shape.to_string();
        self.runs.push(Run::of(ran));
    }

    fn end(self, key: Key, round: String, generate: f64) -> Cell {
        let rates: Vec<f64> = self.runs.iter().map(|run| run.rate).collect();
        let (status, message) = match self.trouble {
            Some(trouble) => (trouble.status, Some(trouble.why)),
            None => (Status::Ok, None),
        };
        let rate = Spread::of(&rates).filter(|_| status == Status::Ok);
        Cell { key, status, message, round, shape: self.shape, generate, runs: self.runs, rate }
    }
}

/// Returns a unique name of a round: this process, and a number.
fn round() -> String {
    static ROUNDS: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", since.as_secs(), std::process::id(), ROUNDS.fetch_add(1, Ordering::Relaxed))
}
