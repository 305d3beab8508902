//! The traits that types of the user's program implement.

use std::cmp::Ordering;
use std::fmt::{self, Formatter};
use std::hash::{Hash, Hasher};

/// Formats the value whose components have these words.
pub type Format = fn(&[u64], &mut Formatter<'_>) -> fmt::Result;

/// Returns the words of the default value. The argument is their number.
pub type DefaultOf = fn(usize) -> Vec<u64>;

/// Compares the values whose components have these words.
pub type EqualOf = fn(&[u64], &[u64]) -> bool;

/// Returns the order of the values whose components have these words.
pub type OrderOf = fn(&[u64], &[u64]) -> Option<Ordering>;

/// The functions of the traits that a type implements. Comparisons of types ignore them, since one function can have several addresses.
#[derive(Clone, Copy)]
pub struct Traits {
    /// Its `Debug`; `None` for a type without one, or one that rustc never saw.
    pub debug: Option<Format>,
    /// Its `Display`.
    pub display: Option<Format>,
    /// Its `Default`.
    pub default: Option<DefaultOf>,
    /// Its `PartialEq`.
    pub equal: Option<EqualOf>,
    /// Its `PartialOrd`.
    pub order: Option<OrderOf>,
}

impl Traits {
    /// No traits.
    pub const NONE: Traits = Traits { debug: None, display: None, default: None, equal: None, order: None };
}

impl fmt::Debug for Traits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traits")
            .field("debug", &self.debug.is_some())
            .field("display", &self.display.is_some())
            .field("default", &self.default.is_some())
            .field("equal", &self.equal.is_some())
            .field("order", &self.order.is_some())
            .finish()
    }
}

impl PartialEq for Traits {
    fn eq(&self, _: &Traits) -> bool {
        true
    }
}

impl Eq for Traits {}

impl Hash for Traits {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
