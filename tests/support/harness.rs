//! The test runner of the programs whose tests are data: it lists, filters and runs them as `cargo test` does with `#[test]`s.

use std::process::ExitCode;

use libtest_mimic::Arguments;
pub use libtest_mimic::{Completion, Failed, Trial};

use crate::skip::skipped;

/// Options of the runner that take a value.
const WITH_VALUE: [&str; 6] = ["--skip", "--test-threads", "--format", "--color", "--logfile", "-Z"];

/// Runs the tests that the command line chooses: all of them, or those whose names contain one of its words.
pub fn run(arguments: impl IntoIterator<Item = String>, trials: Vec<Trial>) -> ExitCode {
    let (options, words) = split(arguments);
    let options = Arguments::from_iter(options);
    let is_chosen = |name: &str, word: &String| if options.exact { name == word } else { name.contains(word.as_str()) };
    let chosen = |trial: &Trial| words.is_empty() || words.iter().any(|word| is_chosen(trial.name(), word));
    libtest_mimic::run(&options, trials.into_iter().filter(chosen).collect()).exit_code()
}

/// Splits a command line into options with their values, after a name for the program, and words. The runner takes one word;
/// `cargo test` takes several.
fn split(arguments: impl IntoIterator<Item = String>) -> (Vec<String>, Vec<String>) {
    let (mut options, mut words) = (vec!["test".to_owned()], Vec::new());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let is_followed = WITH_VALUE.contains(&argument.as_str());
        if argument.starts_with('-') {
            options.push(argument)
        } else {
            words.push(argument)
        }
        if is_followed {
            options.extend(arguments.next());
        }
    }
    (options, words)
}

/// Returns a test that passes if the function returns, and fails if it panics.
pub fn test(name: impl Into<String>, run: fn()) -> Trial {
    Trial::test(name, move || {
        run();
        Ok(())
    })
}

/// Returns a test that this machine cannot run. The runner shows it as ignored, with the reason.
pub fn cannot_run(name: impl Into<String>, what: impl Into<String>, why: impl Into<String>) -> Trial {
    let (what, why) = (what.into(), why.into());
    Trial::ignorable_test(name, move || Ok(ignored(&what, &why)))
}

/// Returns the result of a test that this machine cannot run, with the reason.
pub fn ignored(what: &str, why: &str) -> Completion {
    skipped(what, why);
    Completion::ignored_with(why)
}

/// Turns words into a part of a test's name.
pub fn name_of(words: &str) -> String {
    words.replace(|c: char| !c.is_alphanumeric(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_options_are_no_words() {
        let line = ["one", "--test-threads", "2", "--exact", "two", "--skip=x", "--format", "terse"];
        let (options, words) = split(line.map(str::to_owned));
        assert_eq!(words, ["one", "two"]);
        assert_eq!(options, ["test", "--test-threads", "2", "--exact", "--skip=x", "--format", "terse"]);
    }
}
