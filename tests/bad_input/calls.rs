//! Batches and calls that do not match.

use std::iter::repeat_n;

use stm_runtime::options::Outcomes;
use stm_runtime::{Device, Error, FaultCode, Outcome, PipelineOptions, RunOptions, Shared, UnresolvedReason};
use stm_tests::procedures::bank::{audit, deposit, transfer};
use stm_tests::procedures::locals::{COUNTERS, count_found};
use stm_tests::procedures::sets::read_same;

use super::devices;

#[test]
fn an_empty_batch_is_an_empty_report() {
    for device in devices() {
        for check in [false, true] {
            let batch = device.batch();
            let report = batch.run_with(&RunOptions::new().check(check)).unwrap();
            assert_eq!((report.transactions, report.committed, report.unresolved), (0, 0, 0));
            assert_eq!(report.serializable(), check.then_some(true));
            assert!(report.rate() == 0.0 && !report.to_string().is_empty());
        }
    }
}

#[test]
fn an_array_without_elements_has_no_index() {
    for device in devices() {
        let nobody: Shared<i64> = device.shared(&[]).unwrap();
        let mut batch = device.batch();
        let outside = batch.push(deposit::call(&nobody, 0, 1));
        let nothing = batch.push(audit::call(&nobody, 0, 0));
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert!(matches!(report.outcome(outside), Outcome::Faulted(fault) if fault.code == FaultCode::IndexOutOfRange));
        assert_eq!(report.outcome(nothing), Outcome::Committed(0));
        assert_eq!(report.serializable(), Some(true), "{report}");
        assert_eq!(nobody.to_vec().unwrap(), []);
    }
}

#[test]
fn an_array_of_another_device_is_an_error_with_its_transaction() {
    for device in devices() {
        let (ours, theirs) = (device.shared(&[5_i64, 5]).unwrap(), Device::cpu(1).shared(&[5_i64, 5]).unwrap());
        let mut batch = device.batch();
        batch.push(transfer::call(&ours, 0, 1, 1));
        batch.push(deposit::call(&theirs, 0, 1));
        batch.push(transfer::call(&ours, 0, 1, 1));
        let error = batch.run().unwrap_err();
        assert!(
            matches!(&error, Error::ForeignArray { transaction: 1, procedure: "deposit", parameter: "accounts", .. }),
            "{error}"
        );
        assert_eq!((ours.to_vec().unwrap(), theirs.to_vec().unwrap()), (vec![5, 5], vec![5, 5]));
    }
}

#[test]
fn parts_that_do_not_fit_are_errors_with_transaction_and_parameter() {
    for device in devices() {
        let counters = device.partitioned::<u32, COUNTERS>(&[0; 3 * COUNTERS]).unwrap();
        let places = device.partitioned::<u8, 2>(&[0; 4]).unwrap();
        assert_eq!(device.partitioned::<u8, 3>(&[0; 4]).unwrap_err(), Error::Parts { elements: 4, part: 3 });
        assert_eq!(places.part(2).unwrap_err(), Error::NoPart { number: 2, parts: 2 });

        let mut batch = device.batch();
        batch.push(count_found::call(&places.part(1).unwrap(), &counters.part(1).unwrap(), 0));
        batch.push(count_found::call(&places.part(1).unwrap(), &counters.part(2).unwrap(), 0));
        let differ = Error::PartsDiffer {
            transaction: 1,
            procedure: "count_found",
            parameters: ["places", "counters"],
            parts: [1, 2],
        };
        assert_eq!(batch.run().unwrap_err(), differ);
        assert!(differ.to_string().contains("partition 1 for `places` and partition 2 for `counters`"), "{differ}");

        // `deposit` takes a whole array.
        let accounts = device.partitioned::<i64, 8>(&[0; 16]).unwrap();
        let mut batch = device.batch();
        batch.push(deposit::call(&accounts.part(1).unwrap(), 0, 1));
        let error = batch.run().unwrap_err();
        assert_eq!(error, Error::NotShared { transaction: 0, procedure: "deposit", parameter: "accounts" });
        assert_eq!((accounts.to_vec().unwrap(), counters.to_vec().unwrap()), (vec![0; 16], vec![0; 3 * COUNTERS]));
    }
}

