//! Reports of earlier runs, and choices of engines in files.

use std::fs;

use stm_runtime::{Choice, Error, Report, Why};
use stm_tests::draw::Draw;

use super::names::spoil;
use crate::call::End;
use crate::world::{Checked, Sort, World, must};

/// The most threads that a choice from a damaged file may have here.
const MOST_THREADS: usize = 64;

/// Asks a report for everything, with tickets of its own batch, later ones, and those of others.
pub(super) fn look(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    if world.reports.is_empty() {
        return Ok(());
    }
    let (at, pushed, report) = &world.reports[draw.below(world.reports.len())];
    let text = format!("look at a report of batch {at}");
    let other = draw.below(world.batches.len());
    for (row, ended) in world.batches[*at].ended.iter().enumerate().skip(*pushed).take(5) {
        must!(ended(report) == End::Unresolved(Why::NotRun), "transaction {row}, pushed after the run, was run");
    }
    for (row, ended) in world.batches[other].ended.iter().enumerate().take(5) {
        let is_other = other != *at;
        must!(!is_other || ended(report) == End::Unresolved(Why::NotRun), "a report knows row {row} of another batch");
    }
    everything(report)?;
    if report.transactions > 0 {
        // No procedure has such a result.
        let asked = report.outcome_at::<[u64; 7]>(0);
        must!(matches!(asked, Err(Error::ResultType { row: 0, .. })), "a result of another type is a value: {asked:?}");
    }
    world.call(text);
    Ok(())
}

/// Every accessor, and the texts of all parts.
fn everything(report: &Report) -> Checked {
    let texts = [
        report.to_string(),
        report.choice.as_ref().map_or_else(String::new, |choice| format!("{choice} {choice:?}")),
        report.proof.as_ref().map_or_else(String::new, |proof| format!("{proof} {:?}", proof.violation())),
        report.faults.iter().take(20).map(|fault| format!("{fault} {fault:?}")).collect(),
        report.unresolved_rows.iter().take(20).map(|row| format!("{row} {row:?}")).collect(),
        report.conflict_sites.iter().take(20).map(|site| format!("{site:?}")).collect(),
        format!("{:?} {:?} {}", report.conflicts.by_cause(), report.times, report.memory.total()),
        report.phases.map_or_else(String::new, |phases| format!("{:?} {:?}", phases.total(), phases.of_commit())),
    ];
    must!(texts[0].lines().count() > 8, "a short report: {}", texts[0]);
    must!(report.clone().conflicts.total() == report.conflicts.total(), "a clone of a report is another one");
    Ok(())
}

/// Keeps the choice of a report, runs with it, and saves and loads it.
pub(super) fn keep_choice(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let found = world.reports.iter().find_map(|(.., report)| report.choice.clone());
    if let Some(choice) = found.filter(|_| world.choices.len() < 3) {
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        let path = folder.path().join("choice.toml");
        world.call(format!("save and load the choice of {}", choice.engine));
        choice.save(&path).map_err(|why| format!("a choice cannot be saved: {why}"))?;
        must!(Choice::load(&path) == Ok(choice.clone()), "a choice is another one after it was saved and loaded");
        must!(choice.save(folder.path()).is_err(), "a choice is saved over a folder");
        world.choices.push(choice);
    }
    if world.choices.is_empty() || world.batches.is_empty() {
        return Ok(());
    }
    let (choice, at) = (draw.pick(&world.choices).clone(), draw.below(world.batches.len()));
    if world.batches[at].fixed.is_some() && !world.scope.all_engines {
        return Ok(());
    }
    // Threads of the emulator are threads of the host. A run on CPU threads takes no number from a choice.
    let is_emulated = world.places[world.batches[at].place].sort == Sort::Emulated;
    if is_emulated && choice.threads.is_some_and(|threads| threads > MOST_THREADS) {
        return Ok(());
    }
    world.call(format!("batch {at}: engine({choice:?})"));
    let batch = &mut world.batches[at];
    batch.table.engine(&choice);
    batch.told.engines = vec![choice.engine];
    Ok(())
}

/// A file of a choice, and what becomes of it when it is damaged.
const FILE: &str = r#"format = "choice of an engine for GPU transactions"
version = 1

[choice]
engine = "priority"
threads = 64
lanes = 8
coverage = 4
reason = "because"
device = "a device"

[[choice.trials]]
engine = "jvstm(versions=9)"
threads = 64
lanes = 8
round = 1
warm_up = 20
rows = 100
committed = 90
kernel_seconds = 0.003
compile_seconds = 1.0
ended = "measured"
"#;

/// Values that numbers of the file get.
const NUMBERS: [&str; 9] =
    ["0", "-1", "33", "18446744073709551616", "9223372036854775807", "nan", "inf", "1e400", "\"eight\""];

/// Loads a damaged file. It is refused with its path, or what it says can be used.
pub(super) fn damaged_choice(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let mut lines: Vec<String> = FILE.lines().map(str::to_owned).collect();
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
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    let path = folder.path().join("choice.toml");
    let text = lines.join("\n");
    fs::write(&path, &text).map_err(|why| why.to_string())?;
    world.call(format!("load a choice from\n{text}"));
    match Choice::load(&path) {
        Ok(choice) => {
            must!(!format!("{choice}").is_empty() && choice.threads != Some(0), "a choice of no threads");
            must!(choice.lanes.is_none_or(|lanes| (1..=32).contains(&lanes)), "a choice of {:?} lanes", choice.lanes);
            if world.choices.len() < 3 {
                world.choices.push(choice);
            }
        }
        Err(Error::ChoiceFile { path: told, problem }) => {
            must!(told == path && !problem.is_empty(), "{} instead of {}", told.display(), path.display());
        }
        Err(why) => return Err(format!("a damaged file of a choice: {why}")),
    }
    must!(Choice::load(folder.path()).is_err(), "a folder is a choice");
    Ok(())
}
