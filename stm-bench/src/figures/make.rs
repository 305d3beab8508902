//! Measures figures, draws them and writes the page.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use stm_runtime::Device;

use super::arguments::Arguments;
use super::made::Made;
use super::reading::reading;
use super::table::{Across, Figure, Panel, Table, text, texts};
use crate::bar::Bar;
use crate::cell::{Cell, Key, Status};
use crate::contender::Contender;
use crate::entry::Entry;
use crate::error::BenchError;
use crate::files;
use crate::interrupt::Stop;
use crate::journal::Journal;
use crate::page::{Page, Section, numbers};
use crate::parameters::Parameters;
use crate::plot::Chart;
use crate::show::{csv, grouped, notes};
use crate::sweep::{Axis, End, Sweep, runs, sweep};
use crate::target::Target;

/// Transactions of a batch with `--quick`.
const QUICK: u64 = 2000;
/// The divisor of batch sizes on CPU threads.
const CPU: u64 = 10;
/// Printed in place of plots of phases.
const NOT_TIMED: &str = "The phases of transactions are measured on a GPU alone: no plot.";
/// Printed in place of a figure that was interrupted before it was measured.
const NOT_MEASURED: &str = "Not measured yet.";
/// The axis with another meaning on CPU threads.
const THREADS: &str = "threads";

pub(super) struct Maker<'a> {
    table: &'a Table,
    benchmarks: &'a [Entry],
    asked: &'a Arguments,
    target: Target,
    journal: Journal,
}

/// A figure that cannot be made, and why.
pub(super) struct Missing<'a> {
    figure: &'a Figure,
    why: String,
}

