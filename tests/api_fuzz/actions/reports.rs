//! Reports of earlier runs, and tunings and plans in files.

use std::fs;
use std::path::PathBuf;

use stm_runtime::report::Plan;
use stm_runtime::{Error, Report, Selection, Tuning, UnresolvedReason};
use stm_tests::draw::Draw;
use tempfile::TempDir;

use super::names::spoil;
use crate::call::End;
use crate::world::{Checked, Sort, World, must};

/// The largest number of threads that a tuning from a damaged file may have here.
const MOST_THREADS: usize = 64;

/// Calls every accessor of a report, with tickets of its own batch, later ones, and those of other batches.
pub(super) fn look(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    if world.reports.is_empty() {
        return Ok(());
    }
    let (at, pushed, report) = &world.reports[draw.below(world.reports.len())];
    let text = format!("look at a report of batch {at}");
    let other = draw.below(world.batches.len());
    for (transaction, ended) in world.batches[*at].ended.iter().enumerate().skip(*pushed).take(5) {
        must!(
            ended(report) == End::Unresolved(UnresolvedReason::NotRun),
            "transaction {transaction}, pushed after the run, was run"
        );
    }
    for (transaction, ended) in world.batches[other].ended.iter().enumerate().take(5) {
        let is_other = other != *at;
        must!(
            !is_other || ended(report) == End::Unresolved(UnresolvedReason::NotRun),
            "a report knows transaction {transaction} of another batch"
        );
    }
    everything(report)?;
    if report.transactions > 0 {
        // No procedure has such a result.
        let asked = report.outcome_at::<[u64; 7]>(0);
        must!(
            matches!(asked, Err(Error::ResultType { transaction: 0, .. })),
            "a result of another type is a value: {asked:?}"
        );
    }
    world.call(text);
    Ok(())
}

/// Calls every accessor, and formats all parts.
fn everything(report: &Report) -> Checked {
    let texts = [
        report.to_string(),
        report.tuning.as_ref().map_or_else(String::new, |tuning| format!("{tuning} {tuning:?}")),
        report.proof.as_ref().map_or_else(String::new, |proof| format!("{proof} {:?}", proof.violation())),
        report.faults.iter().take(20).map(|fault| format!("{fault} {fault:?}")).collect(),
        report
            .unresolved_transactions
            .iter()
            .take(20)
            .map(|transaction| format!("{transaction} {transaction:?}"))
            .collect(),
        report.conflict_locations.iter().take(20).map(|location| format!("{location:?}")).collect(),
        format!("{:?} {:?} {}", report.conflicts.by_cause(), report.times, report.memory.total()),
        report.phases.map_or_else(String::new, |phases| format!("{:?} {:?}", phases.total(), phases.of_commit())),
    ];
    must!(texts[0].lines().count() > 8, "a short report: {}", texts[0]);
    must!(report.clone().conflicts.total() == report.conflicts.total(), "a clone of a report is another one");
    Ok(())
}

/// Keeps the tuning of a report, runs with it, and saves and loads it.
pub(super) fn keep_tuning(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let found = world.reports.iter().find_map(|(.., report)| report.tuning.clone());
    if let Some(tuning) = found.filter(|_| world.tunings.len() < 3) {
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        let path = folder.path().join("tuning.toml");
        world.call(format!("save and load the tuning of {}", tuning.engine));
        tuning.save(&path).map_err(|why| format!("a tuning cannot be saved: {why}"))?;
        must!(Tuning::load(&path) == Ok(tuning.clone()), "a tuning is another one after it was saved and loaded");
        must!(tuning.save(folder.path()).is_err(), "a tuning is saved over a folder");
        world.tunings.push(tuning);
    }
    if world.tunings.is_empty() || world.batches.is_empty() {
        return Ok(());
    }
    let (tuning, at) = (draw.pick(&world.tunings).clone(), draw.below(world.batches.len()));
    if world.batches[at].fixed.is_some() && !world.scope.all_engines {
        return Ok(());
    }
    // Threads of the emulator are threads of the host. A run on CPU threads ignores the numbers of a tuning.
    let is_emulated = world.places[world.batches[at].place].sort == Sort::Emulated;
    if is_emulated && tuning.threads.is_some_and(|threads| threads > MOST_THREADS) {
        return Ok(());
    }
    world.call(format!("batch {at}: engine({tuning:?})"));
    let batch = &mut world.batches[at];
    batch.change(|options| options.engine(&tuning));
    batch.settings.engines = vec![tuning.engine];
    Ok(())
}

