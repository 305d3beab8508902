//! The hunt for broken engines: in this process, in the emulator with fibers, one interleaving after the other.

use std::panic::{self, AssertUnwindSafe};

use stm_runtime::Engine;
use stm_tests::mutation::mutant;
use stm_tests::scenarios::named;
use stm_tests::{Backend, Environment, Failure, TestResult};

use super::Mutant;
use crate::once::Once;
use crate::score::{Caught, Hunted};

/// The number of interleavings after which a mutant counts as not caught.
const SEEDS: u64 = 40;
/// Steps after which the run of fibers counts as stuck: many times what the longest scenario takes.
const MAX_STEPS: u64 = 8_000_000;

/// One run: engine, scenario and interleaving.
type Run = (&'static str, &'static str, u64);

/// The results of the correct engines in the runs that caught mutants.
static GOOD: Once<Run, TestResult> = Once::new();

/// Runs a mutant until it is caught. The correct engine must pass the same scenario in the same interleaving.
pub(crate) fn hunt(mutant: &Mutant) -> Hunted {
    let Some((run, failure)) = hunt_one(mutant)? else { return Ok(None) };
    let (engine, scenario, seed) = run;
    match GOOD.get(run, || good_engine(&run)) {
        Err(failure) => Err(format!("the good engine `{engine}` fails {scenario} with seed {seed}: {failure}")),
        Ok(()) => Ok(Some(Caught { by: format!("{scenario}, seed {seed}"), failure: failure.to_string() })),
    }
}

fn good_engine((engine, scenario, seed): &Run) -> TestResult {
    attempt(found(engine).map_err(Failure::Error)?, scenario, *seed)
}

/// Returns the run that the mutant fails, if there is one; an error if the mutant cannot be made or run.
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

fn attempt(engine: Engine, scenario: &str, seed: u64) -> TestResult {
    let environment = Environment::new(Backend::EmulatedFibers { seed }, engine)?.with_max_steps(MAX_STEPS)?;
    let run = named(scenario).run;
    panic::catch_unwind(AssertUnwindSafe(|| run(&environment)))
        .unwrap_or_else(|_| Err(Failure::Error("the runtime panicked".into())))
}
