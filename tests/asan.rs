//! The suite under AddressSanitizer and UndefinedBehaviorSanitizer: device code accesses nothing outside its arrays and has no
//! undefined behaviour of C++; and planted mistakes of each sort are detected.
//!
//! The sanitizer must be in a process from its start, so this program restarts itself with it. It checks the units that are
//! compiled for the emulator. Each buffer of the device is an allocation of the host there, with forbidden bytes around it.

use std::process::{ExitCode, Output};

use stm_runtime::{Engine, Sanitizer};
use stm_tests::harness::name_of;
use stm_tests::restart::{Restarted, Task, is_clean};
use stm_tests::scenarios::named;
use stm_tests::variants::{self, Variant};
use stm_tests::{Backend, Environment};

/// Constant slots, sets with chains, conflicts, undo, guards, faults, records, all types.
const SCENARIOS: [&str; 8] = [
    "everything_at_once",
    "lost_update_in_loops",
    "faults_among_good_ones",
    "capacity_exceeded",
    "dirty_values_spread",
    "records_stay_whole",
    "sums_of_every_kind",
    "long_walks",
];

/// The same for the stages that an engine adds to another one, whose other code they share.
const ON_STAGES: [&str; 2] = ["readers_of_all_kinds", "extremes_and_bits"];

/// The same for engines that keep partitions in block memory.
const ON_PARTS: [&str; 3] = ["parts_count", "parts_undo_and_do_not_skew", "parts_hold_records"];

/// A broken engine, a scenario that runs its mistake, and words of the sanitizer, one of which must appear.
type Mistake = (Variant, &'static str, &'static [&'static str]);

const MISTAKES: [Mistake; 5] = [
    // Whichever comes first: the entry, or its link in a chain.
    (
        variants::NO_END_OF_A_SET,
        "capacity_exceeded",
        &["AddressSanitizer: stack-buffer-overflow", "runtime error: index "],
    ),
    (variants::NO_END_OF_AN_ARRAY, "faults_among_good_ones", &["AddressSanitizer: heap-buffer-overflow"]),
    (variants::SIGNED_OVERFLOW, "lost_update_in_loops", &["runtime error: signed integer overflow"]),
    (variants::WIDE_SHIFT, "lost_update_in_loops", &["runtime error: shift exponent"]),
    (variants::NOT_ALIGNED, "lost_update_in_loops", &["misaligned address"]),
];

static WATCHED: Restarted = Restarted {
    name: "AddressSanitizer",
    library: "libasan.so",
    // Rust programs leak what they need until their end.
    environment: &[
        ("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=8:malloc_context_size=3"),
        ("UBSAN_OPTIONS", "print_stacktrace=1"),
    ],
    second: second_process,
};

fn main() -> ExitCode {
    WATCHED.main(tasks())
}

fn tasks() -> Vec<Task> {
    let planted = MISTAKES.iter().map(|(variant, _, said)| -> Task {
        let name = format!("planted::{}", name_of(variant.name));
        (name, variant.name.to_owned(), Box::new(|end| is_seen(end, said)))
    });
    let clean = |(engine, scenario): (Engine, &str)| -> Task {
        let complaints = &["ERROR: AddressSanitizer", "runtime error: "];
        let task = format!("{engine} {scenario}");
        (format!("{engine}::{scenario}"), task, Box::new(|end| is_clean(end, complaints)))
    };
    planted.chain(cells().into_iter().map(clean)).collect()
}

fn is_seen(end: &Output, said: &[&str]) -> Result<(), String> {
    let text = String::from_utf8_lossy(&end.stderr);
    let is_seen = !end.status.success() && said.iter().any(|said| text.contains(said));
    if is_seen { Ok(()) } else { Err(format!("the mistake was not seen: {}\n{text}", end.status)) }
}

/// Returns the cells, engine by scenario: all scenarios for the default, every second one for the others.
fn cells() -> Vec<(Engine, &'static str)> {
    let mut engines = Engine::ALL.to_vec();
    // Variants of one file make the same accesses to memory.
    engines.dedup_by_key(|engine| engine.spec().file);
    let mut cells = Vec::new();
    for (place, engine) in engines.into_iter().enumerate() {
        let is_turn = |at: usize| engine == Engine::default() || (at + place).is_multiple_of(2);
        match engine.spec() {
            spec if spec.requires.partitions => cells.extend(ON_PARTS.map(|name| (engine, name))),
            spec if spec.extends.is_some() => cells.extend(ON_STAGES.map(|name| (engine, name))),
            _ => cells.extend((0..SCENARIOS.len()).filter(|at| is_turn(*at)).map(|at| (engine, SCENARIOS[at]))),
        }
    }
    cells
}

fn second_process(task: &str) -> Result<(), String> {
    if let Some((variant, scenario, _)) = MISTAKES.iter().find(|(variant, ..)| variant.name == task) {
        let engine = variant.engine.map_or(Ok(Engine::default()), str::parse).map_err(|error| error.to_string())?;
        return run_scenario(variant.of(engine)?, scenario);
    }
    let (engine, scenario) = task.split_once(' ').ok_or(format!("`{task}` is not a task"))?;
    run_scenario(engine.parse().map_err(|error| format!("{error}"))?, scenario)
}

/// Runs a scenario with fibers; the first one under the default engine also with threads. Both make the same accesses, and a
/// host thread under the sanitizer is slow.
fn run_scenario(engine: Engine, name: &str) -> Result<(), String> {
    let backends = [Backend::EmulatedFibers { seed: 1 }, Backend::EmulatedThreads];
    let ways = if engine == Engine::default() && name == SCENARIOS[0] { 2 } else { 1 };
    for backend in backends.into_iter().take(ways) {
        let environment =
            Environment::watched(backend, engine, Sanitizer::Address).map_err(|error| error.to_string())?;
        (named(name).run)(&environment).map_err(|failure| format!("{name} under {engine} on {backend}: {failure}"))?;
    }
    Ok(())
}
