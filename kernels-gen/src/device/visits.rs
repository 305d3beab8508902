//! The stages of a unit before the execution, and what they visit.

use super::changes;
use super::engine::Layout;
use super::foresight::{Calls, Foreseen, Listings};
use super::stage::{ROUTE, Stage, Visited, Work};
use super::unit::{ArraySpec, ArrayUse, UnitSpec};
use crate::spec::ProcedureSpec;

/// The bytes of the value of a cell.
const CELL_VALUE: u64 = 8;

impl UnitSpec<'_> {
    /// Returns the stages of this unit before the execution.
    pub fn stages(&self) -> impl Iterator<Item = &'static Stage> {
        let is_visited = |visited| (0..self.procedures.len()).any(|index| self.is_visited(visited, index));
        let route = self.routes().then_some(&ROUTE);
        route.into_iter().chain(self.engine.row().stages).filter(move |stage| match stage.work {
            Work::Execute => false,
            Work::Route(..) => true,
            Work::Once(Visited::Late, _) => is_visited(Visited::Late) && self.foreseen().listings.places[1] > 0,
            Work::Visit(visited, _) | Work::Once(visited, _) => is_visited(visited),
            Work::Rounds(visited, _) | Work::Turns(visited, _) => is_visited(visited),
            // Without sums nothing is left that could pass later.
            Work::Retry(..) | Work::Check(_) | Work::Settle(_) => !self.settled().is_empty(),
        })
    }

    /// Returns whether its transactions are listed by the devices of a cluster that have their elements.
    #[must_use]
    pub fn routes(&self) -> bool {
        let is_divided = self.cluster && !self.pushed && !self.engine.execution().waits;
        let is_known = |procedure: &&ProcedureSpec| Visited::KnownAddresses.may_contain(procedure);
        is_divided && !self.engine.execution().keeps_elements_in_blocks() && self.procedures.iter().any(is_known)
    }

    /// Returns the arrays, by their indices, whose elements a stage settles: those that transactions of [`Visited::AnyOrder`] change by
    /// sums, or those that foreseen ones may write.
    #[must_use]
    pub fn settled(&self) -> Vec<usize> {
        match self.engine.last_visited() {
            Some(Visited::AnyOrder) => changes::summed(self),
            Some(Visited::Foreseen) => self.foreseen().written.into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the same arrays in groups of those that share what the stages keep of their elements.
    #[must_use]
    pub fn settled_together(&self) -> Vec<Vec<usize>> {
        match self.engine.last_visited() {
            Some(Visited::Foreseen) => self.foreseen().groups().to_vec(),
            _ => self.settled().into_iter().map(|array| vec![array]).collect(),
        }
    }

    /// Returns the arrays, by their indices, that a stage may keep in the memory of a block, each with the bytes of an element there.
    #[must_use]
    pub fn kept(&self) -> Vec<(usize, u64)> {
        if !matches!(self.engine.takes_turns(), Some(Work::Turns(..))) {
            return Vec::new();
        }
        let bytes = |array: &ArraySpec| match array.layout {
            Layout::Cells => CELL_VALUE,
            Layout::Split => array.scalar.size() as u64,
        };
        let locked = self.arrays.iter().enumerate().filter(|(_, array)| array.is_locked());
        locked.map(|(id, array)| (id, bytes(array))).collect()
    }

    /// Returns what is known of its transactions before they run.
    #[must_use]
    pub fn foreseen(&self) -> Foreseen {
        Foreseen::of(&Calls {
            procedures: self.procedures.to_vec(),
            calls: self.specializations.iter().map(|of| (of.procedure, of.arrays.as_slice())).collect(),
            seen: self.arrays.iter().map(|array| array.used != ArrayUse::Constant).collect(),
            pushed: self.pushed,
        })
    }

    /// Returns what the stages list of transactions.
    #[must_use]
    pub fn listings(&self) -> Listings {
        match self.engine.last_visited() {
            Some(Visited::Foreseen) => self.foreseen().listings,
            Some(Visited::InTurn) => {
                let visited = (0..self.procedures.len()).filter(|index| self.is_visited(Visited::InTurn, *index));
                let declared = visited.map(|index| self.procedures[index].facts.slots.len() as u32);
                Listings { places: [declared.max().unwrap_or(1), 0], ..Listings::NOTHING }
            }
            _ => Listings::NOTHING,
        }
    }

    /// Returns whether a stage visits the transactions of the procedure with that index.
    pub(super) fn is_visited(&self, visited: Visited, procedure: usize) -> bool {
        let spec = self.procedures[procedure];
        if !visited.may_contain(spec) {
            return visited == Visited::Foreseen && self.pushed && Visited::ReadOnly.may_contain(spec);
        }
        // Most procedures need no look at the others.
        let is_simple = |spec: &&ProcedureSpec| spec.facts.flow.foresight.is_none_or(|known| known.accesses.is_empty());
        match visited {
            Visited::ReadOnly => !self.pushed,
            Visited::KnownAddresses | Visited::InTurn => true,
            Visited::AnyOrder => changes::commutes(self, procedure),
            Visited::Foreseen => is_simple(&spec) || self.foreseen().procedures[procedure].is_some(),
            Visited::Late if self.procedures.iter().all(is_simple) => false,
            Visited::Late => self.foreseen().procedures[procedure].as_ref().is_some_and(|known| known.is_late),
        }
    }
}
