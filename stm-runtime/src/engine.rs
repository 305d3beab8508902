//! The choice of a concurrency control.

use std::fmt;
use std::str::FromStr;

use kernels_gen::device::engines::{self, EngineSpec};

use crate::error::Error;

/// One concurrency-control algorithm of the device, by name: `"priority".parse::<Engine>()`.
///
/// On CPU threads there is one algorithm, whatever engine is asked for; `serial` runs one transaction at a time there too.
/// The report says which one ran.
#[derive(Clone, Copy)]
pub struct Engine(&'static EngineSpec);

impl Engine {
    /// The engine that is used unless another is asked for: the first of the table.
    pub const PRIORITY: Engine = Engine(engines::ENGINES[0]);

    /// Every engine, the default first.
    pub fn all() -> impl ExactSizeIterator<Item = Engine> {
        engines::ENGINES.iter().map(|spec| Engine(spec))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in a sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// An engine that is not in the table, to try one out or to break one on purpose.
    #[doc(hidden)]
    #[must_use]
    pub fn from_spec(spec: &'static EngineSpec) -> Engine {
        Engine(spec)
    }

    /// The row of the engine table.
    #[doc(hidden)]
    #[must_use]
    pub fn spec(self) -> &'static EngineSpec {
        self.0
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::PRIORITY
    }
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(name: &str) -> Result<Engine, Error> {
        engines::find(name).map(Engine).ok_or_else(|| Error::UnknownEngine {
            name: name.to_owned(),
            known: Engine::all().map(Engine::name).collect::<Vec<_>>().join(", "),
        })
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Engine").field(&self.0.name).finish()
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Engine) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Engine {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for engine in Engine::all() {
            assert_eq!(engine.name().parse::<Engine>().unwrap(), engine);
        }
    }

    #[test]
    fn the_default_has_its_name() {
        assert_eq!(Engine::PRIORITY.to_string(), "priority");
        assert_eq!(Engine::default(), Engine::PRIORITY);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = "quick".parse::<Engine>().unwrap_err().to_string();
        assert!(message.contains("`quick`") && message.contains(Engine::default().name()), "{message}");
    }
}
