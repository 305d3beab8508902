//! Faults, rejections and results, each listed with its transaction.

use stm_runtime::{FaultCode, Outcome};

use crate::everywhere;
use crate::support::procedures::{audit, deposit, divide, reread, tour, transfer, withdraw};

#[test]
fn faults_are_listed_and_disturb_nobody() {
    everywhere(|device, run| {
        let accounts = device.shared(&[10_i64, i64::MAX]).unwrap();
        let mut batch = device.batch();
        let zero = batch.push(divide::call(&accounts, 0, 0));
        let negative = batch.push(divide::call(&accounts, -1, 1));
        let past = batch.push(transfer::call(&accounts, 0, 2, 1));
        let overflow = batch.push(deposit::call(&accounts, 1, 1));
        let good = batch.push(divide::call(&accounts, 0, 2));
        let report = run(&mut batch);
        let fault = |outcome| match outcome {
            Outcome::Faulted(fault) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(report.outcome(good), Outcome::Committed(()));
        let zero = fault(report.outcome(zero));
        assert_eq!((zero.code, zero.line, zero.text), (FaultCode::DivideByZero, 43, "old / by"));
        assert_eq!(zero.arguments, [("at", "0".into()), ("by", "0".into())]);
        assert_eq!(
            zero.to_string(),
            "transaction 0, divide(at: 0, by: 0): division by zero at src/procedures.rs:43:5 in `old / by`"
        );
        assert_eq!(fault(report.outcome(negative)).code, FaultCode::IndexOutOfRange);
        assert_eq!(fault(report.outcome(past)).line, 6);
        assert_eq!(fault(report.outcome(overflow)).code, FaultCode::Overflow);
        assert_eq!((report.faulted, report.faults.len(), report.committed), (4, 4, 1));
        assert_eq!(accounts.to_vec().unwrap(), [5, i64::MAX]);
    });
}

#[test]
fn stated_limits_are_faults_when_exceeded() {
    everywhere(|device, run| {
        let accounts = device.shared(&[1_i64; 32]).unwrap();
        let mut batch = device.batch();
        let fits = batch.push(audit::call(&accounts, 0, 8));
        let accesses = batch.push(audit::call(&accounts, 0, 9));
        let again = batch.push(reread::call(&accounts, 5, 900));
        let iterations = batch.push(reread::call(&accounts, 5, 1001));
        let report = run(&mut batch);
        assert_eq!(report.outcome(fits), Outcome::Committed(8));
        assert_eq!(report.outcome(again), Outcome::Committed(true));
        let Outcome::Faulted(fault) = report.outcome(accesses) else { panic!("{report}") };
        assert_eq!((fault.code, fault.text), (FaultCode::TooManyAccesses, "accounts[i]"));
        let Outcome::Faulted(fault) = report.outcome(iterations) else { panic!("{report}") };
        assert_eq!((fault.code, fault.line), (FaultCode::TooManyIterations, 33));
    });
}

#[test]
fn values_with_parts_go_in_and_come_back() {
    everywhere(|device, run| {
        let pairs = device.shared_with(&[(10_i64, 250_u8), (20, 1), (30, 2)], 2).unwrap();
        let mut batch = device.batch();
        let tours: Vec<_> = (0..50).map(|_| batch.push(tour::call(&pairs, 2, (1, true)))).collect();
        let silent = batch.push(tour::call(&pairs, 3, (0, false)));
        let parts = batch.push(tour::call(&pairs, 0, (0, true)));
        let report = run(&mut batch);
        assert_eq!(report.committed, 52, "{report}");
        let mut sums: Vec<_> = tours
            .iter()
            .map(|ticket| match report.outcome(*ticket) {
                Outcome::Committed((sum, Some(_))) => sum,
                other => panic!("{other:?}"),
            })
            .collect();
        sums.sort_unstable();
        assert_eq!(sums, (0..50).map(|i| 30 + 2 * i).collect::<Vec<i64>>());
        assert!(matches!(report.outcome(silent), Outcome::Committed((60.., None))), "{report}");
        assert_eq!(report.outcome(parts), Outcome::Committed((0, None)));
        assert_eq!(pairs.to_vec().unwrap(), [(60, 45), (70, 52), (30, 3)]);
        assert_eq!((pairs.0.to_vec().unwrap(), pairs.1.len()), (vec![60, 70, 30], 3));
        assert_eq!(report.memory.results, 8 * 3 * 52);
    });
}

#[test]
fn a_record_counts_by_its_components_against_the_stated_limit() {
    everywhere(|device, run| {
        let pairs = device.shared(&[(1_i64, 1_u8); 9]).unwrap();
        let mut batch = device.batch();
        let fine = batch.push(tour::call(&pairs, 3, (0, true)));
        let more = batch.push(tour::call(&pairs, 4, (0, true)));
        let outside = device.shared(&[(1_i64, 1_u8); 2]).unwrap();
        let outside = batch.push(tour::call(&outside, 3, (0, true)));
        let report = run(&mut batch);
        assert_eq!(report.outcome(fine), Outcome::Committed((3, Some(1))));
        let Outcome::Faulted(more) = report.outcome(more) else { panic!("{report}") };
        assert_eq!((more.code, more.line), (FaultCode::TooManyAccesses, 72));
        let Outcome::Faulted(outside) = report.outcome(outside) else { panic!("{report}") };
        assert_eq!((outside.code, outside.line), (FaultCode::IndexOutOfRange, 72));
        assert_eq!(outside.arguments[1..], [("by.0", "0".to_owned()), ("by.1", "true".to_owned())]);
    });
}

#[test]
fn rejects_are_final_and_counted_by_code() {
    everywhere(|device, run| {
        let accounts = device.shared(&[100_i64, 5]).unwrap();
        let mut batch = device.batch();
        let first = batch.push(withdraw::call(&accounts, 0, 30));
        let poor = batch.push(withdraw::call(&accounts, 1, 6));
        let poor_too = batch.push(withdraw::call(&accounts, 1, 7));
        let report = run(&mut batch);
        assert_eq!(report.outcome(first), Outcome::Committed(70));
        assert_eq!(report.outcome(poor), Outcome::Rejected(1));
        assert_eq!(report.outcome(poor_too), Outcome::Rejected(1));
        assert_eq!(report.codes.get(&1), Some(&2));
        assert_eq!(report.rejected, 2);
    });
}
