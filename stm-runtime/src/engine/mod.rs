//! The tuning of a concurrency control.

mod parse;

use std::fmt;

use kernels_gen::device::{self, EngineSpec, Tuned, engines};

use crate::error::Error;

/// One concurrency-control algorithm of the device, with values for its parameters: `"priority".parse::<Engine>()`, or
/// `"jvstm(versions=16)"`.
///
/// On CPU threads there is one algorithm, whatever engine is asked for; `serial` runs one transaction at a time there too.
/// The report says which one ran.
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

/// A number of an engine's algorithm that can be set, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// What to write in front of `=`.
    pub name: &'static str,
    /// Its value where nobody says.
    pub default: u64,
    /// The least value.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// What it means, in a line.
    pub help: &'static str,
}

impl Engine {
    /// The engine that is used unless another is asked for: the first of the batch.
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

    /// With another value for a parameter.
    ///
    /// # Errors
    /// The engine has no such parameter, or the parameter cannot have that value.
    pub fn with(self, parameter: &str, value: u64) -> Result<Engine, Error> {
        self.set(parameter, &value.to_string())
    }

    /// Its name, without parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// What it is, in a sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.spec().summary
    }

    /// When its outcome can be wrong: an algorithm that is kept as its paper has it may have a gap. `None` for all others.
    #[must_use]
    pub fn caveat(self) -> Option<&'static str> {
        self.spec().caveat
    }

    /// What can be set, each with its present value.
    pub fn parameters(self) -> impl ExactSizeIterator<Item = (Parameter, u64)> {
        let all: Vec<_> = self.0.set().collect();
        all.into_iter().map(|(parameter, value)| (Parameter::of(parameter), value))
    }

    /// An engine that is not in the batch, to try one out or to break one on purpose.
    #[doc(hidden)]
    #[must_use]
    pub fn from_spec(spec: &'static EngineSpec) -> Engine {
        Engine(Tuned::new(spec))
    }

    /// The row of the engine table.
    #[doc(hidden)]
    #[must_use]
    pub fn spec(self) -> &'static EngineSpec {
        self.0.row()
    }

    /// This engine, and those that its row makes of it by values of parameters: what a test of all algorithms runs.
    #[doc(hidden)]
    pub fn with_variants(self) -> impl Iterator<Item = Engine> {
        self.0.with_variants().map(Engine)
    }

    /// The row, and what is set.
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

/// The name, and the parameters that are not as usual.
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
