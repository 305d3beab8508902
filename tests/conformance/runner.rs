//! Runs the matrix: several cells at a time where the back end allows it, and never waiting for ever.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use stm_tests::{Environment, Failure, Scenario, Verdict};

use crate::list;
use crate::options::Options;
use crate::places::Place;

/// A cell that takes longer hangs: batches end by themselves long before, whatever their transactions do.
const HANGS_AFTER: Duration = Duration::from_secs(240);

/// One scenario in one place.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The failure, with the environment on which it happened.
    pub(crate) failure: Option<(String, Failure)>,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Cell {
    /// The engine is not for batches like the scenario's, and said so.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.failure, Some((_, Failure::Refused(_))))
    }

    fn is_failed(&self) -> bool {
        self.failure.is_some() && !self.is_refused()
    }

    /// How it went, in a few words.
    pub(crate) fn text(&self) -> String {
        let word = self.failure.as_ref().map_or("pass", |(_, failure)| failure.word());
        if self.is_refused() { word.to_owned() } else { format!("{word} {:.1}s", self.took.as_secs_f64()) }
    }
}

/// All cells, by scenario and place.
pub(crate) struct Matrix {
    pub(crate) cells: Vec<Vec<Option<Cell>>>,
    pub(crate) took: Duration,
}

impl Matrix {
    pub(crate) fn failures(&self) -> usize {
        self.cells.iter().flatten().filter(|cell| cell.as_ref().is_none_or(Cell::is_failed)).count()
    }

    pub(crate) fn refusals(&self) -> usize {
        self.cells.iter().flatten().flatten().filter(|cell| cell.is_refused()).count()
    }
}

/// Runs every scenario in every place.
pub(crate) fn run(scenarios: &[Scenario], places: &[Place], options: &Options) -> Matrix {
    quiet_panics();
    let begin = Instant::now();
    let mut matrix = Matrix { cells: vec![vec![None; places.len()]; scenarios.len()], took: Duration::ZERO };
    let jobs = options.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1);
    let mut limits: Vec<_> = places.iter().map(|place| place.at_once).collect();
    limits.sort_unstable();
    limits.dedup();
    for limit in limits {
        let work = cells(scenarios, places).into_iter().filter(|(_, p)| places[*p].at_once == limit).collect();
        run_some(scenarios, places, work, limit.map_or(jobs, |limit| jobs.min(limit)), &mut matrix);
    }
    matrix.took = begin.elapsed();
    matrix
}

fn cells(scenarios: &[Scenario], places: &[Place]) -> VecDeque<(usize, usize)> {
    // By scenario: the back ends of one engine compile the same unit, and later ones find it made.
    (0..scenarios.len()).flat_map(|s| (0..places.len()).map(move |p| (s, p))).collect()
}

fn run_some(
    scenarios: &[Scenario],
    places: &[Place],
    work: VecDeque<(usize, usize)>,
    jobs: usize,
    matrix: &mut Matrix,
) {
    let expected = work.len();
    // Who ends the suite before its time shall know what has been run. Elsewhere there are too many cells.
    let tells = places.len() == 1 || places.iter().all(|place| place.at_once.is_some());
    let work = Mutex::new(work);
    let running: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (work, running, sender) = (&work, &running, sender.clone());
            scope.spawn(move || {
                // Not in the head of the loop: what is locked there stays locked for the whole turn.
                let next = || lock(work).pop_front();
                while let Some((s, p)) = next() {
                    let name = format!("{} on {}", scenarios[s].name, places[p].name);
                    lock(running).push((name.clone(), Instant::now()));
                    let cell = run_cell(scenarios[s], &places[p], (s + p).is_multiple_of(places[p].turns));
                    lock(running).retain(|(other, _)| *other != name);
                    let _ = sender.send((s, p, cell));
                }
            });
        }
        drop(sender);
        for _ in 0..expected {
            let (s, p, cell) = next(&receiver, &running);
            if let (true, Some((environment, failure))) = (cell.is_failed(), &cell.failure) {
                eprintln!("FAILED {} on {} ({environment})\n  {failure}\n", scenarios[s].name, places[p].name);
            }
            if tells {
                list::print_cell(&scenarios[s], &places[p], &cell);
            }
            matrix.cells[s][p] = Some(cell);
        }
    });
}

type Done = (usize, usize, Cell);

/// The next finished cell. Ends the process if one hangs: its threads cannot be ended alone.
fn next(receiver: &mpsc::Receiver<Done>, running: &Mutex<Vec<(String, Instant)>>) -> Done {
    loop {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(done) => return done,
            Err(_) => {
                let hanging = lock(running).iter().find(|(_, since)| since.elapsed() > HANGS_AFTER).cloned();
                if let Some((name, _)) = hanging {
                    eprintln!("FAILED {name}: it hangs; the suite ends here");
                    std::process::exit(101);
                }
            }
        }
    }
}

fn run_cell(scenario: Scenario, place: &Place, is_turn: bool) -> Cell {
    let begin = Instant::now();
    let unchecked = place.unchecked.iter().filter(|_| is_turn);
    let failure = place.environments.iter().chain(unchecked).find_map(|environment| {
        let failure = attempt(scenario, environment).err()?;
        Some((environment.to_string(), failure))
    });
    Cell { failure, took: begin.elapsed() }
}

/// Only engines that keep parts of arrays with their blocks may refuse a scenario, and none about parts.
fn attempt(scenario: Scenario, environment: &Environment) -> Verdict {
    match run_once(scenario, environment) {
        Err(Failure::Refused(why))
            if !environment.engine.spec().requires.partitions || scenario.name.starts_with("parts_") =>
        {
            Err(Failure::Error(why))
        }
        verdict => verdict,
    }
}

fn run_once(scenario: Scenario, environment: &Environment) -> Verdict {
    panic::catch_unwind(AssertUnwindSafe(|| (scenario.run)(environment))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Failure::Error(format!("panicked: {}", text.unwrap_or_default())))
    })
}

/// The text of a panic is printed with its cell, not when it happens.
fn quiet_panics() {
    panic::set_hook(Box::new(|_| {}));
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
