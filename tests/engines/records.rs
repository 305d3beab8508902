//! One lock word for each record, or for each field.

use kernels_gen::device::Locks;
use stm_runtime::prelude::*;
use stm_runtime::{Order, Report};
use stm_tests::Environment;
use stm_tests::procedures::counters::{increment, increment_slowly};
use stm_tests::procedures::readers::{Opposites, change_opposites};
use stm_tests::procedures::records::{Purses, move_over, move_whole, see_purses};

use super::fibers;

/// The engines that lock, and run several transactions at once.
fn locking() -> impl Iterator<Item = Engine> {
    let engines = Engine::ALL.iter().copied();
    // Without locks, sums conflict with nothing.
    let with_locks = engines.filter(|engine| !engine.spec().finishes_in_visits());
    with_locks.filter(|engine| engine.spec().locks == Locks::Always && !engine.spec().requires.partitions)
}

/// Lets a transaction read the first field of a record. Before it writes that field, another thread commits to the second field.
fn overtaken(environment: &Environment, pairs: &Shared<(i64, i64)>) -> Report {
    let cells: Shared<u8> = environment.shared(&[0; 8]).expect("room for cells");
    let mut batch = environment.batch();
    // Each of two threads has every other transaction.
    for _ in 0..40 {
        batch.push(increment_slowly::call(&pairs.0, &cells, 8));
        batch.push(increment::call(&pairs.1, 0));
    }
    let report = environment.run_with(&batch, &environment.options().threads(2)).expect("the run should end");
    assert_eq!((report.committed, pairs.to_vec().expect("the pair")), (80, vec![(40, 40)]), "{report}");
    report
}

#[test]
fn transactions_on_different_fields_conflict_only_under_one_lock_word_for_the_record() {
    for engine in locking() {
        let (mut whole, mut by_field) = (0, 0);
        for seed in 1..=3 {
            let Some(environment) = fibers(engine, seed) else { return };
            let record = environment.device.shared(&[(0, 0)]).expect("room for a pair");
            whole += overtaken(&environment, &record).conflicts.total();
            let fields = environment.device.shared_by_field(&[(0, 0)]).expect("room for a pair");
            by_field += overtaken(&environment, &fields).conflicts.total();
        }
        assert_eq!(by_field, 0, "{engine}: the fields of a pair have one lock word");
        // Where a version differs, this engine compares the value of the field.
        let compares_values = engine.name() == "gpu-stm";
        assert_eq!(whole == 0, compares_values, "{engine}: {whole} conflicts between fields of one record");
    }
}

#[test]
fn a_recorded_run_on_records_is_proved_under_every_engine() {
    for engine in Engine::ALL.iter().copied().filter(|engine| !engine.spec().requires.partitions) {
        let Some(environment) = fibers(engine, 7) else { return };
        let start = Purses { left: 500, right: 500, moves: 0, to_left: false };
        for purses in [environment.device.shared(&[start; 2]), environment.device.shared_by_field(&[start; 2])] {
            let purses = purses.expect("room for purses");
            let mut batch = environment.batch();
            for at in 0..30 {
                batch.push(move_over::call(&purses, at % 2, 1));
                batch.push(move_whole::call(&purses, at / 2 % 2, -1));
                batch.push(see_purses::call(&purses, at % 2));
            }
            let report = batch.run_with(&environment.options().check(true)).expect("the run should end");
            assert_eq!((report.committed, report.serializable()), (90, Some(true)), "{engine}: {report}");
        }
    }
}

/// Writes down what an element is.
#[gpu_transaction]
fn write_down(tx: &mut Tx, from: &Shared<i32>, to: &Shared<i32>, at: usize) -> TxResult {
    let seen = tx.read(from, at % from.len())?;
    tx.write(to, at, seen)
}

#[test]
fn a_field_that_others_write_with_the_whole_record_can_be_read_alone() {
    let opposites = vec![Opposites { up: 5, down: -5, changes: 0 }; 4];
    for (engine, order) in [("in-order", Order::Any), ("in-order", Order::Pushed), ("in-rounds", Order::Pushed)] {
        let Some(environment) = fibers(engine.parse().expect("the engine is there"), 1) else { return };
        let (records, seen) =
            (environment.shared(&opposites).expect("room"), environment.shared(&[0; 40]).expect("room"));
        let mut batch = environment.batch();
        for at in 0..40 {
            batch.push(change_opposites::call(&records, at % 4, 1));
            batch.push(write_down::call(&records.down, &seen, at as usize));
        }
        let report = environment.run_with(&batch, &environment.options().order(order)).expect("the run should end");
        assert_eq!(report.committed, 80, "{report}");
        let (downs, seen) = (records.down.to_vec().expect("the field"), seen.to_vec().expect("what was seen"));
        assert_eq!(downs, [-15; 4]);
        assert!(seen.iter().all(|seen| (-15..=-5).contains(seen)), "{engine}, {order:?}: {seen:?}");
        // Each is seen after one change more.
        let pushed = (0..40).map(|at| -6 - at / 4);
        assert!(order == Order::Any || seen.iter().copied().eq(pushed), "{engine}: {seen:?}");
    }
}

#[test]
fn fields_of_a_record_take_less_memory_for_lock_words() {
    let Some(environment) = fibers(Engine::default(), 1) else { return };
    let start = Purses { left: 1, right: 2, moves: 0, to_left: false };
    let metadata = |purses: Result<Shared<Purses>, stm_runtime::Error>| {
        let mut batch = environment.batch();
        batch.push(move_whole::call(&purses.expect("room for purses"), 0, 1));
        environment.run_with(&batch, &environment.options()).expect("the run should end").memory.locks
    };
    let record = metadata(environment.device.shared(&[start; 64]));
    let fields = metadata(environment.device.shared_by_field(&[start; 64]));
    assert_eq!((record, fields), (8 * 64, 4 * 8 * 64));
    assert_eq!(metadata(environment.device.shared_with(&[start; 64], 4)), 8 * 16);
}
