//! How hunts end, and the table of it.

use std::fmt::Write as _;
use std::io::Write as _;

/// How a mutant was caught.
pub(crate) struct Caught {
    /// The scenario, and where it ran.
    pub(crate) by: String,
    /// What was wrong.
    pub(crate) failure: String,
}

/// How the hunt for a mutant ended: caught or not, or not possible.
pub(crate) type Hunted = Result<Option<Caught>, String>;

/// Prints the table and the score.
///
/// # Panics
/// A mutant survived, or could not be made.
pub(crate) fn print<'a>(what: &str, mutants: impl Iterator<Item = (&'a str, &'a str)>, results: &[Hunted]) {
    let mut out = format!("\n{:14} {:52} {:40} why\n", "in", "mutant", "caught by");
    let mut caught = 0;
    for ((place, name), result) in mutants.zip(results) {
        let _ = write!(out, "{place:14} {name:52} ");
        let _ = match result {
            Ok(Some(Caught { by, failure })) => {
                caught += 1;
                writeln!(out, "{:40} {:.90}", by.replace('\n', " "), failure.lines().next().unwrap_or_default())
            }
            Ok(None) => writeln!(out, "SURVIVED"),
            Err(why) => writeln!(out, "BROKEN   {why}"),
        };
    }
    let _ = writeln!(out, "mutation score of {what}: {caught} of {}", results.len());
    // Not `eprintln`, which a test harness captures: the score is to be seen.
    let _ = writeln!(std::io::stderr(), "{out}");
    assert_eq!(caught, results.len(), "mutants survived\n{out}");
}
