//! The suite proves its own worth: broken versions of the engines, each with one mistake that people have made, must be
//! caught within a bounded number of interleavings; the engine itself passes the same scenarios.
//!
//! What cannot be seen here, and is not among the mutants: a memory order that is too weak. The hosts on which this runs
//! do not reorder what the device may reorder.

#[path = "mutants/boxes.rs"]
mod boxes;
#[path = "mutants/eager.rs"]
mod eager;
#[path = "mutants/homes.rs"]
mod homes;
#[path = "mutants/list.rs"]
mod list;
#[path = "mutants/locks.rs"]
mod locks;

use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use list::Mutant;
use stm_runtime::Engine;
use stm_tests::mutation::mutant;
use stm_tests::scenarios::named;
use stm_tests::skip::skipped;
use stm_tests::{Backend, Failure, Ground, Verdict};

/// Interleavings that a mutant may survive.
const SEEDS: u64 = 40;
/// Interleavings that the good engine must survive, for each scenario.
const SEEDS_OF_THE_GOOD: u64 = 10;

/// How a mutant was caught.
struct Caught {
    seed: u64,
    scenario: &'static str,
    failure: Failure,
}

/// A mutant's place in the list, and how the hunt ended: caught or not, or not possible.
type Hunted = (usize, Result<Option<Caught>, String>);

#[test]
fn every_mutant_is_caught_and_no_engine_is() {
    if let Err(why) = Ground::new(Backend::EmulatedFibers { seed: 1 }, Engine::default()) {
        return skipped("the mutants", &why.to_string());
    }
    let mut mutants = list::all();
    if let Ok(engine) = std::env::var("STM_TEST_ENGINE") {
        mutants.retain(|mutant| mutant.engine == engine);
        assert!(!mutants.is_empty(), "there are no mutants of `{engine}`");
    }
    let results: Mutex<Vec<Hunted>> = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(mutant) = mutants.get(at) else { break };
                    let result = hunt(mutant);
                    results.lock().expect("no panics while locked").push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panics while locked");
    results.sort_by_key(|(at, _)| *at);
    let (table, caught) = table(&mutants, &results);
    // Not `eprintln`, which a test harness captures: the score is to be seen.
    let _ = writeln!(std::io::stderr(), "{table}");
    assert_eq!(caught, mutants.len(), "mutants survived\n{table}");
}

/// Runs a mutant until it is caught; before that, the good engine in the same way.
fn hunt(mutant: &Mutant) -> Result<Option<Caught>, String> {
    let engine: Engine = mutant.engine.parse().map_err(|error| format!("{error}"))?;
    let good = self::mutant(engine, "control", &[])?;
    for scenario in mutant.caught_by {
        for seed in 1..=SEEDS_OF_THE_GOOD {
            if let Err(failure) = attempt(good, scenario, seed) {
                return Err(format!("the engine itself fails {scenario} with seed {seed}: {failure}"));
            }
        }
    }
    let broken = self::mutant(engine, mutant.name, mutant.patches)?;
    for seed in 1..=SEEDS {
        for scenario in mutant.caught_by {
            if let Err(failure) = attempt(broken, scenario, seed) {
                if matches!(failure, Failure::Error(_)) {
                    return Err(failure.to_string());
                }
                return Ok(Some(Caught { seed, scenario, failure }));
            }
        }
    }
    Ok(None)
}

fn attempt(engine: Engine, scenario: &str, seed: u64) -> Verdict {
    let ground = Ground::new(Backend::EmulatedFibers { seed }, engine)?;
    let run = named(scenario).run;
    panic::catch_unwind(AssertUnwindSafe(|| run(&ground)))
        .unwrap_or_else(|_| Err(Failure::Error("the runtime panicked".into())))
}

fn table(mutants: &[&Mutant], results: &[Hunted]) -> (String, usize) {
    let mut out = format!("\n{:9} {:36} {:8} {:>5}  {:26} why\n", "engine", "mutant", "caught", "seed", "by");
    let mut caught = 0;
    for (at, result) in results {
        let Mutant { engine, name, caught_by, .. } = mutants[*at];
        let _ = write!(out, "{engine:9} ");
        let _ = match result {
            Ok(Some(Caught { seed, scenario, failure })) => {
                caught += 1;
                let line = failure.text().lines().next().unwrap_or_default();
                writeln!(out, "{name:36} {:8} {seed:>5}  {scenario:26} {line:.90}", failure.word())
            }
            Ok(None) => writeln!(out, "{name:36} SURVIVED {SEEDS} seeds of {caught_by:?}"),
            Err(why) => writeln!(out, "{name:36} BROKEN   {why}"),
        };
    }
    let _ = writeln!(out, "mutation score: {caught} of {}", mutants.len());
    (out, caught)
}