#[test]
fn a_batch_takes_hundreds_of_arrays() {
    // More than a kernel takes as parameters, and more than a byte can number.
    const ARRAYS: usize = 300;
    for device in devices() {
        let arrays: Vec<_> = (0..ARRAYS).map(|k| device.shared(&[k as i64]).unwrap()).collect();
        let mut batch = device.batch();
        for (k, array) in arrays.iter().enumerate() {
            batch.push(deposit::call(array, 0, k as i64 % 3));
            batch.push(deposit::call(array, 0, 1));
        }
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!((report.committed, report.serializable()), (2 * ARRAYS as u64, Some(true)), "{report}");
        for (k, array) in arrays.iter().enumerate() {
            assert_eq!(array.to_vec().unwrap(), [k as i64 + k as i64 % 3 + 1], "array {k}");
        }
    }
}

#[test]
fn a_batch_with_every_array_that_it_can_name_takes_no_more() {
    let device = Device::cpu(2);
    let cells: Vec<_> = (0..32_768).map(|_| device.shared(&[0_i32]).unwrap()).collect();
    let seen: Vec<_> = (0..32_768).map(|_| device.shared(&[0_i32]).unwrap()).collect();
    let mut batch = device.batch();
    for (cells, seen) in cells.iter().zip(&seen).take(32_767) {
        batch.push(read_same::call(cells, seen, 0));
    }
    // The last pair has one array too many. Its first array is not taken either.
    let error = batch.try_push(read_same::call(&cells[32_767], &seen[32_767], 0)).unwrap_err();
    assert!(matches!(error, Error::BatchFull { transaction: 32_767, what: "arrays", max: 65_535 }), "{error}");
    assert!(error.to_string().contains("split the batch"), "{error}");
    batch.try_push(read_same::call(&cells[32_767], &cells[0], 0)).unwrap();
    let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
    assert_eq!((report.committed, report.serializable()), (32_768, Some(true)), "{report}");
}

#[test]
fn a_ticket_of_another_batch_was_not_run() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[5_i64]).unwrap();
    let (mut batch, mut other) = (device.batch(), device.batch());
    batch.push(deposit::call(&accounts, 0, 1));
    let ticket = other.push(deposit::call(&accounts, 0, 1));
    let report = batch.run().unwrap();
    assert_eq!(report.outcome(ticket), Outcome::Unresolved(UnresolvedReason::NotRun));
}

#[test]
fn reading_an_array_from_within_its_run_is_an_error_and_no_deadlock() {
    for device in devices() {
        let accounts = device.shared(&[0_i64]).unwrap();
        let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let mut batch = device.batch();
        for _ in 0..100_000 {
            batch.push(deposit::call(&accounts, 0, 1));
        }
        let (inner, results) = (accounts.clone(), seen.clone());
        let progress = move |_| results.lock().unwrap().push(inner.to_vec().map(|_| ()));
        let report = batch.run_with(&RunOptions::new().progress(progress)).unwrap();
        assert_eq!(report.committed, 100_000);
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|result| *result == Err(Error::ArrayInUse)), "{seen:?}");
        assert_eq!(accounts.to_vec().unwrap(), [100_000]);
    }
}

#[test]
fn a_call_that_is_refused_leaves_the_batch_as_it_was() {
    for device in devices() {
        let (accounts, foreign) = (device.shared(&[5_i64, 0]).unwrap(), Device::cpu(1).shared(&[0_i64]).unwrap());
        let mut batch = device.batch();
        let refused = batch.try_push(deposit::call(&foreign, 0, 1)).unwrap_err();
        assert!(matches!(refused, Error::ForeignArray { transaction: 0, .. }) && batch.is_empty(), "{refused}");
        batch.try_push(deposit::call(&accounts, 0, 1)).unwrap();
        assert!(matches!(batch.try_push(deposit::call(&foreign, 0, 1)), Err(Error::ForeignArray { .. })));
        let ticket = batch.try_push(audit::call(&accounts, 0, 2)).unwrap();
        assert_eq!((batch.len(), batch.kernels().len(), ticket.transaction()), (2, 2, 1));
        let report = batch.run_with(&RunOptions::new().check(true).threads(1)).unwrap();
        assert_eq!((report.committed, report.serializable()), (2, Some(true)), "{report}");
        assert!(report.outcome(ticket).is_committed());
        assert_eq!(accounts.to_vec().unwrap(), [6, 0]);
        // A call that `push` cannot take invalidates the batch, and later errors give the reason.
        batch.push(deposit::call(&foreign, 0, 1));
        assert!(matches!(batch.try_push(deposit::call(&accounts, 0, 1)), Err(Error::ForeignArray { .. })));
        assert!(matches!(batch.run(), Err(Error::ForeignArray { transaction: 2, .. })));
    }
}

