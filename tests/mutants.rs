//! The suite proves its own worth: broken versions of the project, each with one mistake that people have made, must be
//! caught; the good one passes the same scenarios.
//!
//! What cannot be seen here, and is not among the mutants: a memory order that is too weak. The hosts on which this runs
//! do not reorder what the device may reorder.

#[path = "mutants/device/mod.rs"]
mod device;
#[cfg(feature = "mutation")]
#[path = "mutants/runtime/mod.rs"]
mod runtime;
#[path = "mutants/score.rs"]
mod score;
#[path = "mutants/work.rs"]
mod work;

use std::collections::BTreeSet;

use kernels_gen::device::header::{headers_of, mutations};
use stm_runtime::Engine;
use stm_tests::skip::skipped;
use stm_tests::{Backend, Environment, variants};

#[test]
fn every_broken_engine_is_caught_and_no_good_one_is() {
    if let Err(why) = Environment::new(Backend::EmulatedFibers { seed: 1 }, Engine::default()) {
        return skipped("the mutants of engines", &why.to_string());
    }
    let mut mutants = device::all();
    if let Ok(engine) = std::env::var("STM_TEST_ENGINE") {
        mutants.retain(|mutant| mutant.engine == engine);
        assert!(!mutants.is_empty(), "there are no mutants of `{engine}`");
    }
    mutants.retain(|mutant| is_wanted(mutant.name));
    let results = device::hunt(&mutants);
    score::print("engines", mutants.iter().map(|mutant| (mutant.engine, mutant.name)), &results);
}

#[cfg(feature = "mutation")]
#[test]
fn every_mutant_of_the_runtime_is_caught_and_the_runtime_is_not() {
    let mut mutants = runtime::all();
    mutants.retain(|mutant| is_wanted(mutant.name));
    if let Err(why) = Environment::new(Backend::EmulatedFibers { seed: 1 }, Engine::default()) {
        skipped("the mutants of the run loop, of chunks and of arrays", &why.to_string());
        mutants.retain(|mutant| !mutant.needs_emulator());
    }
    let results = runtime::hunt(&mutants);
    let names = mutants.iter().map(|mutant| mutant.name.split_once(": ").unwrap_or(("", mutant.name)));
    score::print("the runtime", names, &results);
}

#[cfg(feature = "mutation")]
#[test]
fn the_runtime_and_the_list_have_the_same_mutants() {
    let mut listed: Vec<String> = runtime::all().iter().map(|mutant| mutant.name.to_owned()).collect();
    listed.sort();
    assert_eq!(listed, runtime::names_in_sources().into_iter().collect::<Vec<_>>());
}

#[cfg(not(feature = "mutation"))]
#[test]
fn mutants_of_the_runtime_need_a_build_for_them() {
    skipped("the mutants of the runtime", "this build has none; use --all-features");
}

#[test]
fn every_mutation_of_the_device_code_has_one_name_in_a_unit_and_is_used() {
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

/// The mutations of an engine's units: header and label.
fn labels(engine: Engine) -> impl Iterator<Item = (&'static str, &'static str)> {
    headers_of(engine.spec())
        .flat_map(|(file, text)| mutations(text).into_iter().map(move |mutation| (file, mutation.label)))
}

/// `STM_TEST_MUTANT` names some by parts of their names, with commas between them.
fn is_wanted(name: &str) -> bool {
    std::env::var("STM_TEST_MUTANT").map_or(true, |words| words.split(',').any(|words| name.contains(words)))
}
