//! The command line.

use std::time::Duration;

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// Programs that are made up at run time, which rustc does not see; none of them in the short form.
    pub(crate) programs: usize,
    pub(crate) seed: u64,
    /// The first module of them.
    pub(crate) first: u64,
    /// Calls of each program.
    pub(crate) calls: usize,
    /// Programs in one batch.
    pub(crate) together: usize,
    /// The device, as users name it; all that there are if it is not given.
    pub(crate) device: Option<String>,
    /// Batches that are compiled side by side.
    pub(crate) threads: usize,
    /// No new batch after this.
    pub(crate) limit: Option<Duration>,
    /// Each call in a table of its own, and its name before it runs: to find what never ends.
    pub(crate) each: bool,
    /// Prints this module and ends.
    pub(crate) show: Option<u64>,
    /// What is left for the test runner: names of tests, and its own options.
    pub(crate) rest: Vec<String>,
}

const USAGE: &str = "\
meaning [--programs N] [--seed S] [--first MODULE] [--calls N] [--together N] [--threads N] [--seconds N] [--each] [--show MODULE]
Without --programs: the programs that rustc compiled with the test, on CPU threads, in the emulator and on a GPU. Words choose\nbatches by the names of their tests, and options of the test runner are its own.
With it: so many new ones, on the device of STM_TEST_DEVICE (emulator, cuda:0), against the interpreter.";

impl Options {
    pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            programs: 0,
            seed: 1,
            first: 0,
            calls: 4,
            together: 24,
            device: std::env::var("STM_TEST_DEVICE").ok(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limit: None,
            each: false,
            show: None,
            rest: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let text = arguments.next().unwrap_or_default();
                text.parse::<u64>().map_err(|_| format!("`{argument}` is followed by a number, not `{text}`\n{USAGE}"))
            };
            match argument.as_str() {
                "--programs" => options.programs = number()? as usize,
                "--seed" => options.seed = number()?,
                "--first" => options.first = number()?,
                "--calls" => options.calls = number()? as usize,
                "--together" => options.together = number()?.max(1) as usize,
                "--threads" => options.threads = number()?.max(1) as usize,
                "--seconds" => options.limit = Some(Duration::from_secs(number()?)),
                "--each" => options.each = true,
                "--show" => options.show = Some(number()?),
                "--help" | "-h" => return Err(USAGE.to_owned()),
                _ => options.rest.push(argument),
            }
        }
        Ok(options)
    }
}
