//! What the attribute asked for.

use serde::{Deserialize, Serialize};

/// What the attribute asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// `max_accesses = N`.
    pub max_accesses: Option<u32>,
    /// `overflow = ".."`.
    pub overflow: Overflow,
    /// `max_iterations = N`.
    pub max_iterations: Option<u32>,
}

/// What integer overflow does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Overflow {
    /// A fault in debug builds of the user's crate, wrapping otherwise: what rustc does.
    #[default]
    AsBuilt,
    /// Always a fault.
    Check,
    /// Always wraps.
    Wrap,
}
