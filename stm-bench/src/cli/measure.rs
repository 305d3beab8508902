//! `run`, `compare` and `sweep`: one measurement, several at one point, several along axes.

use std::io::Write;
use std::path::Path;

use clap::{ArgMatches, FromArgMatches};
use serde::Serialize;
use stm_runtime::Device;

use super::GOOD;
use super::arguments::{Common, Format, One, Several, Sweeping};
use crate::bar::Bar;
use crate::cell::{Cell, Metric, Status};
use crate::contender::Contender;
use crate::entry::Entry;
use crate::error::BenchError;
use crate::files;
use crate::interrupt::{INTERRUPTED, Stop};
use crate::journal::{Earlier, Journal, Session};
use crate::options::Options;
use crate::output::{BAD, json, remark, written};
use crate::page::{Page, Section, numbers};
use crate::parameters::{read, show};
use crate::plot::{Chart, picture};
use crate::show::{csv, details, grouped, notes, table, times};
use crate::sweep::{self, Axis, End, Sweep, value_of};
use crate::target::Target;

/// The one object that `--json` prints.
#[derive(Serialize)]
struct MeasurementJson<'a> {
    session: &'a Session,
    cells: &'a [Cell],
}

pub(super) fn run(entry: &Entry, matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let One { engine, picture: file } = One::from_arg_matches(matches).map_err(wrong)?;
    let asked = Asked::new(entry, matches, vec![engine], Vec::new())?;
    let measured = asked.measure(&mut Journal::in_memory(), out)?;
    let printed = asked.print(&measured, out);
    if let (Some(file), [cell]) = (file, measured.cells.as_slice()) {
        asked.draw(&file, cell)?;
    }
    printed.map(|()| measured.code)
}

pub(super) fn compare(entry: &Entry, matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    Asked::new(entry, matches, engines(matches)?, Vec::new())?.measure_and_print(out)
}

pub(super) fn sweep(entry: &Entry, matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let sweeping = Sweeping::from_arg_matches(matches).map_err(wrong)?;
    let asked = Asked::new(entry, matches, engines(matches)?, sweeping.axis.clone())?;
    let earlier = match (sweeping.resume, sweeping.overwrite) {
        (true, _) => Earlier::Resume,
        (_, true) => Earlier::Overwrite,
        _ => Earlier::Refuse,
    };
    let Some(folder) = &sweeping.out else { return asked.measure_and_print(out) };
    let mut journal = Journal::open(folder, earlier)?;
    let measured = asked.measure(&mut journal, out)?;
    // Files are written even if standard output is closed.
    let printed = asked.print(&measured, out);
    asked.write(folder, &journal, &measured.cells, sweeping.log)?;
    printed.map(|()| measured.code)
}

fn wrong(error: clap::Error) -> BenchError {
    BenchError::Parameters(error.to_string())
}

/// Returns the requested engines; all by default.
fn engines(matches: &ArgMatches) -> Result<Vec<Contender>, BenchError> {
    let named = Several::from_arg_matches(matches).map_err(wrong)?.engines;
    Ok(named.map_or_else(Contender::all_engines, |named| named.0))
}

/// The result of a measurement.
struct Measured {
    session: Session,
    cells: Vec<Cell>,
    /// The exit status.
    code: u8,
}

/// The request of a command.
struct Asked<'a> {
    sweep: Sweep<'a>,
    device: Device,
    common: Common,
    format: Format,
}

