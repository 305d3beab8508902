//! What the user's program implements for its types.

use std::fmt::{self, Formatter};
use std::hash::{Hash, Hasher};

/// Formats the value whose components have these words.
pub type Format = fn(&[u64], &mut Formatter<'_>) -> fmt::Result;

/// Returns the words of the default value; gets their number.
pub type DefaultOf = fn(usize) -> Vec<u64>;

/// How the user's program formats values of a type, and their default. Comparisons of types ignore it, since one function can have
/// several addresses.
#[derive(Clone, Copy)]
pub struct Formats {
    /// Its `Debug`; `None` for a type without one, or one that rustc never saw.
    pub debug: Option<Format>,
    /// Its `Display`.
    pub display: Option<Format>,
    /// Its `Default`.
    pub default: Option<DefaultOf>,
}

impl Formats {
    /// No formats and no default.
    pub const NONE: Formats = Formats { debug: None, display: None, default: None };
}

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Formats")
            .field("debug", &self.debug.is_some())
            .field("display", &self.display.is_some())
            .field("default", &self.default.is_some())
            .finish()
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
