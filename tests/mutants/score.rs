//! The results of hunts, and their table.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use stm_tests::harness::{Trial, name_of};

/// A caught mutant.
#[derive(Debug, Clone)]
pub(crate) struct Caught {
    /// The scenario, and where it ran.
    pub(crate) by: String,
    /// The failure.
    pub(crate) failure: String,
}

/// The result of the hunt for a mutant: caught or not, or not possible.
pub(crate) type Hunted = Result<Option<Caught>, String>;

/// The mutants of one sort that were hunted: place and name of each, and the result.
pub(crate) struct Score {
    what: &'static str,
    hunted: Mutex<Vec<(String, String, Hunted)>>,
}

impl Score {
    /// Creates an empty score.
    pub(crate) fn new(what: &'static str) -> Arc<Score> {
        Arc::new(Score { what, hunted: Mutex::default() })
    }

    /// Returns the test that hunts a mutant. It is named after the mutant and its place.
    pub(crate) fn test(
        self: &Arc<Score>,
        place: &str,
        name: &str,
        hunt: impl FnOnce() -> Hunted + Send + 'static,
    ) -> Trial {
        let (score, place, name) = (self.clone(), place.to_owned(), name.to_owned());
        Trial::test(format!("{}::{}::{}", self.what, name_of(&place), name_of(&name)), move || {
            let hunted = hunt();
            let result = match &hunted {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err("the mutant survived".into()),
                Err(why) => Err(why.clone().into()),
            };
            score.hunted.lock().unwrap_or_else(PoisonError::into_inner).push((place, name, hunted));
            result
        })
    }

    /// Prints the table, if a mutant was hunted, and the score.
    pub(crate) fn print(&self) {
        let mut hunted = self.hunted.lock().unwrap_or_else(PoisonError::into_inner);
        hunted.sort_by(|(place, name, _), (other, than, _)| (place, name).cmp(&(other, than)));
        let (mut out, mut caught) = (format!("\n{:14} {:52} {:40} why\n", "in", "mutant", "caught by"), 0);
        for (place, name, result) in hunted.iter() {
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
        if !hunted.is_empty() {
            println!("{out}mutation score of {}: {caught} of {}", self.what, hunted.len());
        }
    }
}
