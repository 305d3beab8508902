//! The steps of a chain with their variables, and a chain that gives one element at a time.

use proc_macro2::Ident;

use super::closure::Closure;
use super::window::Window;

/// A step with its variables.
pub(super) enum Ready {
    Map(Closure),
    Filter(Closure),
    FilterMap(Closure),
    FlatMap(Closure),
    Flatten,
    Inspect(Closure),
    TakeWhile(Closure),
    MapWhile(Closure),
    /// The state, and the closure.
    Scan(Ident, Closure),
    /// The variable says whether elements are still skipped.
    SkipWhile(Closure, Ident),
    /// The next number.
    Enumerate(Ident),
    Zip(Box<Pulled>),
    /// How many elements are still taken.
    Take(Ident),
    /// How many elements are still skipped.
    Skip(Ident),
    /// The distance, and how many elements come before the next one.
    StepBy(Ident, Ident),
}

/// Where the elements come from, and the steps that lead each to the end.
pub(super) struct Pulled {
    pub(super) from: Elements,
    pub(super) steps: Vec<Ready>,
}

pub(super) enum Elements {
    /// Positions, how many there are and the number of the next one, and whether they begin again after the last one.
    Array(Window, (Ident, Ident), bool),
    /// The next value of a range, its end, and of one with `..=` whether there is one more.
    Range(Ident, Option<Ident>, Option<Ident>),
    /// The same from its end on: the start, the end of what is left, and of one with `..=` whether there is one more.
    Reversed(Ident, Ident, Option<Ident>),
    /// One after the other. The variable says whether elements of the first may be left.
    Both(Box<Pulled>, Box<Pulled>, Ident),
}

impl Pulled {
    /// Returns whether the user can change its elements.
    pub(super) fn gives_place(&self) -> bool {
        let mapped = self.steps.iter().any(|step| matches!(step, Ready::Map(_)));
        !mapped && matches!(&self.from, Elements::Array(window, ..) if window.item.has_place())
    }
}
