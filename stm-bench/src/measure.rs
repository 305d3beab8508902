//! One point of a sweep: the same table under each engine, in turn, with its invariant looked at after every run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use stm_runtime::{Device, Engine};

use crate::cell::{Cell, Key, Run, Status};
use crate::entry::{Entry, Ran, Workload, timed_out};
use crate::interrupt::Stop;
use crate::options::Options;
use crate::parameters::Parameters;
use crate::stats::Spread;

/// What is the same for all engines of a point.
pub(crate) struct Point<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) given: Parameters,
    pub(crate) options: Options,
}

/// Where and until when to measure.
pub(crate) struct Place<'a> {
    pub(crate) device: &'a Device,
    pub(crate) stop: &'a Stop,
    /// Called after each run, with what runs next.
    pub(crate) step: &'a dyn Fn(&str),
}

/// Why a cell has no result.
struct Trouble(Status, String);

impl Trouble {
    fn refused(why: impl ToString) -> Trouble {
        Trouble(Status::Refused, why.to_string())
    }
}

/// A cell that grows.
struct Growing {
    engine: Engine,
    shape: String,
    runs: Vec<Run>,
    trouble: Option<Trouble>,
}

/// Measures a point under each engine, for the cells with those keys. `None` if it was interrupted: half a point cannot be
/// compared.
pub(crate) fn measure(point: &Point<'_>, engines: &[(Engine, &Key)], place: &Place<'_>) -> Option<Vec<Cell>> {
    let start = Instant::now();
    let made = prepare(point);
    let generate = start.elapsed().as_secs_f64();
    let mut cells: Vec<Growing> = engines.iter().map(|(engine, _)| Growing::new(*engine)).collect();
    match made {
        Ok(workload) => rounds(&*workload, point, &mut cells, place)?,
        Err(Trouble(status, why)) => {
            cells.iter_mut().for_each(|cell| cell.trouble = Some(Trouble(status, why.clone())));
        }
    }
    let round = round();
    let ended = |(cell, (_, key)): (Growing, &(Engine, &Key))| cell.end((*key).clone(), round.clone(), generate);
    Some(cells.into_iter().zip(engines).map(ended).collect())
}

/// The key of the point's cell under an engine, given all its parameters.
pub(crate) fn key(point: &Point<'_>, parameters: &Parameters, engine: Engine, device: &Device) -> Key {
    Key {
        benchmark: point.entry.name().to_owned(),
        parameters: parameters.clone(),
        options: point.options.clone(),
        engine: device.algorithm(engine).to_owned(),
        device: device.describe(),
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

/// All runs: each engine once, and again, so that a change of the machine meets all of them.
fn rounds(workload: &dyn Workload, point: &Point<'_>, cells: &mut [Growing], place: &Place<'_>) -> Option<()> {
    let options = &point.options;
    for turn in 0..options.warmup + options.runs {
        for cell in &mut *cells {
            if place.stop.is_asked() {
                return None;
            }
            (place.step)(cell.engine.name());
            if cell.trouble.is_none() {
                match one(workload, cell.engine, options, place.device) {
                    Ok(ran) if turn >= options.warmup => cell.add(&ran),
                    Ok(_) => {}
                    Err(trouble) => cell.trouble = Some(trouble),
                }
            }
        }
    }
    Some(())
}

/// One run, judged.
fn one(workload: &dyn Workload, engine: Engine, options: &Options, device: &Device) -> Result<Ran, Trouble> {
    let set = |table: &mut stm_runtime::Table| {
        table.engine(engine);
    };
    let ran = guarded(|| workload.run(device, &set, options).map_err(Trouble::refused))?;
    let report = &ran.report;
    if timed_out(report) {
        let (left, limit) = (report.unresolved, options.time_limit);
        return Err(Trouble(Status::TimedOut, format!("{left} transactions were left after {limit} s")));
    }
    if let Err(broken) = &ran.verdict {
        return Err(Trouble(Status::Failed, broken.clone()));
    }
    match &report.proof {
        Some(proof) if !proof.holds() => Err(Trouble(Status::Failed, proof.to_string())),
        _ => Ok(ran),
    }
}

/// A benchmark that panics loses its own cells alone.
fn guarded<T>(work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Trouble::refused(format!("the benchmark panicked: {}", text.unwrap_or_default())))
    })
}

impl Growing {
    fn new(engine: Engine) -> Growing {
        Growing { engine, shape: String::new(), runs: Vec::new(), trouble: None }
    }

    fn add(&mut self, ran: &Ran) {
        self.shape.clone_from(&ran.report.shape);
        self.runs.push(Run::of(ran));
    }

    fn end(self, key: Key, round: String, generate: f64) -> Cell {
        let rates: Vec<f64> = self.runs.iter().map(|run| run.rate).collect();
        let (status, message) = match self.trouble {
            Some(Trouble(status, why)) => (status, Some(why)),
            None => (Status::Ok, None),
        };
        let rate = Spread::of(&rates).filter(|_| status == Status::Ok);
        Cell { key, status, message, round, shape: self.shape, generate, runs: self.runs, rate }
    }
}

/// A name that no other round has: this process, and a number.
fn round() -> String {
    static ROUNDS: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", since.as_secs(), std::process::id(), ROUNDS.fetch_add(1, Ordering::Relaxed))
}
