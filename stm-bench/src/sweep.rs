//! A sweep: every combination of values along some axes, under some engines.

use std::str::FromStr;

use stm_runtime::Device;

use crate::ahead;
use crate::bar::Bar;
use crate::cell::{Cell, Key};
use crate::contender::Contender;
use crate::entry::Entry;
use crate::error::BenchError;
use crate::interrupt::Stop;
use crate::journal::Journal;
use crate::measure::{Ended, Place, Point, key, measure};
use crate::options::{AXES, Options};
use crate::parameters::Parameters;
use crate::target::Target;

/// A parameter or an option with the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The name of the parameter, or `transactions`, `threads`, `lanes` or `seed`.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

impl FromStr for Axis {
    type Err = BenchError;

    fn from_str(text: &str) -> Result<Axis, BenchError> {
        let wrong = || BenchError::Axis(text.to_owned());
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        let sound = !name.is_empty() && values.iter().all(|value| !value.is_empty());
        sound.then(|| Axis { name: name.to_owned(), values }).ok_or_else(wrong)
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub(crate) struct Sweep<'a> {
    pub(crate) entry: &'a Entry,
    /// Parameters that differ from their defaults.
    pub(crate) given: Parameters,
    pub(crate) options: Options,
    pub(crate) axes: Vec<Axis>,
    pub(crate) engines: Vec<Contender>,
}

/// How a sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    Interrupted,
}

impl<'a> Sweep<'a> {
    /// Returns every point; the last axis varies fastest.
    pub(crate) fn points(&self) -> Result<Vec<Point<'a>>, BenchError> {
        let start = Point { entry: self.entry, given: self.given.clone(), options: self.options.clone() };
        let mut points = vec![start];
        for axis in &self.axes {
            let all = points.iter().flat_map(|point| axis.values.iter().map(move |value| (point, value)));
            points = all.map(|(point, value)| self.moved(point, &axis.name, value)).collect::<Result<_, _>>()?;
        }
        Ok(points)
    }

    /// Returns a point with one value changed.
    fn moved(&self, point: &Point<'a>, name: &str, value: &str) -> Result<Point<'a>, BenchError> {
        let mut point = Point { entry: point.entry, given: point.given.clone(), options: point.options.clone() };
        let known = self.entry.parameters();
        // A parameter of the benchmark takes precedence over an option of the same name.
        if known.iter().any(|parameter| parameter == name) {
            point.given.insert(name.to_owned(), value.to_owned());
            return Ok(point);
        }
        match point.options.set(name, value) {
            Some(set) => set.map(|()| point).map_err(BenchError::Parameters),
            None => Err(BenchError::UnknownParameter {
                benchmark: self.entry.name(),
                name: name.to_owned(),
                known: known.iter().map(String::as_str).chain(AXES).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Returns the engines that differ on the device. CPU threads have two algorithms, whichever engine is requested.
    pub(crate) fn distinct(&self, target: &Target) -> Vec<Contender> {
        let mut engines: Vec<Contender> = Vec::new();
        for engine in &self.engines {
            if !engines.iter().any(|known| target.algorithm(*known) == target.algorithm(*engine)) {
                engines.push(*engine);
            }
        }
        engines
    }

    /// Returns the keys of all cells, point by point.
    pub(crate) fn keys(&self, points: &[Point<'a>], engines: &[Contender], target: &Target) -> Vec<Vec<Key>> {
        let of = |point: &Point<'a>| {
            // Refused parameters get no defaults; the cells state the reason.
            let parameters = point.entry.open(&point.given).map_or(point.given.clone(), |(_, all)| all);
            engines.iter().map(|engine| key(point, &parameters, *engine, target)).collect()
        };
        points.iter().map(of).collect()
    }

    /// Returns the cells of the sweep that the journal lacks, each once.
    pub(crate) fn missing(&self, target: &Target, journal: &Journal) -> Result<Vec<Key>, BenchError> {
        let keys = self.keys(&self.points()?, &self.distinct(target), target).into_iter().flatten();
        let mut missing: Vec<Key> = Vec::new();
        for key in keys.filter(|key| journal.find(key).is_none()) {
            if !missing.contains(&key) {
                missing.push(key);
            }
        }
        Ok(missing)
    }
}

/// Returns the number of runs that measure that many cells.
pub(crate) fn runs(cells: usize, options: &Options) -> u64 {
    cells as u64 * u64::from(options.warmup + options.runs)
}

/// Measures the cells that the journal lacks, and returns every cell of the sweep that then exists, in order.
pub(crate) fn sweep(
    sweep: &Sweep<'_>,
    device: &Device,
    journal: &mut Journal,
    stop: &Stop,
    bar: &Bar,
) -> Result<(Vec<Cell>, End), BenchError> {
    let points = sweep.points()?;
    let target = Target::of(device);
    let engines = sweep.distinct(&target);
    let keys = sweep.keys(&points, &engines, &target);
    let mut open: Vec<(&Point<'_>, Vec<(Contender, &Key)>)> = Vec::new();
    for (at, (point, own)) in points.iter().zip(&keys).enumerate() {
        // A value that stands twice on an axis is measured once.
        let is_open = |key: &Key| journal.find(key).is_none() && !keys[..at].iter().flatten().any(|other| other == key);
        open.push((point, engines.iter().copied().zip(own).filter(|(_, key)| is_open(key)).collect()));
    }
    open.retain(|(_, own)| !own.is_empty());
    if target.is_gpu() {
        bar.say("compiling");
        ahead::compile(&open, device, stop);
    }
    let mut end = End::Done;
    for (point, open) in &open {
        let begin = |engine: &str| bar.say(&format!("{} {engine}", label(sweep, point)));
        let before = bar.done();
        let (cells, ended) =
            measure(point, open, &Place { device, stop, begin: &begin, end: &|| bar.reach(bar.done() + 1) });
        if ended == Ended::Whole {
            // Where the benchmark itself could not begin, there were no runs.
            bar.reach(before + runs(open.len(), &point.options));
        }
        cells.into_iter().try_for_each(|cell| journal.add(cell))?;
        match ended {
            Ended::Whole => {}
            Ended::Interrupted => {
                end = End::Interrupted;
                break;
            }
            Ended::Lost(why) => return Err(BenchError::Lost(why)),
        }
    }
    let cells = keys.iter().flatten().filter_map(|key| journal.find(key).cloned()).collect();
    Ok((cells, end))
}

/// Returns `bank k=2` for the progress bar.
fn label(sweep: &Sweep<'_>, point: &Point<'_>) -> String {
    let mut words = vec![sweep.entry.name().to_owned()];
    words.extend(sweep.axes.iter().filter_map(|axis| Some(format!("{}={}", axis.name, value(point, &axis.name)?))));
    words.join(" ")
}

fn value(point: &Point<'_>, name: &str) -> Option<String> {
    point.given.get(name).cloned().or_else(|| option(&point.options, name))
}

/// Returns the value of an option that can be an axis.
pub(crate) fn option(options: &Options, name: &str) -> Option<String> {
    match name {
        "transactions" => Some(options.transactions.to_string()),
        "seed" => Some(options.seed.to_string()),
        "threads" => options.threads.map(|threads| threads.to_string()),
        "lanes" => options.lanes.map(|lanes| lanes.to_string()),
        _ => None,
    }
}

/// Returns the value of a cell on an axis.
pub(crate) fn value_of(cell: &Cell, name: &str) -> Option<String> {
    cell.key.parameters.get(name).cloned().or_else(|| option(&cell.key.options, name))
}
