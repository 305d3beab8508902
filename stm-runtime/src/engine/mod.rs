//! The engine: a concurrency control with values for its parameters.

mod parse;

use std::fmt;

use kernels_gen::device::{self, EngineSpec, Tuned, engines};

use crate::error::Error;

/// One concurrency-control algorithm of the device, with values for its parameters: `"priority".parse::<Engine>()`, or
/// `"jvstm(versions=16)"`.
///
/// CPU threads have one algorithm for all engines, except `serial`, which runs one transaction at a time there too. Where no engine is
/// chosen, [a plan](crate::Selection::plan) chooses between both. The report names what ran.
///
/// ```
/// # fn main() -> Result<(), stm_runtime::Error> {
/// use stm_runtime::Engine;
///
/// let engine = "jvstm".parse::<Engine>()?.with("versions", 16)?;
/// assert_eq!(engine.to_string(), "jvstm(versions=16)");
/// assert_eq!(engine, "jvstm( versions = 16 )".parse()?);
/// assert!(Engine::ALL.contains(&"jvstm".parse::<Engine>()?));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Engine(Tuned);

/// A named number that tunes an engine's algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The name to write before `=`.
    pub name: &'static str,
    /// The default value.
    pub default: u64,
    /// The smallest value.
    pub least: u64,
    /// The largest value.
    pub most: u64,
    /// Its meaning, in a line.
    pub help: &'static str,
}

impl Engine {
    /// The default engine: the first one in the list. A run whose user chose none uses it, or an engine that adds stages to it
    /// ([`Selection::plan`](crate::Selection::plan)).
    pub const PRIORITY: Engine = Engine::ALL[0];

    /// Every engine, the default first.
    pub const ALL: &'static [Engine] = &Engine::rows();

    const fn rows() -> [Engine; engines::ENGINES.len()] {
        let mut all = [Engine(Tuned::new(engines::ENGINES[0])); engines::ENGINES.len()];
        let mut at = 1;
        while at < all.len() {
            all[at] = Engine(Tuned::new(engines::ENGINES[at]));
            at += 1;
        }
        all
    }

    /// Returns the engine with another value for a parameter.
    ///
    /// # Errors
    /// The engine has no such parameter, or the parameter cannot have that value.
    pub fn with(self, parameter: &str, value: u64) -> Result<Engine, Error> {
        self.set(parameter, &value.to_string())
    }

    /// Returns its name, without parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns its description, in a sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.spec().summary
    }

    /// Returns when its outcome can be wrong: an algorithm that follows its paper exactly may have a gap. `None` for all others.
    #[must_use]
    pub fn caveat(self) -> Option<&'static str> {
        self.spec().caveat
    }

    /// Returns the parameters, each with its current value.
    pub fn parameters(self) -> impl ExactSizeIterator<Item = (Parameter, u64)> {
        let all: Vec<_> = self.0.set().collect();
        all.into_iter().map(|(parameter, value)| (Parameter::of(parameter), value))
    }

    /// Returns an engine that is not in the list, for experiments or for tests with a broken one.
    #[doc(hidden)]
    #[must_use]
    pub fn from_spec(spec: &'static EngineSpec) -> Engine {
        Engine(Tuned::new(spec))
    }

    /// Returns the engine's entry in the engine table.
    #[doc(hidden)]
    #[must_use]
    pub fn spec(self) -> &'static EngineSpec {
        self.0.row()
    }

    /// Returns this engine and its variants with other parameter values, for tests of all algorithms.
    #[doc(hidden)]
    pub fn with_variants(self) -> impl Iterator<Item = Engine> {
        self.0.with_variants().map(Engine)
    }

    /// Returns the entry and the parameter values.
    pub(crate) fn tuned(self) -> Tuned {
        self.0
    }
}

impl Parameter {
    fn of(parameter: &device::Parameter) -> Parameter {
        let device::Parameter { name, default, least, most, help, .. } = *parameter;
        Parameter { name, default, least, most, help }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parameter { name, default, least, most, help } = self;
        write!(f, "{name}={default} ({least} to {most}): {help}")
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::PRIORITY
    }
}

/// Writes the name, and the parameters that differ from their defaults.
impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Engine").field(&format_args!("{self}")).finish()
    }
}
