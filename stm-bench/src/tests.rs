//! A small benchmark, and one that is broken intentionally.

use clap::Args;
use rand::RngExt;
use stm_runtime::GpuError;
use stm_runtime::prelude::*;

use crate::bar::Bar;
use crate::cell::{Cell, Key, Run, Status};
use crate::contender::Contender;
use crate::interrupt::Stop;
use crate::journal::{Earlier, FILE, Journal, Line, Session};
use crate::sweep::{Axis, End, Sweep, runs, sweep};
use crate::target::Target;
use crate::{Benchmark, Entry, Options, Parameters, Rng};

/// Adds to a counter.
#[gpu_transaction]
fn add(tx: &mut Tx, counters: &Shared<u64>, which: u32, amount: u64) -> TxResult {
    let count = tx.read(counters, which)?;
    tx.write(counters, which, count + amount)
}

/// Counts on a few counters.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct Counters {
    /// How many counters
    #[arg(long, default_value_t = 10)]
    counters: u32,
    /// This number of counts is not expected, which breaks the invariant
    #[arg(long, default_value_t = 0)]
    lose: u64,
    /// Sorts the transactions
    #[arg(long)]
    sorted: bool,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters { counters: 10, lose: 0, sorted: false }
    }
}

impl Benchmark for Counters {
    const NAME: &'static str = "counters";
    const SUMMARY: &'static str = "counts on a few counters";
    const SOURCE: &'static str = "a test";
    type State = Shared<u64>;
    type Transaction = (u32, u64);

    fn setup(&self, device: &Device, _: u64) -> Result<Shared<u64>, Error> {
        assert!(self.counters != 13, "thirteen counters bring bad luck");
        if self.counters == 14 {
            return Err(GpuError::ContextLost { name: "GONE".to_owned(), text: "a test".to_owned() }.into());
        }
        device.shared_with(&vec![0; self.counters as usize], if self.counters == 12 { 3 } else { 1 })
    }

    fn transaction(&self, rng: &mut Rng, number: u64) -> (u32, u64) {
        (rng.random_range(0..self.counters), number % 3)
    }

    fn push(&self, counters: &Shared<u64>, (which, amount): (u32, u64), batch: &mut Batch) {
        batch.push(add::call(counters, which, amount));
    }

    fn check(&self, counters: &Shared<u64>, _: &Report, transactions: &[(u32, u64)]) -> Result<(), String> {
        let counted: u64 = counters.to_vec().map_err(|why| why.to_string())?.iter().sum();
        let wanted = transactions.iter().map(|(_, amount)| amount).sum::<u64>() + self.lose;
        if counted == wanted { Ok(()) } else { Err(format!("counted {counted} instead of {wanted}")) }
    }

    fn arrange(&self, transactions: &mut Vec<(u32, u64)>) {
        if self.sorted {
            transactions.sort_unstable();
        }
    }
}

pub(crate) const COUNTERS: Entry = Entry::of::<Counters>();

/// Returns a cell with that many counters and these rates.
pub(crate) fn cell(engine: &str, counters: u32, rates: &[f64]) -> Cell {
    let run = |rate: &f64| Run { rate: *rate, kernel: 1.0, committed: *rate as u64, ..Run::default() };
    Cell {
        key: Key {
            benchmark: "counters".to_owned(),
            parameters: [("counters".to_owned(), counters.to_string())].into(),
            options: Options::default(),
            engine: engine.to_owned(),
            device: "a test".to_owned(),
        },
        status: Status::Ok,
        message: None,
        round: format!("round {counters}"),
        shape: String::new(),
        generate: 0.0,
        runs: rates.iter().map(run).collect(),
        rate: crate::Spread::of(rates),
    }
}

/// Returns a cell with phases, of one run.
pub(crate) fn timed(engine: &str, counters: u32, phases: &[(&str, f64)]) -> Cell {
    let mut cell = cell(engine, counters, &[1e6]);
    cell.runs[0].phases = phases.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect();
    cell
}

/// Returns a sweep over `counters`, with both algorithms of the CPU.
fn small(axis: &str) -> Sweep<'static> {
    Sweep {
        entry: &COUNTERS,
        given: Parameters::new(),
        options: Options { transactions: 500, runs: 2, warmup: 1, check: true, ..Options::default() },
        axes: vec![axis.parse::<Axis>().unwrap()],
        engines: Contender::all_engines(),
    }
}

#[test]
fn what_is_asked_twice_is_measured_and_counted_once() {
    let device = Device::cpu(1);
    let (twice, bar) = (small("counters=4,4,5"), Bar::new(true));
    let missing = twice.missing(&Target::of(&device), &Journal::in_memory()).unwrap();
    bar.more(runs(missing.len(), &twice.options));
    let (cells, _) = sweep(&twice, &device, &mut Journal::in_memory(), &Stop::default(), &bar).unwrap();
    assert_eq!((missing.len(), cells.len()), (4, 6));
    assert_eq!((cells[0].clone(), bar.done()), (cells[2].clone(), bar.len()));
}

