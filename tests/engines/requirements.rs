//! The requirements of an engine's row on a batch, and the memory that it keeps: rows that no engine of the table has.

use kernels_gen::device::{EngineSpec, Memory, Requires, Scope};
use stm_runtime::{Engine, Error, GpuError, Shared};
use stm_tests::procedures::counters::{increment, increment_found};

use super::fibers;

/// Returns the default engine with another row.
fn with_row(change: impl FnOnce(EngineSpec) -> EngineSpec) -> Engine {
    Engine::from_spec(Box::leak(Box::new(change(*Engine::default().spec()))))
}

#[test]
fn known_addresses_can_be_required() {
    let requires = Requires { known_addresses: true, ..Requires::NOTHING };
    let engine = with_row(|row| EngineSpec { requires, ..row });
    let Some(environment) = fibers(engine, 1) else { return };
    let places: Shared<u32> = environment.shared(&[1; 2]).expect("room for places");
    let counters: Shared<i64> = environment.shared(&[0; 2]).expect("room for counters");
    let mut batch = environment.batch();
    batch.push(increment::call(&counters, 1));
    assert_eq!(batch.run_with(&environment.options()).expect("its address is known").committed, 1);
    batch.push(increment_found::call(&places, &counters, 0));
    let error = batch.run_with(&environment.options()).expect_err("its address is found on the way");
    let procedure = "increment_found";
    assert!(matches!(error, Error::Gpu(GpuError::UnknownAddresses { procedure: named, .. }) if named == procedure));
}

#[test]
fn an_engine_can_limit_the_transactions_on_the_device_and_keep_memory_for_them() {
    let requires = Requires { max_transactions: Some(2), ..Requires::NOTHING };
    const MEMORY: &[Memory] = &[Memory::new(Scope::Chunk, |extent| 16 * extent.transactions)];
    let usual = run_five(Engine::default());
    let limited = run_five(with_row(|row| EngineSpec { requires, ..row }));
    let keeps = run_five(with_row(|row| EngineSpec { memory: MEMORY, ..row }));
    let (Some(usual), Some(limited), Some(keeps)) = (usual, limited, keeps) else { return };
    assert!(limited < usual, "{limited} bytes for two transactions, {usual} for five");
    assert_eq!(keeps - usual, 5 * 16);
}

/// Returns the bytes of bookkeeping for a batch of five transactions.
fn run_five(engine: Engine) -> Option<u64> {
    let environment = fibers(engine, 1)?;
    let counters: Shared<i64> = environment.shared(&[0; 2]).expect("room for counters");
    let mut batch = environment.batch();
    (0..5).for_each(|_| _ = batch.push(increment::call(&counters, 0)));
    let report = batch.run_with(&environment.options()).expect("the run should end");
    assert_eq!(report.committed, 5, "{report}");
    Some(report.memory.bookkeeping)
}
