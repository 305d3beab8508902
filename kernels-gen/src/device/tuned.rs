//! An engine with the parameter values that a user has set.

use std::fmt;
use std::ops::Deref;

use super::engine::{EngineConstant, EngineSpec, Variant};
use super::foresight::Listings;
use super::parameters::{Parameter, Settings};

/// An engine with values for its parameters. It dereferences to the engine's description.
#[derive(Debug, Clone, Copy)]
pub struct Tuned {
    row: &'static EngineSpec,
    /// The values, in the order of [`EngineSpec::parameters`].
    pub settings: Settings,
}

impl Tuned {
    /// Returns the engine with the default values of its parameters.
    ///
    /// # Panics
    /// The engine has more parameters than there is room for.
    #[must_use]
    pub const fn new(row: &'static EngineSpec) -> Tuned {
        Tuned { row, settings: Settings::of(row.parameters) }
    }

    /// Returns the engine's description.
    #[must_use]
    pub fn row(self) -> &'static EngineSpec {
        self.row
    }

    /// Returns the engine that this one adds stages to, or else itself. Both have the same locks.
    #[must_use]
    pub fn root(self) -> Tuned {
        match self.row.extends {
            Some(row) => Tuned { row, ..self }.root(),
            None => self,
        }
    }

    /// Returns the engine with another value for a parameter, which must be within its bounds.
    #[must_use]
    pub fn with(mut self, parameter: &Parameter, value: u64) -> Tuned {
        if let Some(place) = self.row.parameters.iter().position(|known| known == parameter) {
            self.settings.set(place, value.clamp(parameter.least, parameter.most));
        }
        self
    }

    /// Returns the parameters and their values.
    pub fn set(self) -> impl Iterator<Item = (&'static Parameter, u64)> {
        self.row.parameters.iter().enumerate().map(move |(place, parameter)| (parameter, self.settings.at(place)))
    }

    /// Returns the numbers that host and device share, by their names in the text. `footprint` is the largest of the unit's
    /// transactions with writes, and `listings` says what is listed of those that are foreseen.
    pub fn numbers(self, footprint: u32, listings: Listings) -> impl Iterator<Item = (&'static str, u64)> {
        let set = self.set().map(|(parameter, value)| (parameter.constant, value));
        let fixed = self.row.constants.iter().map(move |(name, constant)| match constant {
            EngineConstant::Is(value) => (*name, *value),
            EngineConstant::WrittenFootprint => (*name, u64::from(footprint)),
            EngineConstant::Places(listing) => (*name, u64::from(listings.places[*listing])),
            EngineConstant::Cells(listing) => (*name, u64::from(listings.cells[*listing])),
            EngineConstant::UnreadWrites => (*name, u64::from(listings.unread)),
        });
        fixed.chain(set)
    }

    /// Returns the engine with the values of one of its variants.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Tuned {
        variant.iter().fold(self, |engine, (name, value)| {
            let parameter = self.row.parameters.iter().find(|parameter| parameter.name == *name);
            parameter.map_or(engine, |parameter| engine.with(parameter, *value))
        })
    }

    /// Returns the engine and its variants.
    pub fn with_variants(self) -> impl Iterator<Item = Tuned> {
        std::iter::once(self).chain(self.row.variants.iter().map(move |variant| self.variant(variant)))
    }
}

impl From<&'static EngineSpec> for Tuned {
    fn from(row: &'static EngineSpec) -> Tuned {
        Tuned::new(row)
    }
}

impl Deref for Tuned {
    type Target = EngineSpec;

    fn deref(&self) -> &EngineSpec {
        self.row
    }
}

/// Prints the name, and the parameters that differ from their defaults.
impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unusual = self.set().filter(|(parameter, value)| parameter.default != *value);
        let unusual: Vec<String> = unusual.map(|(parameter, value)| format!("{}={value}", parameter.name)).collect();
        match unusual.as_slice() {
            [] => f.pad(self.name),
            _ => f.pad(&format!("{}({})", self.name, unusual.join(", "))),
        }
    }
}

impl PartialEq for Tuned {
    fn eq(&self, other: &Tuned) -> bool {
        self.row.name == other.row.name && self.settings == other.settings
    }
}

impl Eq for Tuned {}

#[cfg(test)]
mod tests;