#[test]
fn columns_that_do_not_fit_are_errors_that_add_nothing() {
    for device in devices() {
        let accounts = device.shared(&[9_i64, 0, 0]).unwrap();
        let (one, two, amounts) = ([0_u32, 0], [1_u32, 2], [3_i64, 4]);
        let mut batch = device.batch();
        let error = batch.push_columns(transfer::columns(&accounts, &one, &two, &amounts[..1])).unwrap_err();
        let lengths = Error::ColumnLengths { procedure: "transfer", columns: ["from", "amount"], lengths: [2, 1] };
        assert_eq!((&error, batch.len()), (&lengths, 0));
        assert!(error.to_string().contains("2 for `from`, 1 for `amount`"), "{error}");
        let foreign = Device::cpu(1).shared(&[0_i64; 3]).unwrap();
        let error = batch.push_columns(transfer::columns(&foreign, &one, &two, &amounts)).unwrap_err();
        assert!(matches!(error, Error::ForeignArray { transaction: 0, procedure: "transfer", .. }), "{error}");

        let empty = batch.push_columns(transfer::columns(&accounts, &[], &[], vec![])).unwrap();
        assert!(empty.is_empty() && batch.is_empty() && batch.run().unwrap().transactions == 0);
        let tickets = batch.push_columns(transfer::columns(&accounts, &one, &two, &amounts)).unwrap();
        assert!(batch.push_columns(transfer::columns(&accounts, &one, &[], &amounts)).is_err());
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!((report.transactions, report.committed, report.serializable()), (2, 2, Some(true)), "{report}");
        assert!(tickets.iter().all(|ticket| report.outcome(ticket).is_committed()));
        assert_eq!((tickets.get(1).unwrap().transaction(), tickets.get(2).is_none()), (1, true));
        assert_eq!(accounts.to_vec().unwrap(), [2, 3, 4]);

        // A call that `push` cannot take invalidates the batch, until it is cleared.
        batch.push(deposit::call(&foreign, 0, 1));
        let refused = batch.push_columns(transfer::columns(&accounts, &one, &two, &amounts)).unwrap_err();
        assert!(matches!(refused, Error::ForeignArray { transaction: 2, .. }), "{refused}");
        batch.clear();
        batch.push_columns(deposit::columns(&accounts, &one, &amounts)).unwrap();
        assert_eq!(batch.run().unwrap().committed, 2);
        assert_eq!(accounts.to_vec().unwrap(), [9, 3, 4]);
    }
}

