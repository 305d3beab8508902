//! Verbs and calls as arguments of verbs and calls: in a transaction, and in a function that takes `tx`.

use stm_runtime::prelude::*;
use stm_tests::expect_eq;

use crate::harness::{Bench, End, everywhere};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Stop {
    next: u32,
    load: i64,
}

#[gpu_fn]
fn load(tx: &mut Tx, loads: &Shared<i64>, at: u32, by: i64) -> TxResult<i64> {
    Ok(tx.read(loads, at)? + by)
}

/// Declares functions with verbs in arguments, blocks, arms, conditions, closures and calls; fields of records without `&`.
macro_rules! functions {
    ($($attribute:ident $name:ident)*) => { $(
        #[$attribute]
        fn $name(tx: &mut Tx, stops: &Shared<Stop>, sums: &Shared<i64>, at: u32) -> TxResult<i64> {
            tx.write(sums, 0, tx.read(stops.load, tx.read(stops.next, at)?)?)?;
            let far = match tx.read(stops.next, tx.read(stops.next, at)?)? {
                0 => tx.read(sums, { tx.read(sums, 1)?.min(1) as u32 })?,
                other => {
                    if tx.read(stops.load, tx.read(stops.next, other)?)? > 2 {
                        tx.write(sums, 2, load(tx, &stops.load, tx.read(stops.next, other)?, tx.read(sums, 0)?)?)?;
                    }
                    load(tx, sums, 2, load(tx, sums, 0, 1)?)?
                }
            };
            tx.update(stops.load, tx.read(stops.next, at)?, |old| old + tx.read(sums, 2)?)?;
            tx.guard(tx.read(stops, tx.read(stops.next, at)?)?.load != -1)?;
            if far > 100 {
                return tx.reject(tx.read(stops.next, at)?);
            }
            Ok(far)
        }
    )* };
}

functions! { gpu_transaction directly gpu_fn inside }

#[gpu_transaction]
fn by_function(tx: &mut Tx, stops: &Shared<Stop>, sums: &Shared<i64>, at: u32) -> TxResult<i64> {
    inside(tx, stops, sums, at)
}

#[test]
fn verbs_in_arguments() {
    everywhere("nested verbs", |environment| {
        let route = [(1, 5), (2, 7), (0, 90), (4, 1), (3, -60)].map(|(next, load)| Stop { next, load });
        for way in [directly::call, by_function::call] {
            let (stops, sums) = (environment.shared(&route)?, environment.shared(&[0_i64, 40, 10])?);
            let mut bench = Bench::new(environment);
            // 0 -> 1 -> 2: the first sum is 7, and the load of 0, which follows 2, is more than 2.
            bench.call("around".into(), way(&stops, &sums, 0), End::Value(12 + 8));
            bench.finish(environment)?;
            expect_eq!(sums.to_vec()?, [7, 40, 12], "sums");
            expect_eq!(stops.to_vec()?[1], Stop { next: 2, load: 19 }, "the stop behind the first");

            let mut bench = Bench::new(environment);
            // 1 -> 2 -> 0: the second sum is the result.
            bench.call("to the start".into(), way(&stops, &sums, 1), End::Value(40));
            bench.finish(environment)?;
            expect_eq!(sums.to_vec()?, [90, 40, 12], "sums");

            let mut bench = Bench::new(environment);
            // 2 -> 0 -> 1, and then 2 again, with a load of more than 100.
            bench.call("heavy".into(), way(&stops, &sums, 2), End::Reject(0));
            bench.finish(environment)?;
            expect_eq!(sums.to_vec()?, [90, 40, 12], "sums of a rejected one");
        }
        Ok(())
    });
}
