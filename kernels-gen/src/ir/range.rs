//! The ranges of `for` loops.

use serde::{Deserialize, Serialize};

/// The range of a `for`. Its bounds are computed beforehand and do not change. `A` is the atom of the stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Range<A> {
    /// The first value, going up.
    pub start: A,
    /// The end.
    pub end: A,
    /// Whether the end belongs to the range.
    pub inclusive: bool,
    /// `.step_by(n)`, a `usize`; not 0, which is a fault before the loop.
    pub step: Option<A>,
    /// `.rev()`: the whole sequence backwards, steps included.
    pub reversed: bool,
}

impl<A> Range<A> {
    /// Returns the bounds and the step.
    pub fn atoms(&self) -> impl Iterator<Item = &A> {
        [&self.start, &self.end].into_iter().chain(&self.step)
    }

    /// Returns the range as the text form shows it.
    pub(crate) fn show(&self, atom: impl Fn(&A) -> String) -> String {
        let dots = if self.inclusive { "..=" } else { ".." };
        let step = self.step.as_ref().map(|step| format!(" step {}", atom(step))).unwrap_or_default();
        let backwards = if self.reversed { " reversed" } else { "" };
        format!("{}{dots}{}{step}{backwards}", atom(&self.start), atom(&self.end))
    }
}
