//! The stages of a unit before the execution, and what they visit.

use super::changes;
use super::stage::{Stage, Visited, Work};
use super::unit::UnitSpec;

impl UnitSpec<'_> {
    /// Returns the stages of this unit before the execution.
    pub fn stages(&self) -> impl Iterator<Item = &'static Stage> {
        let is_visited = |visited| (0..self.procedures.len()).any(|index| self.is_visited(visited, index));
        self.engine.row().stages.iter().filter(move |stage| match stage.work {
            Work::Execute => false,
            Work::Visit(visited, _) => is_visited(visited),
            Work::Settle(_) => !self.summed().is_empty(),
        })
    }

    /// Returns the arrays, by their indices, whose elements transactions of [`Visited::AnyOrder`] change by sums.
    #[must_use]
    pub fn summed(&self) -> Vec<usize> {
        if self.engine.asks_changes { changes::summed(self) } else { Vec::new() }
    }

    /// Returns whether a stage visits the transactions of the procedure with that index.
    pub(super) fn is_visited(&self, visited: Visited, procedure: usize) -> bool {
        visited.may_contain(self.procedures[procedure])
            && (visited != Visited::AnyOrder || changes::commutes(self, procedure))
    }
}
