//! Programs that restart themselves with a sanitizer, which must be in a process from its start. Each test of such a program is a
//! process with a task.

use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use crate::harness::{self, Trial};

/// The variable that gives the second process its task.
const TASK: &str = "STM_TEST_WATCHED";
/// How often the sanitizer may fail to start.
const STARTS: u32 = 5;
/// The task of a process that does nothing: it shows whether the sanitizer runs here.
const NOTHING: &str = "nothing";

/// A sanitizer for the second process. It would also observe the threads of the test runner, which are not compiled for it, so
/// the second process has no test runner.
pub struct Restarted {
    /// The sanitizer's name.
    pub name: &'static str,
    /// The file name of its library.
    pub library: &'static str,
    /// Its options, as variable and value.
    pub environment: &'static [(&'static str, &'static str)],
    /// Runs a task in the second process.
    pub second: fn(&str) -> Result<(), String>,
}

/// A test: its name, the task of its process, and a check of how the process ended.
pub type Task = (String, String, Box<dyn Fn(&Output) -> Result<(), String> + Send>);

impl Restarted {
    /// Runs the tests, or the task in the second process: the program's `main`.
    #[must_use]
    pub fn main(&'static self, tasks: Vec<Task>) -> ExitCode {
        match std::env::var(TASK) {
            Ok(task) if task == NOTHING => ExitCode::SUCCESS,
            Ok(task) => match (self.second)(&task) {
                Ok(()) => ExitCode::SUCCESS,
                Err(text) => {
                    eprintln!("{text}");
                    ExitCode::FAILURE
                }
            },
            Err(_) => harness::run(std::env::args().skip(1), self.trials(tasks)),
        }
    }

    fn trials(&'static self, tasks: Vec<Task>) -> Vec<Trial> {
        let library = match self.sanitizer() {
            Ok(library) => Arc::new(library),
            Err(why) => return vec![harness::cannot_run("every_scenario", self.name, why)],
        };
        let trial = |(name, task, verify): Task| {
            let library = library.clone();
            Trial::test(name, move || Ok(verify(&self.run(&library, &task)?)?))
        };
        tasks.into_iter().map(trial).collect()
    }

    /// Returns the sanitizer's library, where the compiler of the emulator has one that runs here.
    fn sanitizer(&self) -> Result<String, String> {
        let compiler = std::env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
        let output = Command::new(compiler).arg(format!("-print-file-name={}", self.library)).output();
        let output = output.map_err(|why| format!("there is no C++ compiler ({why})"))?;
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if !Path::new(&path).is_absolute() {
            return Err(format!("the C++ compiler has no {} (Debian, Ubuntu: apt install g++)", self.library));
        }
        // The sanitizer exits before our code runs if the memory layout is not what it expects.
        let output = self.run(&path, NOTHING)?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = text.lines().next().unwrap_or("it said nothing");
        if output.status.success() { Ok(path) } else { Err(format!("it does not run here: {said}")) }
    }

    /// Runs a task in a second process. With randomized addresses, a sanitizer sometimes finds its own address range in use and
    /// exits before our code runs; then the process is started again.
    fn run(&self, library: &str, task: &str) -> Result<Output, String> {
        let mut output = self.run_once(library, task)?;
        for _ in 1..STARTS {
            let text = String::from_utf8_lossy(&output.stderr);
            if !text.contains("Sanitizer failed to allocate") && !text.contains("Shadow memory range interleaves") {
                break;
            }
            output = self.run_once(library, task)?;
        }
        Ok(output)
    }

    fn run_once(&self, library: &str, task: &str) -> Result<Output, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        Command::new(program)
            .env(TASK, task)
            .env("LD_PRELOAD", library)
            .envs(self.environment.iter().copied())
            .output()
            .map_err(|error| error.to_string())
    }
}

/// Accepts a process that succeeded and whose sanitizer printed none of these words.
///
/// # Errors
/// The process failed, or the sanitizer complained.
pub fn is_clean(output: &Output, complaints: &[&str]) -> Result<(), String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let is_clean = output.status.success() && !complaints.iter().any(|complaint| text.contains(complaint));
    if is_clean { Ok(()) } else { Err(format!("it is not clean: {}\n{text}", output.status)) }
}
