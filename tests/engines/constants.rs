//! Arrays that no procedure of a batch writes: no lock words, no versions, no entries of histories.

use kernels_gen::device::{Locks, Visited};
use stm_runtime::{Engine, Shared};
use stm_tests::procedures::constants::{Shop, buy, raise_prices, sum_of_prices};
use stm_tests::procedures::counters::increment_slowly;

use super::fibers;

#[test]
fn what_no_procedure_writes_is_constant_in_its_unit() {
    let source = buy::kernel().cuda_source().expect("it compiles");
    // Prices, taxes and doors; the sum is written.
    assert_eq!(source.matches(", stm_constant_array<").count(), 2 * 3, "{source}");
    assert!(
        source.contains("ALL_WRITTEN = true"),
        "what is not constant is written, so locks can be ordered: {source}"
    );
    let source = sum_of_prices::kernel().cuda_source().expect("it compiles");
    assert!(source.contains(", stm_constant_array<i64, false>{"), "{source}");
    let source = increment_slowly::kernel().cuda_source().expect("it compiles");
    assert!(!source.contains(", stm_constant_array<"), "its cells count against a stated bound: {source}");
    let source = raise_prices::kernel().cuda_source().expect("it compiles");
    assert!(!source.contains(", stm_constant_array<"), "its loop writes the prices: {source}");
}

#[test]
fn only_what_is_written_has_lock_words() {
    for engine in Engine::ALL.iter().copied().filter(|engine| engine.spec().locks == Locks::Always) {
        let Some(environment) = fibers(engine, 3) else { return };
        let prices: Shared<i64> = environment.shared(&[10; 64]).expect("room for prices");
        let shops = environment.shared(&[Shop { tax: 10, sold: 0, open: true }; 4]).expect("room for shops");
        let mut batch = environment.batch();
        for at in 0..20 {
            batch.push(buy::call(&prices, &shops, at, at % 4));
            batch.push(sum_of_prices::call(&prices, 8));
        }
        let locks = |batch: &stm_runtime::Batch| {
            let report = environment.run_with(batch, &environment.options().check(true)).expect("the run should end");
            assert_eq!((report.faulted, report.serializable()), (0, Some(true)), "{engine}: {report}");
            report.memory.locks
        };
        let constant = locks(&batch);
        batch.push(raise_prices::call(&prices, 8, 1));
        let written = locks(&batch);
        let memory_of_a_lock = (written - constant) / 64;
        // An engine that places versions keeps a word for each array beside.
        let beside = if engine.spec().last_visited() == Some(Visited::Foreseen) { 8 } else { 0 };
        let expected = [4, 64].map(|locks| locks * memory_of_a_lock + beside);
        assert_eq!([constant, written - constant], expected, "{engine}");
        assert!((4..=16).contains(&memory_of_a_lock), "{engine}: {memory_of_a_lock} bytes for each lock word");
    }
}
