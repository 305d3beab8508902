//! What a cell is measured under.

use std::fmt;
use std::str::FromStr;

use stm_runtime::{Engine, Error, Selection};

/// The name of the plan.
const PLAN: &str = "plan";

/// An engine by name, or the plan, which chooses for each batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    Plan,
    Engine(Engine),
}

impl Contender {
    /// Returns all engines.
    pub(crate) fn all_engines() -> Vec<Contender> {
        Engine::ALL.iter().copied().map(Contender::Engine).collect()
    }
}

impl From<Contender> for Selection {
    fn from(contender: Contender) -> Selection {
        match contender {
            Contender::Plan => Selection::plan(),
            Contender::Engine(engine) => engine.into(),
        }
    }
}

impl FromStr for Contender {
    type Err = Error;

    fn from_str(text: &str) -> Result<Contender, Error> {
        if text.trim() == PLAN { Ok(Contender::Plan) } else { text.parse().map(Contender::Engine) }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::Plan => f.pad(PLAN),
            Contender::Engine(engine) => engine.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for contender in [Contender::Plan].into_iter().chain(Contender::all_engines()) {
            assert_eq!(contender.to_string().parse::<Contender>().unwrap(), contender);
        }
        assert!("planned".parse::<Contender>().is_err());
    }
}
