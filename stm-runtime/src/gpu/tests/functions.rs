//! Batches with many functions, and functions with many arrays.

use kernels_gen::device::MOST_FUNCTIONS;

use super::device;
use super::procedures::{BUMP, bump, transfer};
use crate::data::{arrays, words};
use crate::procedure::HostFunctions;
use crate::{Call, Device, Error, GpuError, Outcome, Procedure, RunOptions, Shared};

#[test]
fn each_transaction_works_on_its_own_arrays() {
    for count in [8, 9, 40] {
        let device = device();
        let mut money: Vec<[i64; 7]> = (0..count).map(|k| [100 + k; 7]).collect();
        let arrays: Vec<Shared<i64>> = money.iter().map(|array| device.shared(array).unwrap()).collect();
        let counters = device.shared(&[0_u8; 4]).unwrap();
        let mut batch = device.batch();
        for transaction in 0..300_usize {
            let (array, from, to) =
                (transaction * transaction % arrays.len(), transaction % 7, (transaction * 3 + 1) % 7);
            batch.push(transfer(&arrays[array], from as u32, to as u32, 1));
            money[array][from] -= 1;
            money[array][to] += 1;
        }
        let ticket = batch.push(bump(&counters, 2, 3));
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!((report.committed, report.serializable()), (301, Some(true)), "{report}");
        assert_eq!(report.outcome(ticket), Outcome::Committed(0));
        assert_eq!(counters.to_vec().unwrap(), [0, 0, 3, 0]);
        for (k, (array, money)) in arrays.iter().zip(&money).enumerate() {
            assert_eq!(array.to_vec().unwrap(), money, "array {k} of {count}");
        }
    }
}

/// More functions than the limit: the error comes before the first one is compiled.
#[test]
fn too_many_functions_are_refused_before_they_are_compiled() {
    let device = device();
    let counters = device.shared(&[0_u8; 4]).unwrap();
    let spec = BUMP.spec().unwrap();
    let mut batch = device.batch();
    for _ in 0..=MOST_FUNCTIONS {
        let procedure: &'static Procedure = Box::leak(Box::new(Procedure::ready(spec, HostFunctions::IDLE)));
        let values = words(|list| {
            list.add(1_i32);
            list.add(1_u8);
        });
        batch.push(Call::<u8, 1, 2>::new(procedure, arrays(|list| list.add(&counters)), values));
    }
    let refused = GpuError::TooManyFunctions { functions: MOST_FUNCTIONS + 1, most: MOST_FUNCTIONS };
    assert_eq!(batch.compile().unwrap_err(), Error::from(refused.clone()));
    assert_eq!(batch.run().unwrap_err(), Error::from(refused));
    // No function is compiled for CPU threads.
    let device = Device::cpu(2);
    let counters = device.shared(&[0_u8; 4]).unwrap();
    let mut batch = device.batch();
    for _ in 0..=MOST_FUNCTIONS {
        let procedure: &'static Procedure = Box::leak(Box::new(Procedure::ready(spec, HostFunctions::IDLE)));
        batch.push(Call::<u8, 1, 2>::new(procedure, arrays(|list| list.add(&counters)), [1, 1]));
    }
    assert_eq!(batch.run().unwrap().committed, MOST_FUNCTIONS as u64 + 1);
}