impl<'a> Maker<'a> {
    pub(super) fn new(
        table: &'a Table,
        benchmarks: &'a [Entry],
        asked: &'a Arguments,
        target: Target,
        journal: Journal,
    ) -> Maker<'a> {
        Maker { table, benchmarks, asked, target, journal }
    }

    /// Measures what the figures need. A figure that cannot be made does not stop the others.
    pub(super) fn make(
        &mut self,
        figures: &[&'a Figure],
        device: &Device,
        stop: &Stop,
    ) -> Result<(Vec<Missing<'a>>, End), BenchError> {
        let ((sweeps, missing), bar) = (self.plan_all(figures), Bar::new(false));
        // Figures share cells: the first measures them, the others find them.
        let mut known: Vec<Key> = Vec::new();
        for planned in &sweeps {
            let mut new = planned.missing(&self.target, &self.journal)?;
            new.retain(|key| !known.contains(key));
            bar.more(runs(new.len(), &planned.options));
            known.extend(new);
        }
        for planned in &sweeps {
            let (_, end) = sweep(planned, device, &mut self.journal, stop, &bar)?;
            if end == End::Interrupted {
                return Ok((missing, end));
            }
        }
        bar.end();
        Ok((missing, End::Done))
    }

    /// Returns the sweeps of all graphs, and the figures that cannot be made.
    pub(super) fn plan_all(&self, figures: &[&'a Figure]) -> (Vec<Sweep<'a>>, Vec<Missing<'a>>) {
        let (mut sweeps, mut missing) = (Vec::new(), Vec::new());
        for figure in figures {
            let planned = figure.panel.iter().map(|panel| self.plan(figure, panel)).collect::<Result<Vec<_>, _>>();
            match planned {
                Ok(planned) => sweeps.extend(planned),
                Err(why) => missing.push(Missing { figure, why: why.to_string() }),
            }
        }
        (sweeps, missing)
    }

    /// Returns the sweep of one graph.
    fn plan(&self, figure: &Figure, panel: &Panel) -> Result<Sweep<'a>, BenchError> {
        let known = || self.benchmarks.iter().map(Entry::name).collect::<Vec<_>>().join(", ");
        let unknown = || BenchError::UnknownBenchmark { name: figure.benchmark.clone(), known: known() };
        let entry = self.benchmarks.iter().find(|entry| entry.name() == figure.benchmark).ok_or_else(unknown)?;
        let axis = panel.axis.as_ref().unwrap_or(&figure.axis);
        let mut all = texts(&figure.with);
        all.extend(texts(&panel.with));
        if self.asked.quick {
            all.extend(self.table.quick.get(&figure.benchmark).map(texts).unwrap_or_default());
        }
        all.remove(&axis.name);
        let mut options = self.asked.options(self.transactions(figure));
        options.phases = panel.is_timed();
        let mut given = Parameters::new();
        for (name, value) in all {
            // The paper's threads are those of a GPU.
            match options.set(&name, &value) {
                _ if name == THREADS && !self.target.is_gpu() => options.threads = None,
                Some(set) => set.map_err(BenchError::Parameters)?,
                None => _ = given.insert(name, value),
            }
        }
        let planned = Sweep {
            entry,
            given,
            options,
            axes: vec![Axis { name: axis.name.clone(), values: self.values(axis) }],
            engines: self.engines(figure)?,
        };
        // A wrong name is an error of the table, and is reported before anything is measured.
        planned.points()?;
        entry.open(&planned.given)?;
        Ok(planned)
    }

    fn transactions(&self, figure: &Figure) -> u64 {
        match (self.asked.quick, self.target.is_gpu()) {
            (true, _) => QUICK,
            (false, true) => figure.transactions,
            (false, false) => (figure.transactions / CPU).max(QUICK),
        }
    }

    fn engines(&self, figure: &Figure) -> Result<Vec<Contender>, BenchError> {
        if let Some(engines) = &self.asked.engines {
            return Ok(engines.0.clone());
        }
        figure.engines.iter().map(|name| Ok(name.parse::<Contender>()?)).collect()
    }

    /// Returns the values on an axis: CPU threads where there is no GPU, and three values with `--quick`.
    fn values(&self, axis: &Across) -> Vec<String> {
        let mut values: Vec<String> = axis.values.iter().map(text).collect();
        if axis.name == THREADS && !self.target.is_gpu() {
            let cores = thread::available_parallelism().map_or(1, NonZero::get);
            let counts =
                std::iter::successors(Some(1), |count| Some(2 * count)).take_while(|count| *count <= 2 * cores);
            values = counts.map(|count| count.to_string()).collect();
        }
        if self.asked.quick && values.len() > 3 {
            values = [0, values.len() / 2, values.len() - 1].map(|at| values[at].clone()).into();
        }
        values
    }

    /// Writes plots, tables and the page; reports the result of each figure.
    pub(super) fn write(
        &self,
        figures: &[&'a Figure],
        missing: &[Missing<'a>],
    ) -> Result<(PathBuf, Vec<Made<'a>>), BenchError> {
        let (mut sections, mut all) = (Vec::new(), Vec::new());
        for figure in figures {
            let name = format!("{} ({}), {}: {}", figure.paper_name, figure.paper, figure.name(), figure.title);
            let lacks = missing.iter().find(|missing| std::ptr::eq(missing.figure, *figure));
            let mut made = Made::of(figure, lacks.map(|missing| missing.why.clone()));
            let section = match lacks {
                Some(missing) => Section { notes: vec![missing.why.clone()], ..Section::default() },
                None => self.section(figure, &mut made)?,
            };
            sections.push(Section { title: name, says: Some(figure.says.clone()), ..section });
            all.push(made);
        }
        let page = Page {
            title: "Figures of papers, made again".to_owned(),
            remarks: self.remarks(),
            sessions: self.journal.sessions.clone(),
            sections,
        };
        let name = match (&self.asked.paper, &self.asked.figure) {
            (Some(paper), Some(figure)) => format!("{paper}-{figure}.html"),
            (Some(paper), None) => format!("{paper}.html"),
            _ => "index.html".to_owned(),
        };
        self.save(&name, &page.html())?;
        Ok((self.asked.out.join(name), all))
    }

    /// Writes one figure from the journal.
    fn section(&self, figure: &Figure, made: &mut Made<'_>) -> Result<Section, BenchError> {
        let (mut section, mut all): (Section, Vec<Cell>) = Default::default();
        for panel in &figure.panel {
            let axis = panel.axis.as_ref().unwrap_or(&figure.axis);
            let cells = self.cells(&self.plan(figure, panel)?)?;
            if cells.is_empty() {
                continue;
            }
            if self.is_worth_it(panel, &cells) {
                let chart = self.chart(figure, panel, axis, &cells);
                let file = format!("{}-{}{}.svg", figure.paper, figure.number, panel.letter);
                self.save(&file, &chart.svg()?)?;
                section.images.push((file, format!("{} ({})", chart.title, chart.subtitle)));
            } else if panel.is_timed() && !section.notes.iter().any(|note| note == NOT_TIMED) {
                section.notes.push(NOT_TIMED.to_owned());
            }
            // Graphs that show the same cells in two ways are evaluated once.
            let fresh: Vec<Cell> = cells.into_iter().filter(|cell| !all.contains(cell)).collect();
            if !fresh.is_empty() {
                self.read(figure, panel, &axis.name, &fresh, &mut section);
            }
            all.extend(fresh);
        }
        if all.is_empty() {
            section.notes.push(NOT_MEASURED.to_owned());
            return Ok(section);
        }
        let table = format!("{}-{}.csv", figure.paper, figure.number);
        self.save(&table, &csv(&all))?;
        made.files.push(table);
        made.files.extend(section.images.iter().map(|(file, _)| file.clone()));
        made.cells = all.len();
        made.without_result = all.iter().filter(|cell| cell.status != Status::Ok).count();
        Ok(section)
    }

    /// Returns the sentences on new cells.
    fn read(&self, figure: &Figure, panel: &Panel, axis: &str, cells: &[Cell], section: &mut Section) {
        let before = if panel.what.is_empty() { String::new() } else { format!("{}: ", panel.what) };
        // Quick numbers support no claim.
        if !self.asked.quick {
            let sentences = reading(panel.claims.as_ref().unwrap_or(&figure.claims), axis, cells);
            section.reading.extend(sentences.into_iter().map(|sentence| format!("Here, {before}{sentence}")));
        }
        section.notes.extend(notes(cells, &[axis.to_owned()]));
        section.table.push_str(&numbers(cells, &[axis.to_owned()]));
    }

    /// Returns whether the cells suffice: a ratio needs two algorithms, and CPU threads may have only one; times need a GPU.
    fn is_worth_it(&self, panel: &Panel, cells: &[Cell]) -> bool {
        if panel.is_timed() {
            return self.target.is_gpu();
        }
        panel.relative_to.is_none() || cells.iter().any(|cell| cell.key.engine != cells[0].key.engine)
    }

    /// Returns the existing cells of a sweep.
    fn cells(&self, planned: &Sweep<'_>) -> Result<Vec<Cell>, BenchError> {
        let keys = planned.keys(&planned.points()?, &planned.distinct(&self.target), &self.target);
        Ok(keys.iter().flatten().filter_map(|key| self.journal.find(key).cloned()).collect())
    }

    fn chart(&self, figure: &Figure, panel: &Panel, axis: &Across, cells: &[Cell]) -> Chart {
        let known = |name: &Option<String>| {
            let engine = name.as_ref()?.parse::<Contender>().ok()?;
            Some(self.target.algorithm(engine))
        };
        let mut chart = match (known(&panel.relative_to), known(&panel.phases_of)) {
            (Some(base), _) => Chart::ratio(cells, &axis.name, &base),
            (_, Some(engine)) => Chart::phases(cells, &axis.name, &engine),
            _ => Chart::of(cells, &axis.name, panel.metric),
        };
        let letter = if panel.letter.is_empty() { String::new() } else { format!(" ({})", panel.letter) };
        let what = if panel.what.is_empty() { String::new() } else { format!(", {}", panel.what) };
        let name = figure.name().replace("figure", "fig.");
        chart.title = format!("{}, {name}{letter}: {}{what}", figure.paper_name, figure.title);
        let sizes: Vec<u64> = cells.iter().map(|cell| cell.key.options.transactions).collect();
        let size = match sizes.first() {
            Some(size) if sizes.iter().all(|other| other == size) => format!(", batches of {}", grouped(*size)),
            _ => String::new(),
        };
        chart.subtitle = format!("{}{size}", self.target.describe());
        let on_cpu = axis.name == THREADS && !self.target.is_gpu();
        chart.x.label = if on_cpu { "CPU threads".to_owned() } else { axis.label.clone() };
        chart.x.log = axis.log || on_cpu;
        chart.y.log = panel.log;
        chart
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.target.is_gpu() {
            remarks.push(format!(
                "No GPU: this is {}, with the algorithms of the CPU instead of the engines, a tenth of the transactions and CPU \
                 threads where the paper has those of a GPU. The shapes can be compared with the papers' CPU lines at most.",
                self.target.describe()
            ));
        }
        if self.asked.quick {
            let quick =
                "A quick look: small sizes, one run each. It shows that everything works; the numbers mean nothing.";
            remarks.push(quick.to_owned());
        }
        if cfg!(debug_assertions) {
            remarks.push("Built without optimisation: the numbers mean nothing.".to_owned());
        }
        remarks
    }

    fn save(&self, name: &str, text: &str) -> Result<(), BenchError> {
        files::save(&self.asked.out.join(name), text)
    }
}
