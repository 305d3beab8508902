//! How the user's program formats values.

use std::fmt::{self, Formatter};
use std::hash::{Hash, Hasher};

/// Formats the value whose components have these words.
pub type Format = fn(&[u64], &mut Formatter<'_>) -> fmt::Result;

/// How the user's program formats values of a type. Comparisons of types ignore it, since one function can have several addresses.
#[derive(Clone, Copy)]
pub struct Formats {
    /// Its `Debug`; `None` for a type without one, or one that rustc never saw.
    pub debug: Option<Format>,
    /// Its `Display`.
    pub display: Option<Format>,
}

impl Formats {
    /// No formats.
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
