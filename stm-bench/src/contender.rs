//! What a cell is measured under.

use std::fmt;
use std::str::FromStr;

use stm_runtime::{Engine, Error, Order, RunOptions, Selection};

/// The names of the plan, and of the plan in push order.
const PLAN: &str = "plan";
const PUSHED: &str = "pushed";

/// An engine by name, or the plan, which chooses for each batch, for any order or for push order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    Plan,
    Pushed,
    Engine(Engine),
}

impl Contender {
    /// Returns all engines.
    pub(crate) fn all_engines() -> Vec<Contender> {
        Engine::ALL.iter().copied().map(Contender::Engine).collect()
    }

    /// Returns the options of its runs.
    pub(crate) fn options(self) -> RunOptions {
        match self {
            Contender::Plan => RunOptions::new().engine(Selection::plan()),
            Contender::Pushed => RunOptions::new().engine(Selection::plan()).order(Order::Pushed),
            Contender::Engine(engine) => RunOptions::new().engine(engine),
        }
    }
}

impl FromStr for Contender {
    type Err = Error;

    fn from_str(text: &str) -> Result<Contender, Error> {
        match text.trim() {
            PLAN => Ok(Contender::Plan),
            PUSHED => Ok(Contender::Pushed),
            engine => match engine.parse() {
                Err(Error::UnknownEngine { name, known }) => {
                    Err(Error::UnknownEngine { name, known: format!("{PLAN}, {PUSHED}, {known}") })
                }
                parsed => parsed.map(Contender::Engine),
            },
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::Plan => f.pad(PLAN),
            Contender::Pushed => f.pad(PUSHED),
            Contender::Engine(engine) => engine.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for contender in [Contender::Plan, Contender::Pushed].into_iter().chain(Contender::all_engines()) {
            assert_eq!(contender.to_string().parse::<Contender>().unwrap(), contender);
        }
        assert!("planned".parse::<Contender>().is_err());
    }
}
