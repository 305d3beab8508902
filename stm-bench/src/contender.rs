//! What a cell is measured under.

use std::fmt;
use std::str::FromStr;

use stm_runtime::tuning::Methods;
use stm_runtime::{Engine, Error, Order, RunOptions, Selection};

/// The names of the plan, and of the plan in push order.
const PLAN: &str = "plan";
const PUSHED: &str = "pushed";

/// An engine by name, or the plan, which chooses for each batch, for any order or for push order: among all methods or some,
/// `plan(readers-at-rest,priority)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    Plan(Methods),
    Pushed(Methods),
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
            Contender::Plan(methods) => RunOptions::new().engine(methods),
            Contender::Pushed(methods) => RunOptions::new().engine(methods).order(Order::Pushed),
            Contender::Engine(engine) => RunOptions::new().engine(engine),
        }
    }
}

/// Returns the methods of a plan with that name.
fn methods(name: &str, text: &str) -> Option<Result<Methods, Error>> {
    let rest = text.strip_prefix(name)?.trim();
    (rest.is_empty() || rest.starts_with('(')).then(|| {
        let plan: Selection = format!("{PLAN}{rest}").parse()?;
        Ok(plan.methods().unwrap_or_default())
    })
}

impl FromStr for Contender {
    type Err = Error;

    fn from_str(text: &str) -> Result<Contender, Error> {
        let text = text.trim();
        if let Some(methods) = methods(PLAN, text) {
            return methods.map(Contender::Plan);
        }
        if let Some(methods) = methods(PUSHED, text) {
            return methods.map(Contender::Pushed);
        }
        match text.parse() {
            Err(Error::UnknownEngine { name, known }) => {
                Err(Error::UnknownEngine { name, known: format!("{PLAN}, {PUSHED}, {known}") })
            }
            parsed => parsed.map(Contender::Engine),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = |f: &mut fmt::Formatter<'_>, name: &str, methods: Methods| match methods {
            Methods::ALL => f.pad(name),
            some => f.pad(&format!("{name}({some})")),
        };
        match self {
            Contender::Plan(methods) => plan(f, PLAN, *methods),
            Contender::Pushed(methods) => plan(f, PUSHED, *methods),
            Contender::Engine(engine) => engine.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let some = "readers-at-rest,serial".parse().unwrap();
        let plans = [Methods::ALL, some].map(|methods| [Contender::Plan(methods), Contender::Pushed(methods)]);
        for contender in plans.into_iter().flatten().chain(Contender::all_engines()) {
            assert_eq!(contender.to_string().parse::<Contender>().unwrap(), contender);
        }
        assert_eq!(Contender::Plan(some).to_string(), "plan(readers-at-rest,serial)");
        for wrong in ["planned", "plan(", "plan()", "plan(in-order)", "pushed(jvstm)"] {
            assert!(wrong.parse::<Contender>().is_err(), "{wrong}");
        }
    }
}
