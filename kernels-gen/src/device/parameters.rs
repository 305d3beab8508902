//! Parameters of engines: numbers of an algorithm that are constants of the unit.

/// The most parameters that an engine can have.
const MOST: usize = 4;

/// A number of an engine's algorithm that a user may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name on the command line.
    pub name: &'static str,
    /// The constant of the engine's text that it sets.
    pub constant: &'static str,
    /// The default value.
    pub default: u64,
    /// The smallest value.
    pub least: u64,
    /// The largest value.
    pub most: u64,
    /// Its meaning, in a line.
    pub help: &'static str,
}

/// The values of an engine's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings([u64; MOST]);

impl Settings {
    /// Returns the default values of an engine's parameters.
    pub(super) const fn of(parameters: &[Parameter]) -> Settings {
        let mut values = [0; MOST];
        let mut at = 0;
        while at < parameters.len() {
            values[at] = parameters[at].default;
            at += 1;
        }
        Settings(values)
    }

    /// Returns the value of the parameter at that index.
    #[must_use]
    pub fn at(&self, place: usize) -> u64 {
        self.0[place]
    }

    /// Sets the parameter at that index.
    pub(super) fn set(&mut self, place: usize, value: u64) {
        self.0[place] = value;
    }
}
