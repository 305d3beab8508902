//! The hunt for broken engines: in this process, in the emulator with fibers, one interleaving after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};

use stm_runtime::Engine;
use stm_tests::mutation::mutant;
use stm_tests::scenarios::named;
use stm_tests::{Backend, Environment, Failure, Verdict};

use super::Mutant;
use crate::score::{Caught, Hunted};
use crate::work::side_by_side;

/// Interleavings that a mutant may survive.
const SEEDS: u64 = 40;
/// Steps after which fibers are taken for stuck: many times what the longest scenario takes.
const MAX_STEPS: u64 = 8_000_000;

/// One run: engine, scenario and interleaving.
type Run = (&'static str, &'static str, u64);

/// Runs every mutant until it is caught. The good engine must pass whatever caught its mutants, in the same interleaving.
pub(crate) fn hunt(mutants: &[Mutant]) -> Vec<Hunted> {
    let caught = side_by_side(mutants, hunt_one);
    let runs: BTreeSet<Run> = caught.iter().flatten().flatten().map(|(run, _)| *run).collect();
    let runs: Vec<Run> = runs.into_iter().collect();
    let failures: BTreeMap<Run, Failure> = runs
        .iter()
        .copied()
        .zip(side_by_side(&runs, good_engine))
        .filter_map(|(run, verdict)| Some((run, verdict.err()?)))
        .collect();
    caught.into_iter().map(|caught| verdict(caught?, &failures)).collect()
}

fn verdict(caught: Option<(Run, Failure)>, failures_of_the_good: &BTreeMap<Run, Failure>) -> Hunted {
    let Some((run, failure)) = caught else { return Ok(None) };
    let (engine, scenario, seed) = run;
    match failures_of_the_good.get(&run) {
        Some(failure) => Err(format!("the good engine `{engine}` fails {scenario} with seed {seed}: {failure}")),
        None => Ok(Some(Caught { by: format!("{scenario}, seed {seed}"), failure: failure.to_string() })),
    }
}

fn good_engine((engine, scenario, seed): &Run) -> Verdict {
    attempt(found(engine).map_err(Failure::Error)?, scenario, *seed)
}

/// The run that the mutant fails, if there is one; an error if the mutant cannot be made or run.
fn hunt_one(mutant: &Mutant) -> Result<Option<(Run, Failure)>, String> {
    let broken = self::mutant(found(mutant.engine)?, mutant.name, mutant.at)?;
    for seed in 1..=SEEDS {
        for scenario in mutant.caught_by {
            match attempt(broken, scenario, seed) {
                Ok(()) => {}
                Err(failure @ Failure::Error(_)) => return Err(failure.to_string()),
                Err(failure) => return Ok(Some(((mutant.engine, *scenario, seed), failure))),
            }
        }
    }
    Ok(None)
}

fn found(engine: &str) -> Result<Engine, String> {
    engine.parse().map_err(|error| format!("{error}"))
}

fn attempt(engine: Engine, scenario: &str, seed: u64) -> Verdict {
    let environment = Environment::new(Backend::EmulatedFibers { seed }, engine)?.with_max_steps(MAX_STEPS)?;
    let run = named(scenario).run;
    panic::catch_unwind(AssertUnwindSafe(|| run(&environment)))
        .unwrap_or_else(|_| Err(Failure::Error("the runtime panicked".into())))
}
