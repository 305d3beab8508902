//! Plans in files: what one process has found, another one begins with.

use std::fs;
use std::path::Path;

use stm_runtime::options::Fallback;
use stm_runtime::prelude::*;
use stm_runtime::report::{Plan, PlanReason};
use stm_runtime::{Batch, Device, EmulatorOptions, Error, Order, Report, RunOptions, Selection, Shared};
use stm_tests::procedures::bank::{deposit, transfer};

fn deposits(device: &Device) -> Batch<'static> {
    let accounts: Shared<i64> = device.shared(&[100; 64]).expect("room for accounts");
    let mut batch = device.batch();
    (0..500).for_each(|at| _ = batch.push(deposit::call(&accounts, at % 64, 1)));
    batch
}

fn run(batch: &Batch, options: &RunOptions) -> Report {
    let report = batch.run_with(options).expect("the run should end");
    assert_eq!(report.committed, batch.len() as u64, "{report}");
    report
}

/// Runs a batch by the plan in a file.
fn run_saved(batch: &Batch, path: &Path) -> Report {
    run(batch, &RunOptions::new().engine(Plan::load(path).expect("the file has a plan")))
}

#[test]
fn a_plan_comes_back_from_its_file_with_its_methods() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.toml");
    let (device, options) = (Device::cpu(2), RunOptions::new().engine(Selection::plan_of(["priority"]).unwrap()));
    let report = run(&deposits(&device), &options);
    let plan = report.plan.expect("no engine was chosen");
    plan.save(&path).expect("the folder can be written");
    assert_eq!(Plan::load(&path).unwrap(), plan);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("methods = \"priority\"") && text.contains("bank::deposit "), "{text}");
    let again = run_saved(&deposits(&device), &path);
    assert_eq!((again.steps().len(), again.notes.len()), (1, 0), "{again}");
    assert_eq!(again.steps()[0].reason, PlanReason::NothingElse, "the methods are those of the plan: {again}");
    assert!(run(&deposits(&device), &RunOptions::new().engine(Engine::PRIORITY)).plan.is_none());
}

#[test]
fn a_plan_that_is_not_for_a_batch_is_not_used_and_the_report_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.toml");
    let device = Device::cpu(2);
    run(&deposits(&device), &RunOptions::new()).plan.unwrap().save(&path).unwrap();
    let noted = |report: Report, expected: &str| {
        let why = format!("the saved plan is not used: {expected}");
        assert!(report.notes.iter().any(|note| note.starts_with(&why)), "{why}: {report}");
    };
    noted(run_saved(&deposits(&Device::cpu(1)), &path), "it was found on another device: 2 CPU threads");

    let accounts: Shared<i64> = device.shared(&[100; 64]).unwrap();
    let mut others = device.batch();
    (0..50).for_each(|at| _ = others.push(transfer::call(&accounts, at, at + 1, 1)));
    noted(run_saved(&others, &path), "it is for other procedures: ");

    let pushed = RunOptions::new().engine(Plan::load(&path).unwrap()).order(Order::Pushed);
    noted(run(&deposits(&device), &pushed), "it was found in runs in any order");

    let good = fs::read_to_string(&path).unwrap();
    let version = good.lines().find(|line| line.starts_with("version = \"")).expect("it has the version").to_owned();
    fs::write(&path, good.replace(&version, "version = \"0.0.1\"")).unwrap();
    noted(run_saved(&deposits(&device), &path), "version 0.0.1 of this library has saved it, and this is ");

    let digest = good.find("bank::deposit ").expect("it has the procedure") + "bank::deposit ".len();
    fs::write(&path, format!("{}0123456789abcdef{}", &good[..digest], &good[digest + 16..])).unwrap();
    noted(run_saved(&deposits(&device), &path), "it is for other procedures: ");
}

#[test]
fn what_is_no_plan_is_refused_with_the_path_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.toml");
    run(&deposits(&Device::cpu(2)), &RunOptions::new()).plan.unwrap().save(&path).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    let found = "[plan.saved.found]\n";
    let bad = [
        (good[..good.len() / 2].to_owned(), ""),
        (String::new(), "format"),
        (good.replace("version = 1\n", "version = 2\n"), "version 2"),
        (good.replace("plan of a batch", "plan of a house"), "house"),
        (good.replace("method = \"serial\"", "method = \"fast\""), "unknown engine `fast`"),
        (good.replace("methods = \"", "methods = \"jvstm,"), "no method `jvstm`"),
        (good.replace("launches_seconds = 0.0", "launches_seconds = -1.0"), "negative"),
        (good.replace("launches_seconds = 0.0", "launches_seconds = nan"), ""),
        (good.replace("predicted = 0.0", "predicted = inf"), "predicted"),
        (good.replace("given = 500", "given = -500"), ""),
        (good.replace(found, &format!("{found}faster = \"csmv\"\n")), "no method of a plan"),
        (good.replace(found, &format!("{found}slow = [{{ method = \"serial\", rate = nan }}]\n")), "rate"),
        (good.replace(found, &format!("{found}slower = 1\n")), "slower"),
        ("[".repeat(100_000), ""),
    ];
    for (text, expected) in bad {
        assert_ne!(text, good, "{expected}");
        fs::write(&path, &text).unwrap();
        let error = Plan::load(&path).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, Error::PlanFile { .. }) && message.contains(expected), "{expected}: {message}");
        assert!(message.contains("plan.toml") && message.contains("Plan::save"), "{message}");
    }
    assert!(matches!(Plan::load(folder.path()), Err(Error::PlanFile { .. })));
    fs::write(&path, good).unwrap();
    let saved = Plan::load(&path).unwrap().save(folder.path());
    assert!(matches!(saved, Err(Error::PlanFile { .. })));
    assert!(Tuning::load(&path).is_err(), "a plan is no tuning");
}

#[gpu_transaction]
fn count_slowly(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult {
    let mut state = u64::from(at);
    for _ in 0..50_000 {
        state = state.wrapping_mul(3) ^ 1;
    }
    tx.guard(state != 1)?;
    tx.update(cells, at, |old| old + 1)
}

/// A device of its own stands for another process.
#[test]
fn a_place_that_was_too_slow_is_not_tried_again_by_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.toml");
    let small = |selection: Selection| {
        let device = match Device::emulated(EmulatorOptions::threads()) {
            Ok(device) => device,
            Err(why) => {
                println!("SKIPPED a plan of the emulator: {why}");
                return None;
            }
        };
        let cells: Shared<u64> = device.shared(&[0; 40]).expect("room for cells");
        let mut batch = device.batch();
        (0..40).for_each(|at| _ = batch.push(count_slowly::call(&cells, at)));
        let report = run(&batch, &RunOptions::new().fallback(Fallback::SmallBatches).engine(selection));
        assert_eq!(cells.to_vec().unwrap(), [1; 40]);
        Some(report)
    };
    let Some(first) = small(Selection::plan()) else { return };
    let tried = |report: &Report| report.steps().iter().filter(|step| step.was_left).count();
    assert_eq!((tried(&first), first.steps()[0].reason), (1, PlanReason::SmallBatch), "{first}");
    first.plan.as_ref().unwrap().save(&path).unwrap();
    let second = small(Plan::load(&path).unwrap().into()).expect("there is an emulator");
    assert_eq!((tried(&second), second.notes.len()), (0, 0), "{second}");
    second.plan.as_ref().unwrap().save(&path).unwrap();
    let third = small(Plan::load(&path).unwrap().into()).expect("there is an emulator");
    assert_eq!(tried(&third), 0, "what an earlier process has found is handed on: {third}");
}
