//! Options with invalid values: errors of the run, which name the value and the range.

use std::time::Duration;

use stm_runtime::{Device, Error, Outcome, RunOptions};
use stm_tests::procedures::bank::{audit, transfer};

use super::devices;

/// Runs with an option, and returns the number of commits or the error.
fn run_with(device: &Device, set: impl Fn(RunOptions) -> RunOptions) -> Result<u64, Error> {
    let accounts = device.shared(&[10_i64; 4]).unwrap();
    let mut batch = device.batch();
    batch.push(transfer::call(&accounts, 0, 1, 1));
    let options = set(RunOptions::new());
    assert_eq!(batch.compile_with(&options).err(), batch.run_with(&options).err());
    batch.run_with(&options).map(|report| report.committed)
}

/// Checks that the value is refused with its range, on every device.
fn is_refused(option: &'static str, value: u64, least: u64, most: u64, set: impl Fn(RunOptions) -> RunOptions) {
    for device in devices() {
        let error = run_with(&device, &set).unwrap_err();
        assert_eq!(error, Error::OptionValue { option, value, least, most });
        let text = error.to_string();
        let named = [option.to_owned(), value.to_string(), format!("from {least}")];
        assert!(named.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn values_that_mean_nothing_are_errors_with_their_range() {
    is_refused("lanes", 0, 1, 32, |options| options.lanes(0));
    is_refused("lanes", 33, 1, 32, |options| options.lanes(33));
    is_refused("chunk_size", 0, 1, u64::MAX, |options| options.chunk_size(0));
    is_refused("pass_limit", 0, 1, u64::MAX, |options| options.pass_limit(0));
    is_refused("block_memory", 0, 1, u64::MAX, |options| options.block_memory(0));
    // A batch without transactions reports the error as well.
    let empty = Device::cpu(1).batch();
    assert!(matches!(
        empty.run_with(&RunOptions::new().lanes(33)),
        Err(Error::OptionValue { option: "lanes", value: 33, .. })
    ));
}

#[test]
fn the_number_of_threads_is_bounded_by_the_device() {
    for device in devices() {
        let most = if device.is_gpu() { u64::MAX } else { 1024 };
        let refused = |value: usize| {
            let error = run_with(&device, |options| options.threads(value)).unwrap_err();
            assert_eq!(error, Error::OptionValue { option: "threads", value: value as u64, least: 1, most });
        };
        refused(0);
        if !device.is_gpu() {
            refused(1025);
            refused(usize::MAX);
        }
        assert_eq!(run_with(&device, |options| options.threads(1024)), Ok(1));
    }
}

#[test]
fn a_cpu_device_of_more_threads_than_there_can_be_is_an_error() {
    for device in [Device::cpu(1025), Device::cpu(usize::MAX), Device::cpu_seeded(5000, 1)] {
        let text = run_with(&device, |options| options).unwrap_err().to_string();
        assert!(text.contains("threads of a CPU device") && text.contains("from 0 to 1024"), "{text}");
        assert!(matches!(device.batch().run(), Err(Error::OptionValue { .. })));
    }
    for name in ["cpu:1025", "cpu:18446744073709551615", "cpu:2000@7"] {
        assert!(matches!(name.parse::<Device>(), Err(Error::OptionValue { most: 1024, .. })), "{name}");
    }
    assert_eq!("cpu:1024".parse::<Device>().unwrap().describe(), "1024 CPU threads");
}

#[test]
fn values_at_the_edges_are_good() {
    for device in devices() {
        let edges: [&dyn Fn(RunOptions) -> RunOptions; 6] = [
            &|options| options.lanes(1).pass_limit(1).chunk_size(1),
            &|options| options.lanes(32).pass_limit(u64::MAX).chunk_size(usize::MAX),
            &|options| options.block_memory(1),
            &|options| options.block_memory(usize::MAX),
            &|options| options.seed(0).time_limit(Duration::MAX),
            &|options| options.seed(u64::MAX).threads(1),
        ];
        for edge in edges {
            assert_eq!(run_with(&device, edge), Ok(1), "{device}");
        }
    }
}

#[test]
fn a_reserve_before_the_first_call_is_remembered() {
    let device = Device::cpu(1);
    let accounts = device.shared(&[10_i64; 4]).unwrap();
    let mut batch = device.batch();
    // Too many for the arguments, though not for the outcomes.
    if batch.reserve(1 << 44).is_ok() {
        batch.push(transfer::call(&accounts, 0, 1, 1));
        assert!(matches!(batch.run(), Err(Error::HostMemory { .. })));
    }
    let mut batch = device.batch();
    batch.reserve(1000).unwrap();
    batch.push(transfer::call(&accounts, 0, 1, 1));
    assert_eq!(batch.run().unwrap().committed, 1);
}

#[test]
fn an_outcome_of_another_type_is_an_error_that_names_both() {
    for device in devices() {
        let accounts = device.shared(&[10_i64; 4]).unwrap();
        let mut batch = device.batch();
        batch.push(transfer::call(&accounts, 0, 1, 1));
        batch.push(audit::call(&accounts, 0, 4));
        let report = batch.run().unwrap();
        assert_eq!(report.outcome_at(1), Ok(Outcome::Committed(40_i64)));
        assert_eq!(report.outcome_at(0), Ok(Outcome::Committed(())));
        // Readers that ignore the result need not know its type.
        assert_eq!(report.outcome_at(1), Ok(Outcome::Committed(())));
        for error in [
            report.outcome_at::<u64>(1).unwrap_err(),
            report.outcome_at::<(i64, i64)>(1).unwrap_err(),
            report.outcome_at::<Option<i64>>(1).unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(matches!(error, Error::ResultType { transaction: 1, procedure: "audit", .. }), "{text}");
            assert!(text.contains("whose result is i64"), "{text}");
        }
        assert!(matches!(report.outcome_at::<i64>(0), Err(Error::ResultType { transaction: 0, .. })));
        // Past the end there is no transaction, so any result type is accepted.
        assert!(matches!(report.outcome_at::<u8>(2), Ok(Outcome::Unresolved(_))));
    }
}
