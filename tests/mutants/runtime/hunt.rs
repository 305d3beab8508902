//! The hunt for mutants of the runtime: a process for each, which ends by itself or is ended.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use stm_runtime::__private::mutation;

use super::Mutant;
use super::check::Check;
use crate::score::{Caught, Hunted};
use crate::work::side_by_side;

/// Holds the checks of the second process, one a line.
const TASK: &str = "STM_TEST_TASK";
/// Holds the name of the mutant that a process is.
const MUTANT: &str = "STM_MUTANT";
/// A process that takes longer for each of its checks hangs: batches have a time limit of their own, and a check has few of
/// them.
const HANGS_AFTER: Duration = Duration::from_secs(120);
/// Checks of one process of the good runtime.
const SHARE: usize = 12;

/// The second process begins a line with this, then names the check that failed, and why.
const FAILED: &str = "mutant: failed: ";
/// What the second process says when all checks passed and a place of the mutant was evaluated.
const PASSED: &str = "mutant: all passed";
/// What it says when all checks passed and no place of the mutant was evaluated.
const NOT_REACHED: &str = "mutant: all passed, and its place was not reached";

/// Runs every mutant until it is caught. The good runtime must pass what caught them.
pub(crate) fn hunt(mutants: &[Mutant]) -> Vec<Hunted> {
    let results = side_by_side(mutants, |mutant| outcome(Some(mutant.name), mutant.caught_by));
    let checks: BTreeSet<&str> = results.iter().flatten().flatten().flat_map(|caught| caught.by.lines()).collect();
    let checks: Vec<&str> = checks.into_iter().collect();
    let shares: Vec<&[&str]> = checks.chunks(SHARE).collect();
    let good = side_by_side(&shares, |share| match outcome(None, share) {
        Ok(None) => None,
        Ok(Some(Caught { by, failure })) => Some((by, failure)),
        Err(why) => Some((share.join("\n"), why)),
    });
    let failures: Vec<(String, String)> = good.into_iter().flatten().collect();
    let is_doubtful = |caught: &Caught, by: &str| by.lines().any(|by| caught.by.lines().any(|own| own == by));
    let verdict = |caught: Caught| match failures.iter().find(|(by, _)| is_doubtful(&caught, by)) {
        Some((by, why)) => Err(format!("the good runtime fails {by}: {why}")),
        None => Ok(Some(caught)),
    };
    results.into_iter().map(|result| result?.map_or(Ok(None), verdict)).collect()
}

/// Runs the checks in a process of their own until one fails.
fn outcome(mutant: Option<&str>, checks: &[&str]) -> Hunted {
    let run = || -> std::io::Result<(Option<ExitStatus>, String)> {
        let mut said = tempfile::tempfile()?;
        let child = start(mutant, checks, &said)?;
        let status = wait(child, HANGS_AFTER * checks.len() as u32)?;
        let mut text = String::new();
        said.rewind()?;
        said.read_to_string(&mut text)?;
        Ok((status, text))
    };
    let (status, said) = run().map_err(|error| error.to_string())?;
    let line = said.lines().find(|line| line.starts_with("mutant: "));
    match (status, line) {
        (None, _) => Ok(Some(Caught { by: checks.join("\n"), failure: "it hangs".into() })),
        (_, Some(NOT_REACHED)) if mutant.is_some() => Err("its place in the runtime was not reached".into()),
        (_, Some(PASSED | NOT_REACHED)) => Ok(None),
        (_, Some(line)) => {
            let (by, failure) = line.strip_prefix(FAILED).and_then(|rest| rest.split_once(": ")).unwrap_or(("?", line));
            Ok(Some(Caught { by: by.into(), failure: failure.into() }))
        }
        (Some(status), None) if status.success() => Err(format!("the second process said nothing\n{said}")),
        (Some(status), None) => Ok(Some(Caught { by: checks.join("\n"), failure: format!("it died: {status}") })),
    }
}

fn start(mutant: Option<&str>, checks: &[&str], said: &File) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--ignored", "--exact", "runtime::hunt::second_process", "--nocapture", "--test-threads=1"]);
    command.env(TASK, checks.join("\n")).env_remove(MUTANT);
    if let Some(mutant) = mutant {
        command.env(MUTANT, mutant);
    }
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(Stdio::null()).spawn()
}

/// How it ended, or nothing where it had to be ended.
fn wait(mut child: Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begin.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The second process. It does nothing unless the hunt starts it. The harness has begun a line before, hence the line breaks.
#[test]
#[ignore = "started by the hunt for mutants"]
fn second_process() {
    let Ok(task) = std::env::var(TASK) else { return };
    std::panic::set_hook(Box::new(|_| {}));
    for text in task.lines() {
        let check = Check::parse(text).unwrap_or_else(|why| {
            println!("\n{FAILED}{text}: {why}");
            std::process::exit(2)
        });
        if let Err(failure) = check.run() {
            println!("\n{FAILED}{text}: {}", failure.to_string().lines().next().unwrap_or_default());
            return;
        }
    }
    println!("\n{}", if mutation::was_reached() { PASSED } else { NOT_REACHED });
}
