//! Counts of accesses, made by a separate stage before execution.

use stm_runtime::report::HotElement;
use stm_runtime::{Engine, Report, RunOptions, Shared};
use stm_tests::procedures::bank::transfer;
use stm_tests::procedures::counters::{increment, increment_found};

use super::fibers;

/// Returns an engine that counts accesses.
fn counting() -> Engine {
    Engine::ALL.iter().copied().find(|engine| engine.spec().counts_accesses()).expect("an engine that counts")
}

/// Returns array, index and number of accesses of each element, the hottest first.
fn heat(report: &Report) -> Vec<(usize, usize, u64)> {
    report.hottest.iter().map(|element| (element.array, element.index, element.accesses)).collect()
}

#[test]
fn the_report_has_the_hottest_elements_whatever_the_chunks() {
    let Some(environment) = fibers(counting(), 1) else { return };
    let counters: Shared<i64> = environment.shared(&[0; 8]).expect("room for counters");
    let accounts: Shared<i64> = environment.shared(&[100; 8]).expect("room for accounts");
    let mut batch = environment.batch();
    for at in [3, 3, 5, 3, 7, 5] {
        batch.push(increment::call(&counters, at));
    }
    batch.push(transfer::call(&accounts, 1, 2, 5));
    for chunk in [100, 2] {
        let report =
            environment.run_with(&batch, &environment.options().chunk_size(chunk)).expect("the run should end");
        assert_eq!((report.committed, report.uncounted), (7, 0), "{report}");
        // `increment` reads and writes one slot, `transfer` two.
        let expected = [(0, 3, 3), (0, 5, 2), (0, 7, 1), (1, 1, 1), (1, 2, 1)];
        assert_eq!(heat(&report), expected, "chunks of {chunk}: {report}");
        assert_eq!(report.hottest[0].parameter, "counters");
        assert!(report.to_string().contains("counters[3] (array 0): 3 accesses"), "{report}");
    }
    assert_eq!(counters.to_vec().expect("the counters"), [0, 0, 0, 6, 0, 4, 0, 2]);
}

#[test]
fn addresses_that_are_found_on_the_way_are_not_counted_and_the_report_says_so() {
    let Some(environment) = fibers(counting(), 2) else { return };
    let places: Shared<u32> = environment.shared(&[4; 4]).expect("room for places");
    let counters: Shared<i64> = environment.shared(&[0; 8]).expect("room for counters");
    let mut batch = environment.batch();
    batch.push(increment::call(&counters, 4));
    for at in 0..4 {
        batch.push(increment_found::call(&places, &counters, at));
    }
    let report = environment.run(&batch).expect("the run should end");
    assert_eq!((report.committed, report.uncounted), (5, 4), "{report}");
    assert_eq!(heat(&report), [(0, 4, 1)]);
    assert!(report.to_string().contains("of 1 transactions; 4 not"), "{report}");
}

#[test]
fn nothing_is_counted_under_other_engines_or_on_processors() {
    let Some(environment) = fibers(Engine::default(), 3) else { return };
    let counters: Shared<i64> = environment.shared(&[0; 2]).expect("room for counters");
    let mut batch = environment.batch();
    batch.push(increment::call(&counters, 1));
    let report = environment.run(&batch).expect("the run should end");
    assert_eq!((report.hottest.as_slice(), report.uncounted), (&[] as &[HotElement], 0));

    let device = stm_runtime::Device::cpu(1);
    let counters = device.shared(&[0_i64; 2]).expect("room for counters");
    let mut batch = device.batch();
    batch.push(increment::call(&counters, 1));
    let report = batch.run_with(&RunOptions::new().engine(counting())).expect("the run should end");
    assert!(report.hottest.is_empty() && report.notes.iter().any(|note| note.contains("hot elements")), "{report}");
}
