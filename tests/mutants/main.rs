//! The suite detects mistakes: it must catch broken versions of the project, each with one mistake that people have made; the
//! correct version passes the same scenarios.
//!
//! Not among the mutants, because the suite cannot detect it: a memory order that is too weak. The hosts on which this runs do not
//! reorder what the device may reorder.

mod device;
mod once;
#[cfg(feature = "mutation")]
mod runtime;
mod score;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use kernels_gen::device::header::{headers_of, mutations};
use score::Score;
use stm_runtime::Engine;
use stm_tests::harness::{self, Trial, cannot_run};
use stm_tests::{Backend, Environment, variants};

fn main() -> ExitCode {
    #[cfg(feature = "mutation")]
    if let Some(status) = runtime::second_process() {
        return status;
    }
    let scores = [Score::new("engines"), Score::new("runtime")];
    let hunts = of_engines(&scores[0]).into_iter().chain(of_the_runtime(&scores[1])).collect();
    let tests = lists().into_iter().chain(sample(hunts)).collect();
    let status = harness::run(std::env::args().skip(1), tests);
    scores.iter().for_each(|score| score.print());
    status
}

/// Returns the tests of the lists of mutants.
fn lists() -> Vec<Trial> {
    vec![
        harness::test("every_mutation_of_the_device_code_has_one_name_in_a_unit_and_is_used", mutations_are_used),
        #[cfg(feature = "mutation")]
        harness::test("the_runtime_and_the_list_have_the_same_mutants", the_runtime_and_the_list_have_the_same_mutants),
    ]
}

/// Returns the reason if there is no emulator.
fn no_emulator() -> Option<String> {
    Environment::new(Backend::EmulatedFibers { seed: 1 }, Engine::default()).err().map(|why| why.to_string())
}

/// Returns a hunt for each broken engine.
fn of_engines(score: &Arc<Score>) -> Vec<Trial> {
    if let Some(why) = no_emulator() {
        return vec![cannot_run("engines::every_mutant", "the mutants of engines", why)];
    }
    let asked = std::env::var("STM_TEST_ENGINE").ok();
    let mutants = device::all().into_iter().filter(|mutant| asked.as_ref().is_none_or(|name| mutant.engine == name));
    let mutants = mutants.filter(|mutant| is_wanted(mutant.name));
    mutants.map(|mutant| score.test(mutant.engine, mutant.name, move || device::hunt(&mutant))).collect()
}

/// Returns a hunt for each mutant of the runtime.
#[cfg(feature = "mutation")]
fn of_the_runtime(score: &Arc<Score>) -> Vec<Trial> {
    let (mut mutants, mut tests) = (runtime::all(), Vec::new());
    mutants.retain(|mutant| is_wanted(mutant.name));
    if let Some(why) = no_emulator() {
        tests.push(cannot_run("runtime::mutants_that_need_the_emulator", "the mutants of the run loop", why));
        mutants.retain(|mutant| !mutant.needs_emulator());
    }
    tests.extend(mutants.into_iter().map(|mutant| {
        let (area, name) = mutant.name.split_once(": ").unwrap_or(("", mutant.name));
        score.test(area, name, move || runtime::hunt(&mutant))
    }));
    tests
}

#[cfg(not(feature = "mutation"))]
fn of_the_runtime(_: &Arc<Score>) -> Vec<Trial> {
    vec![cannot_run("runtime::every_mutant", "the mutants of the runtime", "this build has none; use --all-features")]
}

/// Returns `STM_TEST_MUTANTS` of the tests, spread over the list; without the variable all of them.
fn sample(tests: Vec<Trial>) -> Vec<Trial> {
    let Some(number) = std::env::var("STM_TEST_MUTANTS").ok().and_then(|text| text.parse::<usize>().ok()) else {
        return tests;
    };
    let all = tests.len().max(1);
    // Takes a test where the proportional share up to it reaches the next whole number.
    let is_taken = |at: usize| (at + 1) * number / all > at * number / all;
    tests.into_iter().enumerate().filter(|(at, _)| is_taken(*at)).map(|(_, test)| test).collect()
}

#[cfg(feature = "mutation")]
fn the_runtime_and_the_list_have_the_same_mutants() {
    let mut listed: Vec<String> = runtime::all().iter().map(|mutant| mutant.name.to_owned()).collect();
    listed.sort();
    assert_eq!(listed, runtime::names_in_sources().into_iter().collect::<Vec<_>>());
}

fn mutations_are_used() {
    let mut unused: BTreeSet<(&str, &str)> = BTreeSet::new();
    for engine in Engine::ALL {
        let labels: Vec<_> = labels(*engine).collect();
        let distinct: BTreeSet<&str> = labels.iter().map(|(_, label)| *label).collect();
        assert_eq!(labels.len(), distinct.len(), "two mutations of `{engine}` have one label: {labels:?}");
        unused.extend(labels);
    }
    let mutants = device::all().into_iter().map(|mutant| (Some(mutant.engine), mutant.at));
    let variants = variants::ALL.iter().map(|variant| (variant.engine, variant.at));
    for (engine, used) in mutants.chain(variants) {
        let engine = engine.map_or(Engine::default(), |name| name.parse().unwrap_or_else(|why| panic!("{why}")));
        for label in used {
            let found = labels(engine).find(|(_, other)| other == label);
            unused.remove(&found.unwrap_or_else(|| panic!("no mutation of `{engine}` is called `{label}`")));
        }
    }
    assert!(unused.is_empty(), "no mutant has these mutations: {unused:?}");
}

/// Returns the mutations of an engine's units: header and label.
fn labels(engine: Engine) -> impl Iterator<Item = (&'static str, &'static str)> {
    headers_of(engine.spec())
        .flat_map(|(file, text)| mutations(text).into_iter().map(move |mutation| (file, mutation.label)))
}

/// Returns whether `STM_TEST_MUTANT` selects the name: it contains parts of names, with commas between them.
fn is_wanted(name: &str) -> bool {
    std::env::var("STM_TEST_MUTANT").map_or(true, |words| words.split(',').any(|words| name.contains(words)))
}
