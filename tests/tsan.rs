//! The suite under ThreadSanitizer: the engines must be clean, and an engine that stores with plain stores must not be.
//!
//! The sanitizer must be in a process from its start, so this program restarts itself with it. It detects plain accesses that
//! race; it cannot detect an atomic access with too weak an order, and neither can the host show it.

use std::process::{ExitCode, Output};

use stm_runtime::{Engine, Sanitizer};
use stm_tests::restart::{Restarted, Task, is_clean};
use stm_tests::scenarios::named;
use stm_tests::variants::PLAIN_STORES;
use stm_tests::{Backend, Environment};

/// The exit code of the sanitizer after a race.
const RACES: i32 = 66;

/// Scenarios that use every verb of every execution mode, and each under conflict. All of them run under the default engine, and
/// every second one under each of the others.
const SCENARIOS: [&str; 10] = [
    "lost_update_found",
    "lost_update_in_loops",
    "torn_snapshot_narrow",
    "write_skew",
    "money_is_conserved_narrow",
    "faults_among_good_ones",
    "dirty_values_spread",
    "everything_at_once",
    "sums_of_every_kind",
    "long_walks",
];

/// The same for the stages that an engine adds to another one, whose other code they share.
const ON_STAGES: [&str; 3] = ["readers_of_all_kinds", "escrow_near_the_bounds", "extremes_and_bits"];

/// The same for engines that keep partitions in block memory.
const ON_PARTS: [&str; 4] =
    ["parts_count", "parts_keep_their_money", "parts_undo_and_do_not_skew", "parts_hold_records"];

/// The task of the process with the planted race.
const PLANTED: &str = "planted";

static WATCHED: Restarted = Restarted {
    name: "ThreadSanitizer",
    library: "libtsan.so",
    // The first race ends the planted run; a correct run has no race.
    environment: &[("TSAN_OPTIONS", "halt_on_error=1")],
    second: second_process,
};

fn main() -> ExitCode {
    WATCHED.main(tasks())
}

fn tasks() -> Vec<Task> {
    let clean = |(engine, scenario): (Engine, &str)| -> Task {
        let task = format!("{engine} {scenario}");
        (format!("{engine}::{scenario}"), task, Box::new(|end| is_clean(end, &["WARNING: ThreadSanitizer"])))
    };
    let planted: Task = ("a_planted_race_is_seen".into(), PLANTED.into(), Box::new(is_seen));
    [planted].into_iter().chain(cells().into_iter().map(clean)).collect()
}

fn is_seen(end: &Output) -> Result<(), String> {
    let text = String::from_utf8_lossy(&end.stderr);
    let is_seen = end.status.code() == Some(RACES) && text.contains("data race") && text.contains("stm_run");
    if is_seen { Ok(()) } else { Err(format!("the planted race was not seen: {}\n{text}", end.status)) }
}

/// Returns which engine runs which scenario.
fn cells() -> Vec<(Engine, &'static str)> {
    let mut engines = Engine::ALL.to_vec();
    // Variants of one file make the same accesses to memory.
    engines.dedup_by_key(|engine| engine.spec().file);
    let (blocks, others): (Vec<Engine>, Vec<Engine>) =
        engines.into_iter().partition(|engine| engine.spec().requires.partitions);
    let mut cells = Vec::new();
    for (place, engine) in others.into_iter().enumerate() {
        let is_turn = |at: &usize| engine == Engine::default() || (at + place).is_multiple_of(2);
        match engine.spec().extends {
            Some(_) => cells.extend(ON_STAGES.map(|name| (engine, name))),
            None => cells.extend((0..SCENARIOS.len()).filter(is_turn).map(|at| (engine, SCENARIOS[at]))),
        }
    }
    cells.extend(blocks.into_iter().flat_map(|engine| ON_PARTS.map(|name| (engine, name))));
    cells
}

fn second_process(task: &str) -> Result<(), String> {
    if task == PLANTED {
        return run_scenario(PLAIN_STORES.of(Engine::default())?, "lost_update_found");
    }
    let (engine, scenario) = task.split_once(' ').ok_or(format!("`{task}` is not a task"))?;
    run_scenario(engine.parse().map_err(|error| format!("{error}"))?, scenario)
}

fn run_scenario(engine: Engine, name: &str) -> Result<(), String> {
    for backend in [Backend::EmulatedThreads, Backend::EmulatedFibers { seed: 1 }] {
        let environment =
            Environment::watched(backend, engine, Sanitizer::Thread).map_err(|error| error.to_string())?;
        (named(name).run)(&environment).map_err(|failure| format!("{name} under {engine} on {backend}: {failure}"))?;
    }
    Ok(())
}
