//! Numbers for the parts of a function.

use serde::{Deserialize, Serialize};

/// A variable: a parameter, a `let`, or a temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VarId(pub u32);

/// An array parameter, by its index among all parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArrayId(pub u32);

/// An entry of a function's `locations`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocationId(pub u32);

/// A loop or labelled block, numbered in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoopId(pub u32);

/// An entry of a function's `positions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PositionId(pub u32);

impl VarId {
    /// Returns the variable as the text form shows it.
    pub(crate) fn show(self, name: Option<&str>) -> String {
        match name {
            Some(name) => format!("{name}.{}", self.0),
            None => format!("%{}", self.0),
        }
    }
}
