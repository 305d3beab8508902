//! The documents. `cargo test -p stm-tests --doc` compiles and runs every program in them.

/// Gives each document to rustdoc under a name.
macro_rules! documents {
    ($($name:ident $path:literal;)*) => { $(#[doc = include_str!($path)] pub mod $name {})* };
}

documents! {
    readme "../../README.md";
    guide "../../docs/guide/README.md";
    several_gpus "../../docs/several-gpus.md";
    first_transaction "../../docs/guide/first-transaction.md";
    arrays_and_records "../../docs/guide/arrays-and-records.md";
    filling_a_batch "../../docs/guide/filling-a-batch.md";
    guards_results_rejects "../../docs/guide/guards-results-rejects.md";
    helpers_constants_generics "../../docs/guide/helpers-constants-generics.md";
    control_flow "../../docs/guide/control-flow.md";
    faults "../../docs/guide/faults.md";
    footprints "../../docs/guide/footprints.md";
    engines "../../docs/guide/engines.md";
    reading_the_kernel "../../docs/guide/reading-the-kernel.md";
    cookbook "../../docs/guide/cookbook.md";
    testing "../../docs/guide/testing.md";
    plan "../../docs/guide/plan.md";
    fast "../../docs/guide/fast.md";
    conflicts "../../docs/guide/conflicts.md";
    pipelines "../../docs/guide/pipelines.md";
    push_order "../../docs/guide/push-order.md";
    set_up "../../docs/guide/set-up.md";
    supported_rust "../../docs/guide/supported-rust.md";
    errors "../../docs/errors/README.md";
    stm0001 "../../docs/errors/STM0001.md";
    stm0002 "../../docs/errors/STM0002.md";
    stm0003 "../../docs/errors/STM0003.md";
    stm0004 "../../docs/errors/STM0004.md";
    stm0005 "../../docs/errors/STM0005.md";
    stm0006 "../../docs/errors/STM0006.md";
    stm0007 "../../docs/errors/STM0007.md";
    stm0010 "../../docs/errors/STM0010.md";
    stm0011 "../../docs/errors/STM0011.md";
    stm0012 "../../docs/errors/STM0012.md";
    stm0013 "../../docs/errors/STM0013.md";
    stm0020 "../../docs/errors/STM0020.md";
    stm0021 "../../docs/errors/STM0021.md";
    stm0022 "../../docs/errors/STM0022.md";
    stm0023 "../../docs/errors/STM0023.md";
    stm0024 "../../docs/errors/STM0024.md";
    stm0025 "../../docs/errors/STM0025.md";
    stm0026 "../../docs/errors/STM0026.md";
    stm0027 "../../docs/errors/STM0027.md";
    stm0028 "../../docs/errors/STM0028.md";
    stm0029 "../../docs/errors/STM0029.md";
    stm0030 "../../docs/errors/STM0030.md";
    stm0031 "../../docs/errors/STM0031.md";
    stm0033 "../../docs/errors/STM0033.md";
    stm0040 "../../docs/errors/STM0040.md";
    stm0041 "../../docs/errors/STM0041.md";
    stm0042 "../../docs/errors/STM0042.md";
    stm0050 "../../docs/errors/STM0050.md";
    stm0051 "../../docs/errors/STM0051.md";
    stm0052 "../../docs/errors/STM0052.md";
    stm0053 "../../docs/errors/STM0053.md";
    stm0054 "../../docs/errors/STM0054.md";
}
