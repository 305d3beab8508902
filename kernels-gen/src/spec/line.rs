//! The lines that transactions print. A device records only the words of the values; the host formats them.

use super::how::How;
use super::ty::Type;

/// A `gpu_println!` of a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its location in [`ProcedureSpec::locations`](super::ProcedureSpec::locations), by which the device names it.
    pub location: u32,
    /// Its parts, in order, before the end of the line.
    pub parts: Vec<LinePart>,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum LinePart {
    /// Literal text.
    Text(String),
    /// A value.
    Value {
        /// Its type.
        ty: Type,
        /// How it is printed.
        how: How,
    },
}

impl Line {
    /// Returns the number of words that the device records for it: one for each component of each value.
    #[must_use]
    pub fn words(&self) -> usize {
        let words = |part: &LinePart| match part {
            LinePart::Text(_) => 0,
            LinePart::Value { ty, .. } => ty.components(),
        };
        self.parts.iter().map(words).sum()
    }
}
