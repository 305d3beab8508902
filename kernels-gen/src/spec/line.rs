//! The lines that transactions print. A device writes down the words of the values alone; the host formats them.

use std::fmt::{self, Formatter};
use std::hash::{Hash, Hasher};

use super::Type;

/// A `gpu_println!` of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its location in [`ProcedureSpec::locations`](super::ProcedureSpec::locations), by which the device names it.
    pub location: u32,
    /// What it prints, in order, before the end of the line.
    pub parts: Vec<LinePart>,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum LinePart {
    /// As it stands.
    Text(String),
    /// A value.
    Value {
        /// Its type.
        ty: Type,
        /// Prints it as `{:?}`, and not as `{}`.
        debug: bool,
    },
}

impl Line {
    /// How many words the device writes down for it: one for each component of each value.
    #[must_use]
    pub fn words(&self) -> usize {
        let words = |part: &LinePart| match part {
            LinePart::Text(_) => 0,
            LinePart::Value { ty, .. } => ty.components(),
        };
        self.parts.iter().map(words).sum()
    }
}

/// Formats the value whose components have these words.
pub type Format = fn(&[u64], &mut Formatter<'_>) -> fmt::Result;

/// How the user's program formats values of a type. It is no part of what the type is: two types do not differ by it, since
/// one function can have several addresses.
#[derive(Clone, Copy)]
pub struct Formats {
    /// Its `Debug`; `None` for a type that has none, or that rustc never saw.
    pub debug: Option<Format>,
    /// Its `Display`.
    pub display: Option<Format>,
}

impl Formats {
    /// No way of its own.
    pub const NONE: Formats = Formats { debug: None, display: None };
}

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Formats {{ debug: {}, display: {} }}", self.debug.is_some(), self.display.is_some())
    }
}

impl PartialEq for Formats {
    fn eq(&self, _: &Formats) -> bool {
        true
    }
}

impl Eq for Formats {}

impl Hash for Formats {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
