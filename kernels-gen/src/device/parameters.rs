//! What can be set in an engine: numbers of its algorithm that are constants of the unit.

/// The most parameters that a row can have.
const MOST: usize = 4;

/// A number of an engine's algorithm that a user may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// What the user types.
    pub name: &'static str,
    /// The constant of the engine's text that it sets.
    pub constant: &'static str,
    /// Its value where nobody says.
    pub default: u64,
    /// The least value.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// What it means, in a line.
    pub help: &'static str,
}

/// The values of a row's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings([u64; MOST]);

impl Settings {
    /// Returns the values that a row gives its parameters.
    pub(super) const fn of(parameters: &[Parameter]) -> Settings {
        let mut values = [0; MOST];
        let mut at = 0;
        while at < parameters.len() {
            values[at] = parameters[at].default;
            at += 1;
        }
        Settings(values)
    }

    /// The value of the parameter that stands there in its row.
    #[must_use]
    pub fn at(&self, place: usize) -> u64 {
        self.0[place]
    }

    /// Sets the parameter that stands there in its row.
    pub(super) fn set(&mut self, place: usize, value: u64) {
        self.0[place] = value;
    }
}
