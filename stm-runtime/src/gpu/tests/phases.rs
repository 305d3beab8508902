//! Phase times of the device's threads.

use std::time::Duration;

use super::device;
use super::engines;
use super::random_transfers;
use crate::gpu::EmulatorOptions;
use crate::report::Phases;
use crate::{Device, Engine, Report, RunOptions};

/// Stages before the execution have no phases, and one of them would run all of these transfers.
fn engines_with_phases() -> impl Iterator<Item = Engine> {
    engines().filter(|engine| engine.spec().takes_turns().is_none())
}

/// Runs transfers that all commit among a few accounts, so that some conflict.
fn run(device: &Device, engine: Engine, set: impl Fn(RunOptions) -> RunOptions) -> (Report, Vec<i64>) {
    let accounts = device.shared(&[100_000_i64; 6]).unwrap();
    let mut batch = device.batch();
    random_transfers(&mut batch, &accounts, 400);
    let options = set(RunOptions::new().engine(engine).threads(64).lanes(8));
    let report = batch.run_with(&options).unwrap();
    assert_eq!(report.committed, 400, "{report}");
    (report, accounts.to_vec().unwrap())
}

fn of_commit(phases: &Phases) -> [(&'static str, Option<Duration>); 5] {
    [
        ("pre-validate", phases.pre_validate),
        ("wait", phases.wait),
        ("validate", phases.validate),
        ("record", phases.record),
        ("write-back", phases.write_back),
    ]
}

#[test]
fn every_engine_measures_the_phases_of_its_commits() {
    let device = device();
    // All transfers commit, so every engine leaves the same.
    let (plain, without) = run(&device, Engine::default(), |options| options);
    assert!(plain.phases.is_none() && !plain.to_string().contains("phases"), "{plain}");

    for engine in engines_with_phases() {
        let (report, accounts) = run(&device, engine, |options| options.phases(true));
        assert_eq!(accounts, without, "{engine}");
        let phases = report.phases.expect("it was asked for");
        assert!(report.to_string().contains("us a commit: body "), "{report}");
        assert!(!phases.body.is_zero() && !phases.commit.is_zero(), "{engine}: {phases:?}");
        assert!(phases.wasted <= phases.total(), "{engine}: {phases:?}");
        if report.conflicts.total() == 0 {
            assert_eq!(phases.wasted, Duration::ZERO, "{report}");
        }
        let times = of_commit(&phases);
        assert_eq!(
            times.iter().filter(|(_, time)| time.is_some()).count(),
            engine.spec().commit_phases.len(),
            "{engine}"
        );
        for (name, time) in times {
            assert!(time.is_none_or(|time| !time.is_zero()), "{engine} measures no {name}: {phases:?}");
        }
        // A server uses another clock than its clients, so the sum of the parts may be slightly larger.
        let parts: Duration = times.iter().filter_map(|(_, time)| *time).sum();
        assert!(parts <= phases.commit.mul_f64(1.05), "{engine}: {phases:?}");
    }
}

#[test]
fn what_went_to_conflicts_is_wasted() {
    let met = engines_with_phases().filter(|engine| {
        let (report, _) = run(&Device::emulated(EmulatorOptions::fibers(3)).unwrap(), *engine, |options| {
            options.phases(true).profile(true).check(true).chunk_size(150)
        });
        let phases = report.phases.expect("it was asked for");
        assert_eq!(phases.wasted.is_zero(), report.conflicts.total() == 0, "{report}");
        assert_eq!(report.serializable(), Some(true), "{report}");
        !phases.wasted.is_zero()
    });
    assert!(met.count() > 3, "transfers among a few accounts should conflict");
}