/// A valid tuning file, which is then damaged.
const FILE: &str = r#"format = "tuning of an engine for GPU transactions"
version = 1

[tuning]
engine = "priority"
threads = 64
lanes = 8
coverage = 4
reason = "because"
device = "a device"

[[tuning.trials]]
engine = "jvstm(versions=9)"
threads = 64
lanes = 8
round = 1
warm_up = 20
transactions = 100
committed = 90
kernel_seconds = 0.003
compile_seconds = 1.0
ended = "measured"
"#;

/// Values that replace numbers of the file.
const NUMBERS: [&str; 9] =
    ["0", "-1", "33", "18446744073709551616", "9223372036854775807", "nan", "inf", "1e400", "\"eight\""];

/// A valid file of a plan, which is then damaged.
const PLAN_FILE: &str = r#"format = "plan of a batch of GPU transactions"
version = 1

[plan.saved]
methods = "priority,commuting,serial"

[plan.saved.batch]
device = "a device"
version = "0.1.0"
in_push_order = false
transactions = 100
procedures = ["bank::deposit 0123456789abcdef"]

[plan.saved.found]
launches_seconds = 0.5
faster = "priority"

[[plan.saved.found.slow]]
method = "commuting"
rate = 1000.0

[[plan.steps]]
method = "serial"
reason = "predicted_faster"
given = 100
finished = 90
seconds = 0.003
predicted = 1000.0
was_left = true

[plan.steps.algorithm.cpu_serial]
asked = "serial"
"#;

/// Damages some lines of a file.
fn damage(file: &str, draw: &mut Draw) -> String {
    let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
    for _ in 0..draw.below(3) {
        let at = draw.below(lines.len());
        match draw.below(4) {
            0 => lines[at] = spoil(&lines[at], draw),
            1 => drop(lines.remove(at)),
            2 => lines.insert(at, lines[draw.below(lines.len())].clone()),
            _ => {
                let name = lines[at].split(" = ").next().unwrap_or_default().to_owned();
                lines[at] = format!("{name} = {}", draw.pick(&NUMBERS));
            }
        }
    }
    lines.join("\n")
}

/// Writes a damaged file of that name into a folder of its own.
fn damaged(name: &str, file: &str, world: &mut World<'_>, draw: &mut Draw) -> Result<(TempDir, PathBuf), String> {
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    let path = folder.path().join(name);
    let text = damage(file, draw);
    fs::write(&path, &text).map_err(|why| why.to_string())?;
    world.call(format!("load {name} from\n{text}"));
    Ok((folder, path))
}

/// Loads damaged files.
pub(super) fn damaged_files(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    damaged_tuning(world, draw)?;
    damaged_plan(world, draw)
}

/// Loads a damaged file. Either the error names its path, or the loaded plan comes back from another file.
fn damaged_plan(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let (_folder, path) = damaged("plan.toml", PLAN_FILE, world, draw)?;
    match Plan::load(&path) {
        Ok(plan) => {
            plan.save(&path).map_err(|why| why.to_string())?;
            must!(Plan::load(&path).as_ref() == Ok(&plan), "another plan than\n{plan:?}");
            must!(Selection::from(plan).to_string().starts_with("plan("), "the methods are lost");
        }
        Err(Error::PlanFile { path: reported, problem }) => {
            must!(reported == path && !problem.is_empty(), "{} instead of {}", reported.display(), path.display());
        }
        Err(why) => return Err(format!("a damaged file of a plan: {why}")),
    }
    Ok(())
}

/// Loads a damaged file. Either the error names its path, or the loaded tuning can be used.
fn damaged_tuning(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let (folder, path) = damaged("tuning.toml", FILE, world, draw)?;
    match Tuning::load(&path) {
        Ok(tuning) => {
            must!(!format!("{tuning}").is_empty() && tuning.threads != Some(0), "a choice of no threads");
            must!(tuning.lanes.is_none_or(|lanes| (1..=32).contains(&lanes)), "a choice of {:?} lanes", tuning.lanes);
            if world.tunings.len() < 3 {
                world.tunings.push(tuning);
            }
        }
        Err(Error::TuningFile { path: reported, problem }) => {
            must!(reported == path && !problem.is_empty(), "{} instead of {}", reported.display(), path.display());
        }
        Err(why) => return Err(format!("a damaged file of a tuning: {why}")),
    }
    must!(Tuning::load(folder.path()).is_err(), "a folder is a tuning");
    Ok(())
}
