//! Programs that start themselves again with a sanitizer, which has to be in a process from its start.

use std::path::Path;
use std::process::{Command, ExitCode, Output};

/// Tells the second process what to run.
const TASK: &str = "STM_TEST_WATCHED";
/// How often the sanitizer may fail to start.
const STARTS: u32 = 5;

/// A test that is a program of its own, because a test harness would be watched, too.
pub struct Restarted {
    /// Its only test.
    pub name: &'static str,
    /// The file name of the sanitizer's library.
    pub library: &'static str,
    /// The sanitizer's options, as variable and value.
    pub environment: &'static [(&'static str, &'static str)],
    /// What the first process does, which gets the path of the library, and runs tasks with [`Restarted::run`].
    pub first: fn(&Restarted, &str) -> Result<(), String>,
    /// What the second process does with its task.
    pub second: fn(&str) -> Result<(), String>,
}

impl Restarted {
    /// The test's `main`.
    #[must_use]
    pub fn main(&self) -> ExitCode {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let result = match std::env::var(TASK) {
            Ok(task) => (self.second)(&task),
            Err(_) if words.iter().any(|word| word == "--list") => {
                println!("{}: test", self.name);
                Ok(())
            }
            // Words choose tests by their names.
            Err(_) if words.iter().any(|word| !word.starts_with('-') && !self.name.contains(word.as_str())) => Ok(()),
            Err(_) => match self.sanitizer() {
                Some(library) => (self.first)(self, &library),
                None => {
                    let why = format!("the C++ compiler has no {} (Debian, Ubuntu: apt install g++)", self.library);
                    crate::skip::skipped(self.name, &why);
                    Ok(())
                }
            },
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(text) => {
                eprintln!("{text}");
                ExitCode::FAILURE
            }
        }
    }

    /// The sanitizer's library, where the compiler of the emulator has one.
    fn sanitizer(&self) -> Option<String> {
        let compiler = std::env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
        let output = Command::new(compiler).arg(format!("-print-file-name={}", self.library)).output().ok()?;
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Path::new(&path).is_absolute().then_some(path)
    }

    /// Runs a task in a second process. Where addresses are random, a sanitizer now and then finds its own place taken, and
    /// gives up before our code runs: then once more.
    ///
    /// # Errors
    /// This program cannot be started again.
    pub fn run(&self, library: &str, task: &str) -> Result<Output, String> {
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
