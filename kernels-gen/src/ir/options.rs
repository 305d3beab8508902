//! The options of the attribute.

use serde::{Deserialize, Serialize};

/// The options of the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// `max_accesses = N`.
    pub max_accesses: Option<u32>,
    /// `max_accesses = NAME`: the constant, by its number in [`crate::spec::Source::constants`]. Once it is resolved, its value is in
    /// `max_accesses`.
    pub max_accesses_constant: Option<u32>,
    /// `overflow = ".."`.
    pub overflow: Overflow,
    /// `max_iterations = N`.
    pub max_iterations: Option<u32>,
}

/// The effect of integer overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Overflow {
    /// A fault in debug builds of the user's crate, wrapping otherwise, as in rustc.
    #[default]
    AsBuilt,
    /// Always a fault.
    Check,
    /// Always wraps.
    Wrap,
}

impl Overflow {
    /// Returns what it is in a crate with this value of `cfg!(debug_assertions)`: a fault, or wrapping.
    #[must_use]
    pub const fn in_build(self, debug: bool) -> Overflow {
        match (self, debug) {
            (Overflow::AsBuilt, true) => Overflow::Check,
            (Overflow::AsBuilt, false) => Overflow::Wrap,
            (stated, _) => stated,
        }
    }
}
