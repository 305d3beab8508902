//! The stages of a unit before the execution, and what they visit.

use std::collections::BTreeSet;

use super::changes;
use super::stage::{Stage, Visited, Work};
use super::unit::UnitSpec;

impl UnitSpec<'_> {
    /// Returns the stages of this unit before the execution.
    pub fn stages(&self) -> impl Iterator<Item = &'static Stage> {
        let is_visited = |visited| (0..self.procedures.len()).any(|index| self.is_visited(visited, index));
        self.engine.row().stages.iter().filter(move |stage| match stage.work {
            Work::Execute => false,
            Work::Visit(visited, _) | Work::Rounds(visited, _) | Work::Once(visited, _) => is_visited(visited),
            Work::Settle(_) => !self.settled().is_empty(),
        })
    }

    /// Returns the arrays, by their indices, whose elements a stage settles: those that transactions of [`Visited::AnyOrder`] change by
    /// sums, or those that foreseen ones may write.
    #[must_use]
    pub fn settled(&self) -> Vec<usize> {
        match self.engine.last_visited() {
            Some(Visited::AnyOrder) => changes::summed(self),
            Some(Visited::Foreseen) => self.written_as_foreseen(),
            _ => Vec::new(),
        }
    }

    fn written_as_foreseen(&self) -> Vec<usize> {
        let foreseen = self.specializations.iter().filter(|of| self.is_visited(Visited::Foreseen, of.procedure));
        let written = foreseen.flat_map(|of| self.procedures[of.procedure].seen_arrays().map(|nth| of.arrays[nth]));
        written.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns whether a stage visits the transactions of the procedure with that index.
    pub(super) fn is_visited(&self, visited: Visited, procedure: usize) -> bool {
        let spec = self.procedures[procedure];
        match visited {
            Visited::ReadOnly if self.pushed => false,
            Visited::Foreseen if self.pushed => visited.has_turns(spec) == Some(true),
            Visited::AnyOrder => visited.may_contain(spec) && changes::commutes(self, procedure),
            _ => visited.may_contain(spec),
        }
    }
}