#[test]
fn a_broken_benchmark_loses_its_own_cells_alone() {
    let device = Device::cpu(2);
    let mut journal = Journal::in_memory();
    let all = small("counters=4,0,12,13,x,5");
    let bar = Bar::new(true);
    bar.more(runs(all.missing(&Target::of(&device), &journal).unwrap().len(), &all.options));
    let (cells, end) = sweep(&all, &device, &mut journal, &Stop::default(), &bar).unwrap();
    assert_eq!(end, End::Done);
    assert_eq!((bar.done(), bar.len()), (6 * 2 * 3, 6 * 2 * 3), "also those that did not run are done");
    let cpu = cells.iter().filter(|cell| cell.key.engine == device.algorithm(Engine::default()).name());
    let ends: Vec<_> = cpu.map(|cell| (cell.status, cell.message.clone().unwrap_or_default())).collect();
    assert_eq!(ends[0], (Status::Ok, String::new()));
    assert!(ends[1].0 == Status::Refused && ends[1].1.contains("panicked"), "{:?}", ends[1]);
    assert!(ends[2].0 == Status::Refused && ends[2].1.contains("power of two"), "{:?}", ends[2]);
    assert!(ends[3].0 == Status::Refused && ends[3].1.contains("bad luck"), "{:?}", ends[3]);
    assert!(ends[4].0 == Status::Refused && ends[4].1.contains("'x'"), "{:?}", ends[4]);
    assert_eq!(ends[5].0, Status::Ok);
    assert_eq!(cells.len(), 12, "two algorithms at six points");
    let ratio = cells[1].ratio(&cells[0]).expect("engines of a point are compared run by run");
    assert!(ratio.median > 0.0 && cells[0].runs[0].serializable == Some(true));

    let broken = small("lose=0,1");
    let (cells, _) = sweep(&broken, &device, &mut journal, &Stop::default(), &Bar::new(true)).unwrap();
    let ends: Vec<Status> = cells.iter().map(|cell| cell.status).collect();
    assert_eq!(ends, [Status::Ok, Status::Ok, Status::Failed, Status::Failed]);
    assert!(cells[2].message.as_deref().unwrap().starts_with("counted 499 instead of 500"), "{:?}", cells[2].message);
    assert!(cells[2].rate.is_none() && cells[2].spread(crate::Metric::Throughput).is_none());
}

#[test]
fn a_sweep_that_resumes_measures_what_is_missing() {
    let device = Device::cpu(1);
    let folder = tempfile::tempdir().unwrap();
    let run = |axis: &str, earlier, stop: &Stop| {
        let mut journal = Journal::open(folder.path(), earlier)?;
        journal.begin(Session::now(&device))?;
        sweep(&small(axis), &device, &mut journal, stop, &Bar::new(true))
    };
    let (first, _) = run("counters=2,3", Earlier::Refuse, &Stop::default()).unwrap();
    assert!(run("counters=2,3", Earlier::Refuse, &Stop::default()).unwrap_err().to_string().contains("--resume"));

    // An incomplete line of a program that was killed.
    let file = folder.path().join(FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}{{\"line\":\"cell\",\"bench")).unwrap();
    let stopped = Stop::default();
    stopped.ask();
    let (cells, end) = run("counters=2,3,4", Earlier::Resume, &stopped).unwrap();
    assert_eq!((cells, end), (first.clone(), End::Interrupted));

    let (cells, end) = run("counters=2,3,4", Earlier::Resume, &Stop::default()).unwrap();
    assert_eq!((cells.len(), end), (6, End::Done));
    assert_eq!(cells[..4], first, "not measured again");
    let lines = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Line> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().filter(|line| matches!(line, Line::Session(_))).count(), 3);
    let read = lines.iter().filter_map(|line| if let Line::Cell(cell) = line { Some(&**cell) } else { None });
    assert!(read.eq(&cells), "lines parse back");

    // A lost device affects no other cell, neither of this point nor of the next.
    let lost = run("counters=14,5", Earlier::Resume, &Stop::default()).unwrap_err().to_string();
    assert!(lost.contains("GONE") && lost.contains("--resume"), "{lost}");
    let again = run("counters=14,5", Earlier::Resume, &Stop::default()).unwrap_err();
    assert!(again.to_string().contains("GONE"), "the other engine of the point was not measured yet");
    let (cells, end) = run("counters=14,5", Earlier::Resume, &Stop::default()).unwrap();
    let ends: Vec<Status> = cells.iter().map(|cell| cell.status).collect();
    assert_eq!((ends, end), (vec![Status::Refused, Status::Refused, Status::Ok, Status::Ok], End::Done));

    let (anew, _) = run("counters=2", Earlier::Overwrite, &Stop::default()).unwrap();
    assert_ne!(anew[0].round, first[0].round);
    std::fs::write(&file, "{\"line\":\"song\"}\n").unwrap();
    let wrong = run("counters=2", Earlier::Resume, &Stop::default()).unwrap_err().to_string();
    assert!(wrong.contains("line 1"), "{wrong}");
}
