//! The suite under AddressSanitizer and UndefinedBehaviorSanitizer: device code touches nothing outside of its arrays and does
//! nothing that C++ gives no meaning; and planted mistakes of each sort are seen.
//!
//! The sanitizer has to be in a process from its start, so this program starts itself again with it. It watches the units that
//! are compiled for the emulator. Each buffer of the device is an allocation of the host there, with forbidden bytes around it.

use std::process::{ExitCode, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use stm_runtime::{Engine, Sanitizer};
use stm_tests::restart::Restarted;
use stm_tests::scenarios::named;
use stm_tests::skip::skipped;
use stm_tests::variants::{self, Variant};
use stm_tests::{Backend, Environment};

/// Constant slots, sets with chains, conflicts, undo, guards, faults, records, all types.
const SCENARIOS: [&str; 6] = [
    "everything_at_once",
    "lost_update_in_loops",
    "faults_among_good_ones",
    "capacity_exceeded",
    "dirty_values_spread",
    "records_stay_whole",
];

/// The same for engines that keep parts of arrays with their blocks.
const ON_PARTS: [&str; 3] = ["parts_count", "parts_undo_and_do_not_skew", "parts_hold_records"];

/// A broken engine, the scenario that comes to its mistake, and what the sanitizer must say: any of these.
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

// No test harness, as for ThreadSanitizer.
fn main() -> ExitCode {
    let test = Restarted {
        name: "engines_stay_within_their_memory_and_planted_mistakes_are_seen",
        library: "libasan.so",
        // Rust programs leave what they need until their end to the system.
        environment: &[
            ("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=8:malloc_context_size=3"),
            ("UBSAN_OPTIONS", "print_stacktrace=1"),
        ],
        first: first_process,
        second: second_process,
    };
    test.main()
}

fn first_process(test: &Restarted, library: &str) -> Result<(), String> {
    if let Some(why) = cannot_start(&test.run(library, "nothing")?) {
        skipped("AddressSanitizer", &why);
        return Ok(());
    }
    share(&MISTAKES, |(variant, _, said)| {
        let output = test.run(library, variant.name)?;
        let text = String::from_utf8_lossy(&output.stderr);
        let is_seen = !output.status.success() && said.iter().any(|said| text.contains(said));
        if is_seen { Ok(()) } else { Err(format!("not seen: {}, {}\n{text}", variant.name, output.status)) }
    })?;
    let good = test.run(library, "good")?;
    let text = String::from_utf8_lossy(&good.stderr);
    if !good.status.success() || text.contains("ERROR: AddressSanitizer") || text.contains("runtime error: ") {
        return Err(format!("an engine is not clean: {}\n{text}", good.status));
    }
    println!(
        "AddressSanitizer and UndefinedBehaviorSanitizer: {} scenarios ({} on parts) clean, half of them under each engine \
         but the default, which has all; {} planted mistakes seen",
        SCENARIOS.len(),
        ON_PARTS.len(),
        MISTAKES.len()
    );
    Ok(())
}

/// Why a process that has nothing to do failed: then the sanitizer does not run on this machine.
fn cannot_start(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then(|| format!("it does not run here: {}", text.lines().next().unwrap_or("no word")))
}

fn second_process(task: &str) -> Result<(), String> {
    if task == "nothing" {
        return Ok(());
    }
    if let Some((variant, scenario, _)) = MISTAKES.iter().find(|(variant, ..)| variant.name == task) {
        let engine = variant.engine.map_or(Ok(Engine::default()), str::parse).map_err(|error| error.to_string())?;
        return run_scenario(variant.of(engine)?, scenario);
    }
    let mut engines = Engine::ALL.to_vec();
    // Variants of one file share what they do to memory.
    engines.dedup_by_key(|engine| engine.spec().file);
    let mut cells = Vec::new();
    for (place, engine) in engines.into_iter().enumerate() {
        let is_turn = |at: usize| engine == Engine::default() || (at + place).is_multiple_of(2);
        match engine.spec().home.is_block() {
            true => cells.extend(ON_PARTS.map(|name| (engine, name))),
            false => cells.extend((0..SCENARIOS.len()).filter(|at| is_turn(*at)).map(|at| (engine, SCENARIOS[at]))),
        }
    }
    share(&cells, |(engine, name)| run_scenario(*engine, name))
}

/// Runs a scenario with fibers; the first of them under the default engine with threads, too. Which of the two touches memory
/// makes no difference to what is touched, and a watched thread of the host costs much.
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

/// Does the work with each item on as many threads as there are processors, until one fails. Most of it is compiling.
fn share<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<(), String> + Sync) -> Result<(), String> {
    let (next, failed) = (Mutex::new(items.iter()), AtomicBool::new(false));
    let take = || {
        let mut ended = Ok(());
        while ended.is_ok() && !failed.load(Ordering::Relaxed) {
            let Some(item) = next.lock().expect("no item panics here").next() else { break };
            ended = work(item);
        }
        failed.fetch_or(ended.is_err(), Ordering::Relaxed);
        ended
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        all.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a scenario panicked".to_owned())?)
    })
}
