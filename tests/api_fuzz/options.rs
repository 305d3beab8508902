//! The command line.

use std::time::Duration;

/// The options of the command line.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The seed of all sequences.
    pub(crate) seed: u64,
    /// The first sequence.
    pub(crate) first: u64,
    /// The number of sequences, where no time is given.
    pub(crate) sequences: u64,
    /// The time after which no new sequence begins.
    pub(crate) time: Option<Duration>,
    /// The number of parallel processes.
    pub(crate) jobs: usize,
    /// The time limit of one step.
    pub(crate) patience: Duration,
    /// One of this many sequences runs in the emulator; 0 for none.
    pub(crate) emulated: u64,
    /// Whether the emulator runs every engine rather than a few.
    pub(crate) all_engines: bool,
    /// Only this sequence, in this process; every call is printed before it is made.
    pub(crate) sequence: Option<u64>,
    /// Only these of its steps.
    pub(crate) steps: Option<Vec<usize>>,
    /// Whether the command line says which sequences to run, so that they are one run and not a list of tests.
    pub(crate) is_asked: bool,
    /// Arguments for the test runner: names of tests, and its own options.
    pub(crate) rest: Vec<String>,
    /// Whether another process started this one: it runs consecutive sequences from the first one and reports its progress.
    pub(crate) is_child: bool,
}

const USAGE: &str = "\
api_fuzz [--seconds N | --sequences N] [--seed S] [--first K] [--jobs N] [--patience SECONDS] [--emulated EVERY]
         [--all-engines]
api_fuzz --sequence K [--seed S] [--steps 0,4,7] [--all-engines]   one sequence, call by call
api_fuzz [NAME ..]   the usual sequences as tests, or those with these words in their names";

/// The default number of sequences: about a minute on two cores.
const SEQUENCES: u64 = 1200;
/// The default share of the emulator, where each batch is compiled and each thread is one of the host.
const EMULATED: u64 = 12;
const PATIENCE: Duration = Duration::from_secs(120);

impl Options {
    pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            seed: 1,
            first: 0,
            sequences: SEQUENCES,
            time: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            patience: PATIENCE,
            emulated: EMULATED,
            all_engines: false,
            sequence: None,
            steps: None,
            is_asked: false,
            rest: Vec::new(),
            is_child: false,
        };
        while let Some(argument) = arguments.next() {
            let mut text = || arguments.next().unwrap_or_default();
            let wrong = |text: &str| format!("`{argument}` is followed by a number, not `{text}`\n{USAGE}");
            let mut number = || {
                let text = text();
                text.parse::<u64>().map_err(|_| wrong(&text))
            };
            match argument.as_str() {
                "--seconds" => {
                    options.time = Some(Duration::from_secs(number()?));
                    options.sequences = u64::MAX;
                }
                "--sequences" => options.sequences = number()?,
                "--seed" => options.seed = number()?,
                "--first" => options.first = number()?,
                "--jobs" => options.jobs = number()?.max(1) as usize,
                "--patience" => options.patience = Duration::from_secs(number()?),
                "--emulated" => options.emulated = number()?,
                "--sequence" => options.sequence = Some(number()?),
                "--all-engines" => options.all_engines = true,
                "--child" => options.is_child = true,
                "--steps" => {
                    let text = text();
                    let steps: Result<Vec<usize>, _> = text.split(',').map(str::parse).collect();
                    options.steps = Some(steps.map_err(|_| wrong(&text))?);
                }
                "--help" | "-h" => return Err(USAGE.to_owned()),
                _ => {
                    options.rest.push(argument);
                    continue;
                }
            }
            options.is_asked = true;
        }
        Ok(options)
    }

    /// Returns the arguments by which another process does the same, apart from the choice of sequences.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--seed".to_owned(), self.seed.to_string()];
        arguments.extend(["--emulated".to_owned(), self.emulated.to_string()]);
        arguments.extend(["--patience".to_owned(), self.patience.as_secs().to_string()]);
        arguments.extend(self.all_engines.then(|| "--all-engines".to_owned()));
        arguments
    }
}
