//! Invalid names and numbers.

use stm_runtime::{Device, Engine, Error, GpuError, Selection};
use stm_tests::skip::skipped;

#[test]
fn an_unknown_engine_lists_the_known_ones() {
    let error = "fast".parse::<Engine>().unwrap_err();
    assert!(matches!(&error, Error::UnknownEngine { name, .. } if name == "fast"), "{error}");
    for &engine in Engine::ALL {
        assert!(error.to_string().contains(engine.name()), "{error}");
    }
    let error = "plam".parse::<Selection>().unwrap_err().to_string();
    assert!(error.contains("(did you mean `plan`?); use one of: plan, auto, priority, "), "{error}");
}

#[test]
fn an_unknown_device_lists_the_known_ones() {
    for name in ["", "gpu", "cpu:", "cpu:many", "cuda:-1", "cuda:0:0", "CPU"] {
        let error = name.parse::<Device>().unwrap_err();
        assert!(matches!(error, Error::UnknownDevice { .. }), "`{name}`: {error}");
        assert!(error.to_string().contains("cpu:N"), "{error}");
    }
}

#[test]
fn a_device_number_that_is_not_there_is_an_error() {
    match Device::cuda(4321) {
        Err(Error::Gpu(GpuError::NoSuchDevice { ordinal: 4321, count })) => assert!(count > 0),
        Err(Error::Gpu(error)) => assert!(!error.to_string().is_empty()),
        Err(error) => panic!("{error}"),
        Ok(device) => panic!("{device}"),
    }
}

#[test]
fn without_a_driver_the_tuning_falls_on_the_cpu_and_says_why() {
    let device = Device::auto().unwrap();
    if device.is_gpu() {
        return skipped("a machine without a driver", "this one has a GPU");
    }
    let Err(Error::Gpu(why)) = Device::cuda(0) else { panic!("a GPU that `auto` did not find") };
    assert!(device.reason().contains(&why.to_string()), "{} and {why}", device.reason());
}

#[test]
fn a_coverage_that_is_no_power_of_two_is_an_error() {
    for device in super::devices() {
        for coverage in [0, 3, 12, usize::MAX, 1 << 40] {
            let error = device.shared_with(&[1_i64; 4], coverage).unwrap_err();
            assert!(matches!(error, Error::Coverage { coverage: reported, .. } if reported == coverage), "{error}");
        }
    }
}