impl<'a> Asked<'a> {
    fn new(
        entry: &'a Entry,
        matches: &ArgMatches,
        engines: Vec<Contender>,
        axes: Vec<Axis>,
    ) -> Result<Asked<'a>, BenchError> {
        let common = Common::from_arg_matches(matches).map_err(wrong)?;
        let format = Format::from_arg_matches(matches).map_err(wrong)?;
        let options = Options::from_arg_matches(matches).map_err(wrong)?;
        let given = read(&entry.command(), matches);
        let device = common.device.parse::<Device>()?;
        let sweep = Sweep { entry, given, options, axes, engines };
        // A mistake in an axis is reported before earlier results are deleted.
        sweep.points()?;
        Ok(Asked { sweep, device, common, format })
    }

    /// Runs `run`, `compare`, and a sweep without a folder. Returns the exit status.
    fn measure_and_print(&self, out: &mut dyn Write) -> Result<u8, BenchError> {
        let measured = self.measure(&mut Journal::in_memory(), out)?;
        self.print(&measured, out).map(|()| measured.code)
    }

    /// Prints the plan, and measures.
    fn measure(&self, journal: &mut Journal, out: &mut dyn Write) -> Result<Measured, BenchError> {
        let silent = self.common.json || self.format.csv;
        let session = Session::now(&self.device);
        journal.begin(session.clone())?;
        if !silent {
            writeln!(out, "{}", self.heading()).map_err(written)?;
            self.remarks();
        }
        let (stop, bar) = (Stop::on_interrupt(), Bar::new(false));
        bar.more(sweep::runs(self.sweep.missing(&Target::of(&self.device), journal)?.len(), &self.sweep.options));
        let (cells, end) = sweep::sweep(&self.sweep, &self.device, journal, &stop, &bar)?;
        bar.end();
        let good = cells.iter().all(|cell| cell.status == Status::Ok);
        let code = match end {
            End::Interrupted => INTERRUPTED,
            End::Done if good => GOOD,
            End::Done => BAD,
        };
        Ok(Measured { session, cells, code })
    }

    fn heading(&self) -> String {
        let (options, device) = (&self.sweep.options, self.device.describe());
        let instead = self.common.device == "auto" && !self.device.is_gpu();
        let device = if instead { format!("{device} (no GPU can be used; `doctor` says why)") } else { device };
        let runs = if options.runs == 1 { "1 run".to_owned() } else { format!("median of {} runs", options.runs) };
        format!(
            "{}: {} transactions on {device}\n{}\n{runs} after {} to warm up, time of the device alone",
            self.sweep.entry.name(),
            grouped(options.transactions),
            self.fixed(),
            options.warmup,
        )
    }

    /// Returns the parameters that are the same everywhere.
    fn fixed(&self) -> String {
        let mut fixed = self.sweep.given.clone();
        fixed.retain(|name, _| !self.sweep.axes.iter().any(|axis| axis.name == *name));
        show(&fixed)
    }

    /// Prints surprising facts on standard error.
    fn remarks(&self) {
        if cfg!(debug_assertions) {
            remark(format_args!("note: built without optimisation; add --release to measure"));
        }
        if self.sweep.options.phases && !self.device.is_gpu() {
            remark(format_args!("note: --phases measures nothing on CPU threads"));
        }
        let target = Target::of(&self.device);
        let (all, distinct) = (self.sweep.engines.len(), self.sweep.distinct(&target));
        if distinct.len() < all {
            let kept: Vec<String> = distinct.iter().map(|engine| target.algorithm(*engine)).collect();
            remark(format_args!("note: of {all} engines this device runs {}: {}", distinct.len(), kept.join(", ")));
        }
    }

    fn print(&self, measured: &Measured, out: &mut dyn Write) -> Result<(), BenchError> {
        let Measured { session, cells, .. } = measured;
        let axes: Vec<String> = self.sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let times = times(cells, &axes).unwrap_or_default();
        let text = match () {
            () if self.common.json => json(&MeasurementJson { session, cells }),
            () if self.format.csv => csv(cells),
            () if cells.is_empty() => "nothing was measured\n".to_owned(),
            () if cells.len() == 1 => format!("{}\n{times}{}", table(cells, &axes), details(&cells[0])),
            () => format!("{}\n{times}", table(cells, &axes)),
        };
        out.write_all(text.as_bytes()).map_err(written)?;
        for note in notes(cells, &axes) {
            remark(format_args!("{note}"));
        }
        Ok(())
    }

    /// Draws the conflicts of the median run.
    fn draw(&self, file: &Path, cell: &Cell) -> Result<(), BenchError> {
        let profile = cell.median_run().and_then(|run| run.profile.clone()).unwrap_or_default();
        let title = format!("{}: conflicts under {}", self.sweep.entry.name(), cell.key.engine);
        let subtitle = format!("{} on {}", self.fixed(), self.device.describe());
        files::save(file, &picture(&profile, &title, &subtitle)?)
    }

    /// Writes tables, plots and the page.
    fn write(&self, folder: &Path, journal: &Journal, cells: &[Cell], log: bool) -> Result<(), BenchError> {
        let save = |name: &str, text: &str| files::save(&folder.join(name), text);
        save("cells.csv", &csv(cells))?;
        let axes: Vec<String> = self.sweep.axes.iter().map(|axis| axis.name.clone()).collect();
        let name = self.sweep.entry.name();
        let mut sections = Vec::new();
        for (at, (place, own)) in apart(cells, &axes[1..]).into_iter().enumerate() {
            let mut chart = Chart::of(&own, &axes[0], Metric::Throughput);
            chart.title = format!("{name}: throughput by {}{place}", axes[0]);
            chart.subtitle = format!("{} on {}", self.fixed(), self.device.describe());
            chart.y.log = log;
            let file = if at == 0 { "throughput.svg".to_owned() } else { format!("throughput-{}.svg", at + 1) };
            save(&file, &chart.svg()?)?;
            sections.push(Section {
                title: chart.title.clone(),
                images: vec![(file, chart.title)],
                notes: notes(&own, &axes),
                table: numbers(&own, &axes),
                ..Section::default()
            });
        }
        let title = format!("{name}: {}", self.sweep.entry.summary());
        let page = Page {
            title,
            remarks: vec![self.sweep.entry.source().to_owned()],
            sessions: journal.sessions.clone(),
            sections,
        };
        save("index.html", &page.html())?;
        remark(format_args!("written: {}", folder.join("index.html").display()));
        Ok(())
    }
}

/// Returns the cells grouped by their values on other axes, each group with these values as text.
fn apart(cells: &[Cell], axes: &[String]) -> Vec<(String, Vec<Cell>)> {
    let mut parts: Vec<(String, Vec<Cell>)> = Vec::new();
    for cell in cells {
        let values = axes.iter().map(|axis| format!(", {axis} {}", value_of(cell, axis).unwrap_or_default()));
        let place: String = values.collect();
        match parts.iter_mut().find(|(known, _)| *known == place) {
            Some((_, own)) => own.push(cell.clone()),
            None => parts.push((place, vec![cell.clone()])),
        }
    }
    parts
}
