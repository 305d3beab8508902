//! Where transactions print, and what they print there.

use std::sync::{Arc, LazyLock, Mutex};

use stm_runtime::{Batch, Engine, Report, RunOptions};
use stm_tests::harness::{Trial, cannot_run, name_of};
use stm_tests::{Backend, Environment};

/// The back ends by the names that `STM_TEST_DEVICE` takes.
fn backend(name: &str) -> Option<Backend> {
    match name {
        "cpu" => Some(Backend::Cpu),
        "threads" => Some(Backend::EmulatedThreads),
        "fibers" => Some(Backend::EmulatedFibers { seed: 1 }),
        name => {
            let ordinal = name.strip_prefix("cuda:")?.parse().ok()?;
            Some(Backend::Gpu { ordinal, threads: None })
        }
    }
}

/// The environment of a name under the default engine.
///
/// # Panics
/// There is no such device.
pub(crate) fn environment(name: &str) -> Environment {
    let backend = backend(name).unwrap_or_else(|| panic!("{name}: use cpu, threads, fibers or cuda:N"));
    Environment::new(backend, Engine::default()).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The names of places that this machine does not have, each with the reason.
type Missing = Vec<(String, String)>;

/// The places that this machine has, and those that it does not have.
static FOUND: LazyLock<(Vec<String>, Missing)> = LazyLock::new(|| {
    let (mut names, mut missing) = (vec!["cpu".to_owned()], Vec::new());
    if let Ok(name) = std::env::var("STM_TEST_DEVICE") {
        // A device that was asked for has to be there.
        environment(&name);
        names.push(name);
        names.dedup();
        return (names, missing);
    }
    for name in ["threads", "fibers", "cuda:0"] {
        match backend(name).map(|backend| Environment::new(backend, Engine::default())) {
            Some(Ok(_)) => names.push(name.to_owned()),
            Some(Err(why)) => missing.push((name.to_owned(), why.to_string())),
            None => {}
        }
    }
    (names, missing)
});

/// Returns the CPU, and what `STM_TEST_DEVICE` names; where that is not set, what this machine has of the emulator and GPUs.
pub(crate) fn names() -> &'static [String] {
    &FOUND.0
}

/// Returns a test for each place that this machine does not have.
pub(crate) fn missing() -> Vec<Trial> {
    let absent = |(name, why): &(String, String)| {
        cannot_run(format!("everything_on_{}", name_of(name)), format!("printing on {name}"), why)
    };
    FOUND.1.iter().map(absent).collect()
}

/// Runs a test on each of them.
pub(crate) fn everywhere(test: impl Fn(&Environment)) {
    for name in names() {
        test(&environment(name));
    }
}

/// Runs a batch, and collects what it prints.
pub(crate) fn printed(batch: &Batch, options: RunOptions) -> (Report, Vec<String>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let options = options.print_to(move |line| kept.lock().expect("nobody panics with it").push(line.to_owned()));
    let report = batch.run_with(&options).expect("the batch should run");
    let lines = std::mem::take(&mut *lines.lock().expect("nobody panics with it"));
    (report, lines)
}

/// Compares what was printed, and shows the first difference alone.
///
/// # Panics
/// There is one.
pub(crate) fn compare(environment: &Environment, got: &[String], want: &[String]) {
    let differ = got.iter().zip(want).position(|(got, want)| got != want);
    if let Some(at) = differ {
        panic!("line {at} on {environment} is\n{:?}\nand not\n{:?}", got[at], want[at]);
    }
    assert_eq!(got.len(), want.len(), "lines on {environment}");
}
