//! The suite under ThreadSanitizer: the engines must be clean, and an engine that stores with plain stores must not be.
//!
//! The sanitizer has to be in a process from its start, so this program starts itself again with it. What it can see is
//! plain accesses that race; an atomic access with too weak an order it cannot see, and neither can the host show it.

use std::process::ExitCode;

use stm_runtime::{Engine, Sanitizer};
use stm_tests::restart::Restarted;
use stm_tests::scenarios::named;
use stm_tests::skip::skipped;
use stm_tests::variants::PLAIN_STORES;
use stm_tests::{Backend, Environment};

/// What the sanitizer ends a process with where it saw a race.
const RACES: i32 = 66;

/// Enough to use every verb of every way of running, and each in conflict.
const SCENARIOS: [&str; 8] = [
    "lost_update_found",
    "lost_update_in_loops",
    "torn_snapshot_narrow",
    "write_skew",
    "money_is_conserved_narrow",
    "faults_among_good_ones",
    "dirty_values_spread",
    "everything_at_once",
];

/// The same for engines that keep parts of arrays with their blocks.
const ON_PARTS: [&str; 4] =
    ["parts_count", "parts_keep_their_money", "parts_undo_and_do_not_skew", "parts_hold_records"];

// No test harness: the sanitizer would see the harness's own threads, which are not compiled for it.
fn main() -> ExitCode {
    let test = Restarted {
        name: "engines_are_clean_and_a_planted_race_is_seen",
        library: "libtsan.so",
        // The first race ends the planted run; a good run has none.
        environment: &[("TSAN_OPTIONS", "halt_on_error=1")],
        first: first_process,
        second: second_process,
    };
    test.main()
}

fn first_process(test: &Restarted, library: &str) -> Result<(), String> {
    let planted = test.run(library, "planted")?;
    let text = String::from_utf8_lossy(&planted.stderr).into_owned();
    if !text.contains("WARNING: ThreadSanitizer") && text.contains("ThreadSanitizer") {
        // It gave up before our own code ran, as it does where memory lies otherwise than it expects.
        skipped("ThreadSanitizer", &format!("it does not run here: {}", text.lines().next().unwrap_or("no word")));
        return Ok(());
    }
    if planted.status.code() != Some(RACES) || !text.contains("data race") || !text.contains("stm_run") {
        return Err(format!("the planted race was not seen: {}\n{text}", planted.status));
    }
    let good = test.run(library, "good")?;
    let text = String::from_utf8_lossy(&good.stderr);
    if !good.status.success() || text.contains("WARNING: ThreadSanitizer") {
        return Err(format!("an engine is not clean: {}\n{text}", good.status));
    }
    let (whole, parts) = (SCENARIOS.len(), ON_PARTS.len());
    println!(
        "ThreadSanitizer: {whole} scenarios ({parts} on parts) clean, half of them under each engine but the default, which has all; the planted race seen"
    );
    Ok(())
}

fn second_process(task: &str) -> Result<(), String> {
    if task == "planted" {
        return run_scenarios(PLAIN_STORES.of(Engine::default())?, &["lost_update_found"]);
    }
    let mut engines = Engine::ALL.to_vec();
    // Variants of one file share what they do to memory.
    engines.dedup_by_key(|engine| engine.spec().file);
    let (blocks, others): (Vec<Engine>, Vec<Engine>) =
        engines.into_iter().partition(|engine| engine.spec().requires.partitions);
    for (place, engine) in others.into_iter().enumerate() {
        let is_turn = |at: usize| engine == Engine::default() || (at + place).is_multiple_of(2);
        let turns: Vec<&str> = (0..SCENARIOS.len()).filter(|at| is_turn(*at)).map(|at| SCENARIOS[at]).collect();
        run_scenarios(engine, &turns)?;
    }
    blocks.into_iter().try_for_each(|engine| run_scenarios(engine, &ON_PARTS))
}

fn run_scenarios(engine: Engine, scenarios: &[&str]) -> Result<(), String> {
    for backend in [Backend::EmulatedThreads, Backend::EmulatedFibers { seed: 1 }] {
        let environment =
            Environment::watched(backend, engine, Sanitizer::Thread).map_err(|error| error.to_string())?;
        for name in scenarios {
            (named(name).run)(&environment)
                .map_err(|failure| format!("{name} under {engine} on {backend}: {failure}"))?;
        }
    }
    Ok(())
}
