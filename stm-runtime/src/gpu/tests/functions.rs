//! Tables with many functions, and functions with many arrays.

use kernels_gen::device::MOST_FUNCTIONS;

use super::device;
use super::kinds::{BUMP, bump, transfer};
use crate::data::{regions, words};
use crate::{Call, Device, Error, GpuError, Kind, Outcome, Shared};

#[test]
fn each_transaction_works_on_its_own_arrays() {
    for count in [8, 9, 40] {
        let device = device();
        let mut money: Vec<[i64; 7]> = (0..count).map(|k| [100 + k; 7]).collect();
        let arrays: Vec<Shared<i64>> = money.iter().map(|array| device.shared(array).unwrap()).collect();
        let counters = device.shared(&[0_u8; 4]).unwrap();
        let mut table = device.table();
        for row in 0..300_usize {
            let (array, from, to) = (row * row % arrays.len(), row % 7, (row * 3 + 1) % 7);
            table.push(transfer(&arrays[array], from as u32, to as u32, 1));
            money[array][from] -= 1;
            money[array][to] += 1;
        }
        let ticket = table.push(bump(&counters, 2, 3));
        let report = table.check(true).run().unwrap();
        assert_eq!((report.committed, report.serializable()), (301, Some(true)), "{report}");
        assert_eq!(report.outcome(ticket), Outcome::Committed(0));
        assert_eq!(counters.to_vec().unwrap(), [0, 0, 3, 0]);
        for (k, (array, money)) in arrays.iter().zip(&money).enumerate() {
            assert_eq!(array.to_vec().unwrap(), money, "array {k} of {count}");
        }
    }
}

/// So many functions that each would have to be compiled: an error comes before the first one is.
#[test]
fn too_many_functions_are_refused_before_they_are_compiled() {
    let device = device();
    let counters = device.shared(&[0_u8; 4]).unwrap();
    let spec = BUMP.spec().unwrap();
    let mut table = device.table();
    for _ in 0..=MOST_FUNCTIONS {
        let kind: &'static Kind = Box::leak(Box::new(Kind::ready(spec, |_, _, _| Ok(()))));
        let values = words(|list| {
            list.add(1_i32);
            list.add(1_u8);
        });
        table.push(Call::<u8, 1, 2>::new(kind, regions(|list| list.add(&counters)), values));
    }
    let refused = GpuError::TooManyFunctions { functions: MOST_FUNCTIONS + 1, most: MOST_FUNCTIONS };
    assert_eq!(table.compile().unwrap_err(), Error::from(refused.clone()));
    assert_eq!(table.run().unwrap_err(), Error::from(refused));
    // No function is compiled for CPU threads.
    let device = Device::cpu(2);
    let counters = device.shared(&[0_u8; 4]).unwrap();
    let mut table = device.table();
    for _ in 0..=MOST_FUNCTIONS {
        let kind: &'static Kind = Box::leak(Box::new(Kind::ready(spec, |_, _, _| Ok(()))));
        table.push(Call::<u8, 1, 2>::new(kind, regions(|list| list.add(&counters)), [1, 1]));
    }
    assert_eq!(table.run().unwrap().committed, MOST_FUNCTIONS as u64 + 1);
}
