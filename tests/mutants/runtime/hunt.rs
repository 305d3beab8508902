//! The hunt for mutants of the runtime: a process for each, which ends by itself or is killed.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use stm_runtime::__private::mutation;

use super::Mutant;
use super::check::Check;
use crate::once::Once;
use crate::score::{Caught, Hunted};

/// The variable with the checks of the second process, one per line.
const TASK: &str = "STM_TEST_TASK";
/// The variable with the name of the mutant that a process runs.
const MUTANT: &str = "STM_MUTANT";
/// The time after which a process hangs, for each of its checks: batches have their own time limit, and a check has few
/// batches.
const HANGS_AFTER: Duration = Duration::from_secs(120);

/// The start of a line of the second process that names the failed check and the reason.
const FAILED: &str = "mutant: failed: ";
/// The output of the second process if all checks passed and a location of the mutant was evaluated.
const PASSED: &str = "mutant: all passed";
/// Its output if all checks passed and no location of the mutant was evaluated.
const NOT_REACHED: &str = "mutant: all passed, and its place was not reached";

/// The results of the correct runtime in the checks that caught mutants.
static GOOD: Once<String, Hunted> = Once::new();

/// Runs a mutant until it is caught. The correct runtime must pass the same check.
pub(crate) fn hunt(mutant: &Mutant) -> Hunted {
    let Some(caught) = outcome(Some(mutant.name), mutant.caught_by)? else { return Ok(None) };
    for by in caught.by.lines() {
        match GOOD.get(by.to_owned(), || outcome(None, &[by])) {
            Ok(None) => {}
            Ok(Some(Caught { failure: why, .. })) | Err(why) => {
                return Err(format!("the good runtime fails {by}: {why}"));
            }
        }
    }
    Ok(Some(caught))
}

/// Runs the checks in a separate process until one fails.
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
    command.env(TASK, checks.join("\n")).env_remove(MUTANT);
    if let Some(mutant) = mutant {
        command.env(MUTANT, mutant);
    }
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(Stdio::null()).spawn()
}

/// Waits for the process; returns `None` if it reached the limit and was killed.
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

/// Runs the checks of the second process; returns `None` if the hunt did not start this process.
pub(crate) fn second_process() -> Option<ExitCode> {
    let task = std::env::var(TASK).ok()?;
    std::panic::set_hook(Box::new(|_| {}));
    for text in task.lines() {
        let check = match Check::parse(text) {
            Ok(check) => check,
            Err(why) => {
                println!("{FAILED}{text}: {why}");
                return Some(ExitCode::from(2));
            }
        };
        if let Err(failure) = check.run() {
            println!("{FAILED}{text}: {}", failure.to_string().lines().next().unwrap_or_default());
            return Some(ExitCode::SUCCESS);
        }
    }
    println!("{}", if mutation::was_reached() { PASSED } else { NOT_REACHED });
    Some(ExitCode::SUCCESS)
}
