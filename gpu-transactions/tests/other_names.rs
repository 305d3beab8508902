//! A program that knows this crate by another name, and a macro of a library that prints procedures.

extern crate gpu_transactions as renamed;
// No path by these names can work here.
extern crate core as gpu_transactions;
extern crate core as stm_runtime;

use renamed::prelude::*;

macro_rules! counter {
    ($name:ident) => {
        #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
        #[gpu_data(crate = $crate::renamed)]
        struct Count {
            value: u64,
        }

        #[gpu_fn(crate = $crate::renamed)]
        fn next(count: u64) -> u64 {
            count + 1
        }

        #[gpu_transaction(crate = $crate::renamed, max_iterations = 10)]
        fn $name(tx: &mut Tx, counts: &Shared<Count>, at: u32) -> TxResult<u64> {
            let count = tx.read(counts, at)?;
            tx.write(counts, at, Count { value: next(count.value) })?;
            Ok(count.value)
        }
    };
}

counter!(count);

#[gpu_transaction(instantiate(u32, u64), crate = ::renamed)]
fn add<T>(tx: &mut Tx, sums: &Shared<T>, at: u32, amount: T) -> TxResult {
    tx.update(sums, at, |sum| sum + amount)
}

#[test]
fn generated_code_names_the_crate_as_the_options_say() -> Result<(), Error> {
    let device = Device::cpu(1);
    let (counts, sums) = (device.shared(&[Count { value: 7 }])?, device.shared(&[1_u64])?);
    // It finds its crate by itself, but takes a path, too.
    let double =
        renamed::gpu_transaction!(|tx: &mut Tx, sums: &Shared<u64>, at: u32| tx.update(sums, at, |sum| 2 * sum));
    let half = renamed::gpu_transaction!(crate = ::renamed, |tx: &mut Tx, sums: &Shared<u64>, at: u32| {
        tx.update(sums, at, |sum| sum / 2)
    });
    let mut batch = device.batch();
    let ticket = batch.push(count::call(&counts, 0));
    batch.push(add::<u64>::call(&sums, 0, 5));
    assert_eq!(batch.run()?.outcome(ticket), Outcome::Committed(7));
    let mut batch = device.batch();
    batch.push(double.call(&sums, 0));
    batch.push(half.call(&sums, 0));
    batch.run()?;
    assert_eq!((counts.to_vec()?, sums.to_vec()?), (vec![Count { value: 8 }], vec![6]));
    Ok(())
}
