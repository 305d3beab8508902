//! A process that runs sequences one after the other. It prints the number of each sequence before it begins, so that its parent
//! process knows the last one, however the process ended.

use std::io::Write;
use std::process::ExitCode;

use crate::log::Log;
use crate::options::Options;
use crate::sequence::{Sequence, quiet_planned_panics};
use crate::world::Counts;

/// The line that a child prints before the number of a sequence.
pub(crate) const BEGINS: &str = "begins";
/// The word that it prints before its counts, after each sequence.
pub(crate) const COUNTS: &str = "counts";

impl Counts {
    /// Returns the counts as numbers, in the order that [`Counts::add`] reads.
    fn text(self) -> String {
        let Counts { calls, pushes, runs, explained, errors } = self;
        format!("{COUNTS} {calls} {pushes} {runs} {explained} {errors}")
    }

    /// Adds the numbers of a line that a child has printed.
    pub(crate) fn add(&mut self, line: &str) {
        let mut numbers = line.split(' ').skip(1).map(|number| number.parse::<u64>().unwrap_or(0));
        let mine = [&mut self.calls, &mut self.pushes, &mut self.runs, &mut self.explained, &mut self.errors];
        mine.into_iter().for_each(|sum| *sum += numbers.next().unwrap_or(0));
    }
}

/// Runs consecutive sequences from the first one. Ends at the first finding.
pub(crate) fn run(options: &Options) -> ExitCode {
    quiet_planned_panics();
    let log = Log::watched(false, options.patience);
    for number in options.first..options.first.saturating_add(options.sequences) {
        println!("{BEGINS} {number}");
        let _ = std::io::stdout().flush();
        match Sequence::new(options, number).run(None, &log) {
            Ok(counts) => println!("{}", counts.text()),
            Err(text) => {
                eprintln!("{text}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Runs one sequence, or some of its steps, and prints every call before it is made.
pub(crate) fn one(options: &Options, number: u64) -> ExitCode {
    quiet_planned_panics();
    let log = Log::watched(true, options.patience);
    let sequence = Sequence::new(options, number);
    println!("sequence {number} of seed {}, {} steps", options.seed, sequence.steps.len());
    match sequence.run(options.steps.as_deref(), &log) {
        Ok(counts) => {
            println!("nothing wrong: {counts:?}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            println!("{}", text.lines().skip_while(|line| !is_verdict(line)).collect::<Vec<_>>().join("\n"));
            ExitCode::FAILURE
        }
    }
}

fn is_verdict(line: &str) -> bool {
    line.starts_with("WRONG: ") || line.starts_with("PANIC: ")
}
