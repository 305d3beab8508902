//! Which values transactions need when they run, and what is written to arrays of which none is needed.

use std::collections::BTreeSet;

use super::finder::Finder;
use super::together::Together;
use super::{Known, KnownWrite, Listed, Listings, Unneeded, Visited};
use crate::spec::ForeseenWrite;

impl Finder<'_> {
    /// Finds what each procedure needs no values of. Returns the arrays of which none needs any, and whose writes do not depend on the order
    /// of those before; and those with pieces.
    pub(super) fn needs(&self, procedures: &mut [Option<Known>]) -> (Unneeded, BTreeSet<usize>) {
        let mut resolved = self.resolved(procedures);
        let pieced = self.pieces(procedures, &mut resolved);
        let mut needed = self.needed_by_readers();
        for (of, known) in procedures.iter_mut().enumerate() {
            let Some(known) = known else { continue };
            for write in &mut known.writes {
                let is_known = write.adds || write.piece.is_some();
                write.is_resolved = is_known && self.arrays[of][write.param as usize].is_subset(&resolved);
            }
            let params = self.needed(of, known);
            let arrays = (0_u32..).zip(&self.arrays[of]).filter(|(_, arrays)| !arrays.is_empty());
            known.complete = known.outcome && known.writes.iter().all(KnownWrite::is_known);
            known.unneeded = arrays.map(|(param, _)| param).filter(|param| !params.contains(param)).collect();
            needed.extend(params.iter().flat_map(|param| self.arrays[of][*param as usize].iter().copied()));
        }
        // The new value does not depend on the old one.
        let is_blind = |write: &ForeseenWrite, _: &KnownWrite| !write.value.contains(&write.param);
        let unread = self.unneeded(procedures, needed.clone(), is_blind);
        let adds = |_: &ForeseenWrite, known: &KnownWrite| known.adds && known.is_resolved;
        let summed = self.unneeded(procedures, needed, adds);
        // An array to which nothing is written is both.
        (Unneeded { summed: summed.difference(&unread).copied().collect(), unread }, pieced)
    }

    /// Returns the arrays of which every write is known before any transaction runs.
    fn resolved(&self, procedures: &[Option<Known>]) -> BTreeSet<usize> {
        let is_known = |known: &Known, write: &KnownWrite| {
            let is_made = (write.adds && write.is_immediate) || write.piece.is_some();
            known.outcome && (is_made || write.value == 0 || write.is_nothing)
        };
        let (mut all, mut others) = (BTreeSet::new(), BTreeSet::new());
        for (of, known) in foreseen(procedures) {
            for write in &known.writes {
                let to = if is_known(known, write) { &mut all } else { &mut others };
                to.extend(self.arrays[of][write.param as usize].iter().copied());
            }
        }
        all.difference(&others).copied().collect()
    }

    /// Returns the arrays of transactions that write nothing and run among the others.
    fn needed_by_readers(&self) -> BTreeSet<usize> {
        let readers = self.batch.procedures.iter().zip(&self.arrays);
        let readers = readers.filter(|(spec, _)| self.batch.pushed && Visited::ReadOnly.may_contain(spec));
        readers.flat_map(|(_, arrays)| arrays.iter().flatten().copied()).collect()
    }

    /// Returns the parameters of which a procedure needs values when it runs: for what is not known by then, and to take the same way.
    fn needed(&self, of: usize, known: &Known) -> BTreeSet<u32> {
        let foresight = self.foresight(of);
        let doubts = foresight.doubts.iter().flat_map(|doubt| doubt.arrays);
        let mut needed: BTreeSet<u32> =
            foresight.accesses.iter().chain(foresight.result).chain(doubts).copied().collect();
        for (write, known_write) in foresight.writes.iter().zip(&known.writes) {
            let is_known = known.outcome && (known_write.value < 2 || known_write.is_resolved);
            if !is_known && !known_write.is_nothing {
                needed.extend(write.value);
            }
        }
        needed
    }

    /// Returns the arrays of which none is needed, and all of whose writes are of that kind or put back what was read. Parameters have only
    /// such arrays or none.
    fn unneeded(
        &self,
        procedures: &[Option<Known>],
        mut others: BTreeSet<usize>,
        is_meant: impl Fn(&ForeseenWrite, &KnownWrite) -> bool,
    ) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        for (of, known) in foreseen(procedures) {
            for (write, known_write) in self.foresight(of).writes.iter().zip(&known.writes) {
                let is_meant = known_write.is_nothing || is_meant(write, known_write);
                let to = if known.outcome && is_meant { &mut all } else { &mut others };
                to.extend(self.arrays[of][write.param as usize].iter().copied());
            }
        }
        self.link(&mut others);
        all.difference(&others).copied().collect()
    }

    /// Returns how much of the transactions is listed.
    pub(super) fn listings_of(
        &self,
        procedures: &[Option<Known>],
        together: &Together,
        listed: impl Fn(usize) -> Listed,
    ) -> Listings {
        let places = |listing| self.most_places(procedures, together, |array| listed(array) == listing);
        let cells = |listing| together.most_cells(|array| listed(array) == listing);
        Listings {
            places: [places(Listed::First).max(1), places(Listed::Late)],
            cells: [Listed::First, Listed::Late].map(cells),
            unread: self.most_places(procedures, &Together::default(), |array| listed(array) == Listed::Unread),
        }
    }

    /// Returns the most places of a transaction for its writes to such arrays.
    pub(super) fn most_places(
        &self,
        procedures: &[Option<Known>],
        together: &Together,
        is_meant: impl Fn(usize) -> bool,
    ) -> u32 {
        let of_procedure = |(of, known): (usize, &Known)| {
            let has_place = |write: &&KnownWrite| {
                let mut arrays = self.arrays[of][write.param as usize].iter();
                !write.is_nothing && arrays.any(|array| is_meant(*array) && together.cell(*array) == 0)
            };
            let counted: BTreeSet<(u32, u32)> =
                known.writes.iter().filter(has_place).map(|write| (write.location, write.param)).collect();
            let is_counted = |write: &ForeseenWrite| counted.contains(&(write.location, write.param));
            self.foresight(of).most_writes(self.batch.procedures[of], is_counted)
        };
        foreseen(procedures).map(of_procedure).max().unwrap_or(0)
    }

    /// Returns the arrays to which foreseen transactions write something new.
    pub(super) fn written(&self, procedures: &[Option<Known>]) -> BTreeSet<usize> {
        let writes = foreseen(procedures).flat_map(|(of, known)| known.writes.iter().map(move |write| (of, write)));
        let writes = writes.filter(|(_, write)| !write.is_nothing);
        writes.flat_map(|(of, write)| self.arrays[of][write.param as usize].iter().copied()).collect()
    }
}

/// Returns the procedures that are foreseen.
fn foreseen(procedures: &[Option<Known>]) -> impl Iterator<Item = (usize, &Known)> {
    procedures.iter().enumerate().filter_map(|(of, known)| Some((of, known.as_ref()?)))
}
