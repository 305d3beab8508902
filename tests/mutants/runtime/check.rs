//! The checks that detect mutants of the runtime.

use std::time::Duration;

use stm_runtime::__private::mutation;
use stm_runtime::Engine;
use stm_tests::failure::guarded;
use stm_tests::scenarios::{Scenario, named};
use stm_tests::{Backend, Environment, TestResult};

/// The number of interleavings after which a mutant counts as not caught, where a seed chooses them.
const SEEDS: u64 = 6;
/// Steps after which the run of fibers counts as stuck.
const MAX_STEPS: u64 = 12_000_000;
/// The time limit of a batch. The correct runtime takes a small part of it.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// A check. Lists write it as `cpu`, `cpu-seeded` or `fibers`, then `/` and an engine unless it is the default, and the name of
/// a scenario; or as `unit` and the name of a unit test of the runtime.
pub(crate) enum Check {
    /// A scenario of the suite, on each of these back ends.
    Scenario { scenario: &'static Scenario, engine: Engine, backends: Vec<Backend> },
    /// A unit test.
    Unit(fn()),
}

impl Check {
    /// Parses a check.
    pub(crate) fn parse(text: &str) -> Result<Check, String> {
        let (place, name) = text.split_once(' ').ok_or(format!("`{text}` names no scenario"))?;
        if place == "unit" {
            let case =
                mutation::cases().find(|case| case.name.ends_with(name)).ok_or(format!("no unit test `{name}`"))?;
            return Ok(Check::Unit(case.run));
        }
        let (place, engine) = place.split_once('/').unwrap_or((place, Engine::default().name()));
        let engine = engine.parse().map_err(|error| format!("{error}"))?;
        let backends = match place {
            "cpu" => vec![Backend::Cpu],
            "cpu-seeded" => (1..=SEEDS).map(|seed| Backend::CpuSeeded { seed }).collect(),
            "cpu-staged" => (1..=SEEDS).map(|seed| Backend::CpuStaged { seed }).collect(),
            "fibers" => (1..=SEEDS).map(|seed| Backend::EmulatedFibers { seed }).collect(),
            _ => return Err(format!("`{place}` is no back end; use cpu, cpu-seeded or fibers")),
        };
        Ok(Check::Scenario { scenario: named(name), engine, backends })
    }

    /// Runs the check. A panic counts as a failure with its message.
    pub(crate) fn run(&self) -> TestResult {
        guarded(|| match self {
            Check::Unit(run) => {
                run();
                Ok(())
            }
            Check::Scenario { scenario, engine, backends } => backends.iter().try_for_each(|backend| {
                let environment =
                    Environment::new(*backend, *engine)?.with_time_limit(TIME_LIMIT).with_max_steps(MAX_STEPS)?;
                (scenario.run)(&environment)
            }),
        })
    }
}
