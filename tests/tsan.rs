//! The suite under ThreadSanitizer: the engines must be clean, and an engine that stores with plain stores must not be.
//!
//! The sanitizer has to be in a process from its start, so this program starts itself again with it. What it can see is
//! plain accesses that race; an atomic access with too weak an order it cannot see, and neither can the host show it.

use std::path::Path;
use std::process::{Command, ExitCode, Output};

use stm_runtime::Engine;
use stm_tests::scenarios::named;
use stm_tests::skip::skipped;
use stm_tests::variants::PLAIN_STORES;
use stm_tests::{Backend, Ground};

/// Tells the second process what to run: `good` or `planted`.
const TASK: &str = "STM_TEST_TSAN";
/// What the sanitizer ends a process with where it saw a race.
const RACES: i32 = 66;

/// How often the sanitizer may fail to start.
const STARTS: u32 = 5;

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

const NAME: &str = "engines_are_clean_and_a_planted_race_is_seen";

// No test harness: the sanitizer would see the harness's own threads, which are not compiled for it.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match std::env::var(TASK) {
        Ok(task) => second_process(&task),
        Err(_) if words.iter().any(|word| word == "--list") => {
            println!("{NAME}: test");
            Ok(())
        }
        // Words choose tests by their names.
        Err(_) if words.iter().any(|word| !word.starts_with('-') && !NAME.contains(word.as_str())) => Ok(()),
        Err(_) => first_process(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn first_process() -> Result<(), String> {
    let Some(library) = sanitizer() else {
        skipped("ThreadSanitizer", "the C++ compiler has no libtsan.so (Debian, Ubuntu: apt install g++)");
        return Ok(());
    };
    let planted = run(&library, "planted")?;
    let text = String::from_utf8_lossy(&planted.stderr).into_owned();
    if !text.contains("WARNING: ThreadSanitizer") && text.contains("ThreadSanitizer") {
        // It gave up before our own code ran, as it does where memory lies otherwise than it expects.
        skipped("ThreadSanitizer", &format!("it does not run here: {}", text.lines().next().unwrap_or("no word")));
        return Ok(());
    }
    if planted.status.code() != Some(RACES) || !text.contains("data race") || !text.contains("stm_run") {
        return Err(format!("the planted race was not seen: {}\n{text}", planted.status));
    }
    let good = run(&library, "good")?;
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
        engines.into_iter().partition(|engine| engine.spec().home.is_block());
    for (place, engine) in others.into_iter().enumerate() {
        let is_turn = |at: usize| engine == Engine::default() || (at + place).is_multiple_of(2);
        let turns: Vec<&str> = (0..SCENARIOS.len()).filter(|at| is_turn(*at)).map(|at| SCENARIOS[at]).collect();
        run_scenarios(engine, &turns)?;
    }
    blocks.into_iter().try_for_each(|engine| run_scenarios(engine, &ON_PARTS))
}

fn run_scenarios(engine: Engine, scenarios: &[&str]) -> Result<(), String> {
    for backend in [Backend::EmulatedThreads, Backend::EmulatedFibers { seed: 1 }] {
        let ground = Ground::with_tsan(backend, engine).map_err(|error| error.to_string())?;
        for name in scenarios {
            (named(name).run)(&ground).map_err(|failure| format!("{name} under {engine} on {backend}: {failure}"))?;
        }
    }
    Ok(())
}

/// Where addresses are random, the sanitizer now and then finds its own place taken, and gives up before our code runs: then
/// once more.
fn run(library: &str, task: &str) -> Result<Output, String> {
    let mut output = run_once(library, task)?;
    for _ in 0..STARTS {
        if !String::from_utf8_lossy(&output.stderr).contains("ERROR: ThreadSanitizer failed to allocate") {
            break;
        }
        output = run_once(library, task)?;
    }
    Ok(output)
}

fn run_once(library: &str, task: &str) -> Result<Output, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Command::new(program)
        .env(TASK, task)
        .env("LD_PRELOAD", library)
        // The first race ends the planted run; a good run has none.
        .env("TSAN_OPTIONS", "halt_on_error=1")
        .output()
        .map_err(|error| error.to_string())
}

/// The sanitizer's library, where the compiler of the emulator has one.
fn sanitizer() -> Option<String> {
    let compiler = std::env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
    let output = Command::new(compiler).arg("-print-file-name=libtsan.so").output().ok()?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Path::new(&path).is_absolute().then_some(path)
}
