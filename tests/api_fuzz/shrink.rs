//! Reduction of a sequence to the fewest steps that still fail.

use std::time::{Duration, Instant};

use crate::options::Options;
use crate::parent::{output, this_program};
use crate::sequence::Sequence;

/// The time limits of a search and of one attempt.
const LONGEST: Duration = Duration::from_secs(60);
const ATTEMPT: Duration = Duration::from_secs(20);

/// Describes a finding: the command that reproduces it, the shortest sequence that was found, and the output of the process.
pub(crate) fn explain(options: &Options, number: u64, said: &str) -> String {
    let all: Vec<usize> = (0..Sequence::new(options, number).steps.len()).collect();
    let short = shrink(options, number, all);
    let again = format!("--sequence {number} {}", options.arguments().join(" "));
    match short {
        None => format!("FINDING, not seen again when it was repeated: {again}\n{said}"),
        Some((steps, text)) => {
            let steps: Vec<String> = steps.iter().map(usize::to_string).collect();
            format!("FINDING: {again} --steps {}\n{text}", steps.join(","))
        }
    }
}

/// Leaves out steps, by halves first, as long as it still fails. Returns `None` if it does not fail again at all.
fn shrink(options: &Options, number: u64, all: Vec<usize>) -> Option<(Vec<usize>, String)> {
    let begin = Instant::now();
    let mut text = fails(options, number, &all)?;
    let mut steps = all;
    let mut chunk = steps.len().div_ceil(2);
    while chunk > 0 && begin.elapsed() < LONGEST {
        let mut from = 0;
        while from < steps.len() && begin.elapsed() < LONGEST {
            let fewer: Vec<usize> = [&steps[..from], &steps[(from + chunk).min(steps.len())..]].concat();
            match fails(options, number, &fewer).filter(|_| !fewer.is_empty()) {
                Some(said) => (steps, text) = (fewer, said),
                None => from += chunk,
            }
        }
        chunk /= 2;
    }
    Some((steps, text))
}

/// Returns the output if these steps fail.
fn fails(options: &Options, number: u64, steps: &[usize]) -> Option<String> {
    let steps: Vec<String> = steps.iter().map(usize::to_string).collect();
    let options = Options { patience: options.patience.min(ATTEMPT / 2), ..options.clone() };
    let mut command = this_program(&options);
    command.args(["--sequence", &number.to_string(), "--steps", &steps.join(",")]);
    let (succeeded, said) = output(&mut command, ATTEMPT);
    (!succeeded).then_some(said)
}
