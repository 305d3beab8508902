//! Positions in the user's source.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::spec::LocationKind;

/// Line and column, both from 1. Line 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A source location that a report can name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationDecl {
    /// Its position.
    pub at: Position,
    /// Its kind.
    pub what: LocationKind,
    /// The source text, shortened, or the message of a panic.
    pub text: String,
}

impl Display for LocationDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {:?} `{}`", self.at.line, self.at.column, self.what, self.text)
    }
}