#[test]
fn columns_of_a_device_that_do_not_fit_are_errors_that_add_nothing() {
    for device in devices() {
        let accounts = device.shared(&[9_i64, 0, 0]).unwrap();
        let (to, amounts) = (device.column([0_u32, 1, 2].to_vec()).unwrap(), [1_i64, 2, 3]);
        let theirs = Device::cpu(1).column(&[0_u32, 1, 2]).unwrap();
        let mut batch = device.batch();
        let error = batch.push_columns(deposit::columns(&accounts, &theirs, &amounts)).unwrap_err();
        assert!(matches!(error, Error::ForeignColumn { procedure: "deposit", parameter: "to", .. }), "{error}");
        let short = batch.push_columns(deposit::columns(&accounts, to.range(1..).unwrap(), &amounts)).unwrap_err();
        assert!(matches!(short, Error::ColumnLengths { lengths: [2, 3], .. }), "{short}");
        assert_eq!(batch.len(), 0);
        let pipeline = device.pipeline(PipelineOptions::new()).unwrap();
        let error = pipeline.submit_columns(deposit::columns(&accounts, &theirs, &amounts)).map(drop).unwrap_err();
        assert!(matches!(error, Error::ForeignColumn { .. }), "{error}");
        pipeline.submit_columns(deposit::columns(&accounts, &to, &amounts)).unwrap().wait().unwrap();
        let outside = std::panic::Location::caller().file();
        let reversed = std::ops::Range { start: 2, end: 1 };
        for range in [to.range(1..5), to.range(4..), to.range(reversed), to.range(..=usize::MAX)] {
            assert!(matches!(range.unwrap_err(), Error::Range { len: 3, at, .. } if at.file() == outside));
        }
        let none = device.column(to.range(3..).unwrap()).unwrap();
        batch.push_columns(deposit::columns(&accounts, none, device.column::<i64>(&[]).unwrap())).unwrap();
        // What is told of a fault is read from the device.
        let ticket = batch.push_columns(deposit::columns(&accounts, device.column(&[7_u32]).unwrap(), &[5])).unwrap();
        let report = batch.run().unwrap();
        let Outcome::Faulted(fault) = report.outcome(ticket.get(0).unwrap()) else { panic!("{report}") };
        assert_eq!(fault.arguments, [("to", "7".to_owned()), ("amount", "5".to_owned())]);
        assert_eq!(accounts.to_vec().unwrap(), [10, 2, 3]);
        // Results that come to the host are not there, nor are those of other batches.
        assert!(report.results_there(&ticket).unwrap().is_none());
        let mut batch = device.batch();
        let audits = batch.push_columns(audit::columns(&accounts, &[0, 1], &[1, 9])).unwrap();
        let report = batch.run_with(&RunOptions::new().outcomes(Outcomes::ResultsStay)).unwrap();
        assert!(report.results_there(&ticket).unwrap().is_none());
        assert_eq!(report.results_there(&audits).unwrap().unwrap().to_vec().unwrap(), [10, 0]);
        assert_eq!(report.results(&audits).collect::<Vec<_>>(), [Some(10), None]);
        // From another device it is copied, and from its own it is the same.
        assert_eq!(device.column(theirs).unwrap().to_vec().unwrap(), [0, 1, 2]);
        assert_eq!(device.column(&[(); 3]).unwrap().to_vec().unwrap(), [(); 3]);
    }
}

#[test]
fn columns_of_partitions_name_those_that_are_there() {
    for device in devices() {
        let counters = device.partitioned::<u32, COUNTERS>(&[0; 3 * COUNTERS]).unwrap();
        let places = device.partitioned::<u8, 2>(&[0; 6]).unwrap();
        assert_eq!(counters.part_column(&[1, 3, 0]).unwrap_err(), Error::NoPart { number: 3, parts: 3 });
        let mut batch = device.batch();
        let differ = batch.push_columns(count_found::columns(
            places.part_column(&[0, 1]).unwrap(),
            counters.part_column(&[0, 2]).unwrap(),
            &[0, 0],
        ));
        let expected = Error::PartsDiffer {
            transaction: 1,
            procedure: "count_found",
            parameters: ["places", "counters"],
            parts: [1, 2],
        };
        assert_eq!((differ.unwrap_err(), batch.len()), (expected, 0));
        let short = batch.push_columns(count_found::columns(
            places.part_column(&[0, 1]).unwrap(),
            counters.part_column(&[0]).unwrap(),
            &[0, 0],
        ));
        let expected = Error::ColumnLengths { procedure: "count_found", columns: ["at", "counters"], lengths: [2, 1] };
        assert_eq!((short.unwrap_err(), batch.len()), (expected, 0));
    }
}

#[test]
fn a_batch_for_more_transactions_than_fit_is_an_error() {
    for device in devices() {
        assert!(matches!(device.batch_with_capacity(usize::MAX), Err(Error::HostMemory { .. })));
        assert!(device.batch_with_capacity(100).unwrap().is_empty());
        // A range takes no memory, whatever its length; outcomes do.
        let accounts = device.shared(&[0_i64; 4]).unwrap();
        for transactions in [usize::MAX, 1 << 50, 1 << 40] {
            let mut batch = device.batch();
            let columns = deposit::columns(&accounts, repeat_n(0, transactions), repeat_n(1, transactions));
            let ran = batch.push_columns(columns).and_then(|_| batch.run());
            assert!(matches!(ran, Err(Error::HostMemory { .. })), "{transactions}: {ran:?}");
        }
        assert_eq!(accounts.to_vec().unwrap(), [0; 4]);
    }
}
