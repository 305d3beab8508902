//! The hunt for broken engines: in this process, in the emulator with fibers, one interleaving after the other.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

use stm_runtime::Engine;
use stm_tests::mutation::mutant;
use stm_tests::scenarios::named;
use stm_tests::{Backend, Failure, Ground, Verdict};

use super::Mutant;
use crate::score::{Caught, Hunted};
use crate::work::side_by_side;

/// Interleavings that a mutant may survive.
const SEEDS: u64 = 40;
/// Interleavings that the good engine must survive, for each scenario.
const SEEDS_OF_THE_GOOD: u64 = 10;

/// Runs every mutant until it is caught; before that, the good engines in the same scenarios.
pub(crate) fn hunt(mutants: &[Mutant]) -> Result<Vec<Hunted>, String> {
    let scenarios = mutants.iter().flat_map(|mutant| mutant.caught_by.iter().map(|name| (mutant.engine, *name)));
    let good: Vec<_> = scenarios.collect::<BTreeSet<_>>().into_iter().collect();
    side_by_side(&good, |(engine, scenario)| good_engine_passes(engine, scenario))
        .into_iter()
        .collect::<Result<(), String>>()?;
    Ok(side_by_side(mutants, hunt_one))
}

fn good_engine_passes(engine: &str, scenario: &str) -> Result<(), String> {
    let engine = found(engine)?;
    (1..=SEEDS_OF_THE_GOOD).try_for_each(|seed| {
        attempt(engine, scenario, seed)
            .map_err(|failure| format!("the good engine `{engine}` fails {scenario} with seed {seed}: {failure}"))
    })
}

fn hunt_one(mutant: &Mutant) -> Hunted {
    let broken = self::mutant(found(mutant.engine)?, mutant.name, mutant.at)?;
    for seed in 1..=SEEDS {
        for scenario in mutant.caught_by {
            match attempt(broken, scenario, seed) {
                Ok(()) => {}
                Err(failure @ Failure::Error(_)) => return Err(failure.to_string()),
                Err(failure) => {
                    return Ok(Some(Caught { by: format!("{scenario}, seed {seed}"), failure: failure.to_string() }));
                }
            }
        }
    }
    Ok(None)
}

fn found(engine: &str) -> Result<Engine, String> {
    engine.parse().map_err(|error| format!("{error}"))
}

fn attempt(engine: Engine, scenario: &str, seed: u64) -> Verdict {
    let ground = Ground::new(Backend::EmulatedFibers { seed }, engine)?;
    let run = named(scenario).run;
    panic::catch_unwind(AssertUnwindSafe(|| run(&ground)))
        .unwrap_or_else(|_| Err(Failure::Error("the runtime panicked".into())))
}
