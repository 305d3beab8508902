//! The suite proves its own worth: broken versions of the project, each with one mistake that people have made, must be
//! caught; the good one passes the same scenarios.
//!
//! What cannot be seen here, and is not among the mutants: a memory order that is too weak. The hosts on which this runs
//! do not reorder what the device may reorder.

#[path = "mutants/device/mod.rs"]
mod device;
#[path = "mutants/score.rs"]
mod score;
#[path = "mutants/work.rs"]
mod work;

use stm_runtime::Engine;
use stm_tests::skip::skipped;
use stm_tests::{Backend, Ground};

#[test]
fn every_broken_engine_is_caught_and_no_good_one_is() {
    if let Err(why) = Ground::new(Backend::EmulatedFibers { seed: 1 }, Engine::default()) {
        return skipped("the mutants of engines", &why.to_string());
    }
    let mut mutants = device::all();
    if let Ok(engine) = std::env::var("STM_TEST_ENGINE") {
        mutants.retain(|mutant| mutant.engine == engine);
        assert!(!mutants.is_empty(), "there are no mutants of `{engine}`");
    }
    if let Ok(words) = std::env::var("STM_TEST_MUTANT") {
        mutants.retain(|mutant| words.split(',').any(|words| mutant.name.contains(words)));
    }
    let results = device::hunt(&mutants);
    score::print("engines", mutants.iter().map(|mutant| (mutant.engine, mutant.name)), &results);
}
