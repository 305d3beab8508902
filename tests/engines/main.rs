//! Documented properties of engines that the suite cannot reach: remote limits, and orders that matter only if no attempt gives
//! up.
//!
//! Where a test needs a certain timing, or endless waiting, lines of the engine are replaced; its algorithm is unchanged.

mod constants;
mod hot_elements;
mod plan;
mod push_order;
mod pushed;
mod records;
mod requirements;
mod saved_plan;
mod threads;

use stm_runtime::{Device, EmulatorOptions, Engine, Outcome, Report, Shared};
use stm_tests::procedures::bank::deposit;
use stm_tests::procedures::counters::{increment, increment_slowly};
use stm_tests::procedures::endings::nothing;
use stm_tests::scenarios::named;
use stm_tests::skip::skipped;
use stm_tests::variants::{LAST_OWNERS, PATIENT, PATIENT_AND_UNORDERED, SLOW_LOOPS, Variant};
use stm_tests::{Backend, Environment, Failure, TestResult};

fn changed(engine: &str, variant: &Variant) -> Engine {
    let engine: Engine = engine.parse().expect("the engine should be in the batch");
    variant.of(engine).unwrap_or_else(|why| panic!("{why}"))
}

fn fibers(engine: Engine, seed: u64) -> Option<Environment> {
    let environment = Environment::new(Backend::EmulatedFibers { seed }, engine);
    environment.map_err(|why| skipped("what engines say of themselves", &why.to_string())).ok()
}

/// Steps after which the run of fibers counts as stuck: several times what the scenarios here take.
const STEPS: u64 = 6_000_000;

/// Runs every scenario under the engine with a few interleavings; returns `None` if this machine cannot.
fn holds(engine: Engine, scenarios: &[&str]) -> Option<TestResult> {
    for seed in 1..=5 {
        let mut environment = fibers(engine, seed)?;
        let mut options = EmulatorOptions::fibers(seed);
        options.max_steps = STEPS;
        environment.device = Device::emulated(options).expect("the emulator was there");
        for name in scenarios {
            if let Err(failure) = (named(name).run)(&environment) {
                return Some(Err(failure));
            }
        }
    }
    Some(Ok(()))
}

/// Lets a transaction read a counter; before it writes, another thread commits `commits` times to that counter. Returns the
/// final value of the counter, and the report.
fn overtaken(environment: &Environment, commits: usize) -> (i64, Report) {
    let counters: Shared<i64> = environment.shared(&[0; 1]).expect("room for a counter");
    let cells: Shared<u8> = environment.shared(&[0; 8]).expect("room for cells");
    let others: Shared<i64> = environment.shared(&[0; 1]).expect("room for a counter");
    let mut batch = environment.batch();
    // Each of two threads has every other transaction, and runs those of one procedure after the other, by name. The second thread runs
    // deposits until the first one has read.
    let slow = batch.push(increment_slowly::call(&counters, &cells, 8));
    for row in 0..commits + 20 {
        match row < 20 {
            true => _ = batch.push(deposit::call(&others, 0, 1)),
            false => _ = batch.push(increment::call(&counters, 0)),
        }
        batch.push(nothing::call(0));
    }
    let report = batch.run_with(&environment.options().threads(2)).expect("the run should end");
    assert!(matches!(report.outcome(slow), Outcome::Committed(_)), "{report}");
    (counters.to_vec().expect("the counter")[0], report)
}

#[test]
fn eleven_bits_of_version_overlook_2048_commits_and_the_proof_does_not() {
    let engine = changed("pr-stm", &SLOW_LOOPS);
    for seed in 1..=3 {
        let Some(environment) = fibers(engine, seed) else { return };
        for commits in [2047, 2049] {
            let (last, report) = overtaken(&environment, commits);
            assert_eq!((last, report.serializable()), (commits as i64 + 1, Some(true)), "{report}");
            assert!(report.conflicts.changed > 0, "nobody overtook the slow one\n{report}");
        }
        // The window that the paper leaves open: the slow transaction finds its read unchanged, and all other commits are lost.
        let (last, report) = overtaken(&environment, 2048);
        assert_eq!((last, report.serializable()), (1, Some(false)), "{report}");
        let (last, _) = overtaken(&environment.under(engine).unchecked(), 2048);
        assert_eq!(last, 1, "not recorded");
    }
}

#[test]
fn wide_versions_overlook_nothing() {
    for name in ["priority", "gpu-stm", "thread-block"] {
        let Some(environment) = fibers(changed(name, &SLOW_LOOPS), 1) else { return };
        let (last, report) = overtaken(&environment, 2048);
        assert_eq!((last, report.serializable()), (2049, Some(true)), "{report}");
        assert!(report.conflicts.changed > 0, "nobody overtook the slow one\n{report}");
    }
}

#[test]
fn owners_up_to_the_limit_have_their_rights() {
    let engine = changed("pr-stm", &LAST_OWNERS);
    let scenarios = ["lost_update_found", "all_threads_on_one_element", "everything_at_once", "money_is_conserved"];
    let result = holds(engine, &scenarios);
    assert!(matches!(result, None | Some(Ok(()))), "{result:?}");
}

#[test]
fn ordered_locks_need_nobody_to_give_up() {
    let scenarios = ["money_is_conserved", "overtaking", "random_coverage"];
    let patient = changed("gpu-stm", &PATIENT);
    let Some(result) = holds(patient, &scenarios) else { return };
    assert_eq!(result, Ok(()), "in order");
    let deadlocked = changed("gpu-stm", &PATIENT_AND_UNORDERED);
    let result = holds(deadlocked, &scenarios);
    assert!(matches!(result, Some(Err(Failure::Stuck(_)))), "{result:?}");
}
