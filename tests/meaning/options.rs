//! The command line.

use std::time::Duration;

/// The options of the command line.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The number of programs that are generated at run time, without rustc; 0 in the short form.
    pub(crate) programs: usize,
    pub(crate) seed: u64,
    /// The number of their first module.
    pub(crate) first: u64,
    /// Calls of each program.
    pub(crate) calls: usize,
    /// Programs in one batch.
    pub(crate) together: usize,
    /// The device, as users name it; all available ones by default.
    pub(crate) device: Option<String>,
    /// The number of batches that are compiled in parallel.
    pub(crate) threads: usize,
    /// The time after which no new batch begins.
    pub(crate) limit: Option<Duration>,
    /// Whether each call is a batch of its own, whose name is printed before it runs: to find endless programs.
    pub(crate) each: bool,
    /// The module to print instead of a run.
    pub(crate) show: Option<u64>,
    /// Arguments for the test runner: names of tests, and its own options.
    pub(crate) rest: Vec<String>,
}

const USAGE: &str = "\
meaning [--programs N] [--seed S] [--first MODULE] [--calls N] [--together N] [--threads N] [--seconds N] [--each] [--show MODULE]
Without --programs: the programs that rustc compiled with the test, on CPU threads, in the emulator and on a GPU. Words choose\nbatches by the names of their tests, and options of the test runner are its own.
With it: that many new ones, on the device of STM_TEST_DEVICE (emulator, cuda:0), against the interpreter.";

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
