//! The places where transactions print, and their output there.

use std::sync::{Arc, LazyLock, Mutex};

use stm_runtime::{Batch, Engine, Report, RunOptions};
use stm_tests::harness::{Trial, cannot_run, name_of};
use stm_tests::{Backend, Environment};

/// Returns the back end of a name that `STM_TEST_DEVICE` takes.
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

/// Returns the environment of a name under the default engine.
///
/// # Panics
/// There is no such device.
pub(crate) fn environment(name: &str) -> Environment {
    let backend = backend(name).unwrap_or_else(|| panic!("{name}: use cpu, threads, fibers or cuda:N"));
    Environment::new(backend, Engine::default()).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The names of places that this machine lacks, each with the reason.
type Missing = Vec<(String, String)>;

/// The places that this machine has, and those that it lacks.
static FOUND: LazyLock<(Vec<String>, Missing)> = LazyLock::new(|| {
    let (mut names, mut missing) = (vec!["cpu".to_owned()], Vec::new());
    if let Ok(name) = std::env::var("STM_TEST_DEVICE") {
        // The chosen device must exist.
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

/// Returns the CPU and the device of `STM_TEST_DEVICE`; if that is not set, the CPU and all available emulators and GPUs.
pub(crate) fn names() -> &'static [String] {
    &FOUND.0
}

/// Returns a test for each place that this machine lacks.
pub(crate) fn missing() -> Vec<Trial> {
    let absent = |(name, why): &(String, String)| {
        cannot_run(format!("everything_on_{}", name_of(name)), format!("printing on {name}"), why)
    };
    FOUND.1.iter().map(absent).collect()
}

/// Runs a test in each of them.
pub(crate) fn everywhere(test: impl Fn(&Environment)) {
    for name in names() {
        test(&environment(name));
    }
}

/// Runs a batch, and collects its output.
pub(crate) fn printed(batch: &Batch, options: RunOptions) -> (Report, Vec<String>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let options = options.print_to(move |line| kept.lock().expect("nobody panics with it").push(line.to_owned()));
    let report = batch.run_with(&options).expect("the batch should run");
    let lines = std::mem::take(&mut *lines.lock().expect("nobody panics with it"));
    (report, lines)
}

/// Compares the output, and shows only the first difference.
///
/// # Panics
/// The outputs differ.
pub(crate) fn compare(environment: &Environment, got: &[String], want: &[String]) {
    let differ = got.iter().zip(want).position(|(got, want)| got != want);
    if let Some(at) = differ {
        panic!("line {at} on {environment} is\n{:?}\nand not\n{:?}", got[at], want[at]);
    }
    assert_eq!(got.len(), want.len(), "lines on {environment}");
}
