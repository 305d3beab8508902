//! What is known of the transactions of a batch before they run, and when.
//!
//! Accesses are listed at most twice. The first listing knows arguments, and elements of arrays that no procedure of the batch writes.
//! What adds something known to an element is resolved after that: then the *tickets* are known, elements of arrays that foreseen
//! transactions change by such additions alone. Where addresses follow from tickets, a second listing knows them, too.
//!
//! What is written to an array of which no foreseen transaction needs a value is not listed: the last one counts. If all writes add to the
//! elements, their sum counts.
//!
//! Invariant: each other array has one listing, in which all its writes are listed. So when an element's list is sorted, it is complete.
//! All writes to tickets are in the first one.
//! Invariant: what decides whether a transaction that writes tickets commits is known at the second listing. The first one takes for granted
//! that it commits, and the second one finds out if it does not.

mod finder;
mod needs;
mod pieces;
mod together;

use std::collections::{BTreeMap, BTreeSet};

use finder::Finder;
use together::Together;

use super::stage::Visited;
use crate::spec::ProcedureSpec;

/// A batch, as far as foresight depends on it.
pub struct Calls<'a> {
    /// Its procedures.
    pub procedures: Vec<&'a ProcedureSpec>,
    /// The index of a procedure, and those of the arrays that it is called with.
    pub calls: Vec<(usize, &'a [usize])>,
    /// Whether the engine sees each array: some procedure may write it, or counts its elements.
    pub seen: Vec<bool>,
    /// Those that write nothing run among the others.
    pub pushed: bool,
}

/// What is known of the transactions of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// By procedure: `None` where its accesses are not known before it runs, or it writes nothing.
    pub procedures: Vec<Option<Known>>,
    /// How much of them is listed.
    pub listings: Listings,
    /// The arrays with writes that are listed or not read.
    pub written: BTreeSet<usize>,
    /// The arrays whose writes are in the second listing.
    late: BTreeSet<usize>,
    /// The arrays that no foreseen transaction needs a value of.
    unneeded: Unneeded,
    /// By procedure, the parameters with late arrays, with those that are not read, and with those that are summed up.
    params: Vec<[Vec<u32>; 3]>,
    /// By procedure and parameter, one of its arrays that is written.
    samples: Vec<BTreeMap<u32, usize>>,
    /// The arrays that have their places together.
    together: Together,
    /// The arrays with pieces.
    pieced: BTreeSet<usize>,
}

/// The number of a piece that adds what is known. Those with functions have the numbers after it.
pub(super) const ADDS: u32 = 0;

/// How much of the transactions of a batch is listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Listings {
    /// The most places of a transaction in each listing; in the first one at least 1.
    pub places: [u32; 2],
    /// The cells of a place in each listing.
    pub cells: [u32; 2],
    /// The most writes of a transaction to arrays that are not read.
    pub unread: u32,
}

impl Listings {
    /// Nothing is listed.
    pub const NOTHING: Listings = Listings { places: [0; 2], cells: [0; 2], unread: 0 };
}

/// The arrays that no foreseen transaction needs a value of, and whose writes are known as soon as their transactions run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Unneeded {
    /// No write depends on the old value.
    unread: BTreeSet<usize>,
    /// All writes add something to the old value.
    summed: BTreeSet<usize>,
}

/// Where the writes of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Listed {
    First,
    Late,
    Unread,
    Summed,
}

/// What is known of the transactions of a procedure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Whether they commit is known at the last listing.
    pub outcome: bool,
    /// All that they write is known before they run.
    pub complete: bool,
    /// They take part in the second listing.
    pub is_late: bool,
    /// The parameters with arrays that decide whether it ends without a commit, and how.
    pub(super) decisive: Vec<u32>,
    /// The parameters with tickets.
    pub(super) tickets: Vec<u32>,
    /// The parameters of which it needs no values when it runs.
    pub(super) unneeded: Vec<u32>,
    /// The locations where it is not known at each listing whether an attempt ends.
    pub(super) open: [Vec<u32>; 2],
    /// The writes, by location and parameter.
    pub(super) writes: Vec<KnownWrite>,
}

impl Known {
    /// Returns the parameters of arrays to which they write what is not known before they run: who needs such an element waits for them.
    pub fn waited(&self) -> impl Iterator<Item = u32> {
        let waited = self.writes.iter().filter(|write| !self.outcome || !write.is_known());
        waited.map(|write| write.param)
    }
}

/// What is known of the writes of a location to an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownWrite {
    pub(super) location: u32,
    pub(super) param: u32,
    /// From which listing on its value is known; 2 where it is not known before the transaction runs.
    pub(super) value: u32,
    /// It adds what is known at its listing.
    pub(super) adds: bool,
    /// The transaction has not written to the element between its read and this write.
    pub(super) is_immediate: bool,
    /// It puts back what it has read.
    pub(super) is_nothing: bool,
    /// The listing resolves it: so are all others to these arrays.
    pub(super) is_resolved: bool,
    /// The number of the piece, where it is one.
    pub(super) piece: Option<u32>,
}

impl KnownWrite {
    /// Returns whether the element's new value is known before the transaction runs, or what it adds to the old one.
    pub(super) fn is_known(&self) -> bool {
        self.value < 2 || self.adds || self.is_nothing || self.piece.is_some()
    }
}

impl Foreseen {
    /// Finds what is known of a batch.
    #[must_use]
    pub fn of(batch: &Calls<'_>) -> Foreseen {
        let finder = Finder::new(batch);
        let all = 0..batch.procedures.len();
        let candidates: Vec<usize> =
            all.clone().filter(|of| Visited::Foreseen.may_contain(batch.procedures[*of])).collect();
        let (first, others): (Vec<usize>, Vec<usize>) = candidates
            .into_iter()
            .partition(|of| finder.follows(*of, finder.foresight(*of).accesses, &BTreeSet::new()));
        let (foreseen, tickets, late) = finder.listings(first, others);
        let known = |of| foreseen.contains(&of).then(|| finder.known(of, &tickets, &late));
        let mut procedures: Vec<Option<Known>> = all.clone().map(known).collect();
        let (unneeded, pieced) = finder.needs(&mut procedures);
        let late: BTreeSet<usize> =
            late.into_iter().filter(|of| !unneeded.unread.contains(of) && !unneeded.summed.contains(of)).collect();
        let params = |of| [&late, &unneeded.unread, &unneeded.summed].map(|arrays| finder.params_in(of, arrays));
        let params: Vec<[Vec<u32>; 3]> = all.map(params).collect();
        for (known, [late, ..]) in procedures.iter_mut().zip(&params) {
            let has_late = |known: &Known| known.writes.iter().any(|write| late.contains(&write.param));
            known.iter_mut().for_each(|known| known.is_late |= has_late(known));
        }
        let written = finder.written(&procedures);
        let listed = |array| listed(&late, &unneeded, array);
        let together = finder.together(&procedures, &written, listed);
        let listings = finder.listings_of(&procedures, &together, listed);
        let samples = finder.samples(&written);
        Foreseen { procedures, listings, written, late, unneeded, params, samples, together, pieced }
    }

    /// Returns the cells of a listing to which some write adds what is resolved before its transaction runs, a bit for each.
    pub(super) fn cells_that_add(&self, listed: Listed) -> u32 {
        let known = self.procedures.iter().enumerate().filter_map(|(of, known)| Some((of, known.as_ref()?)));
        let adding = known.filter(|(_, known)| known.outcome).flat_map(|(of, known)| {
            let adding = known.writes.iter().filter(|write| write.adds);
            adding.filter_map(move |write| self.samples[of].get(&write.param))
        });
        let cells = adding.filter(|array| self.listed(**array) == listed).map(|array| self.together.cell(*array));
        cells.fold(0, |bits, cell| bits | 1 << cell)
    }

    /// Returns where the writes of an array are.
    pub(super) fn listed(&self, array: usize) -> Listed {
        listed(&self.late, &self.unneeded, array)
    }

    /// Returns whether they write, and all of their writes add to elements that none of them needs a value of: then none is listed, and none waits.
    #[must_use]
    pub fn only_adds(&self) -> bool {
        !self.written.is_empty() && self.written.iter().all(|array| self.listed(*array) == Listed::Summed)
    }

    /// Returns the parameters of a procedure with arrays that some procedure writes.
    pub(super) fn written_params(&self, procedure: usize) -> impl Iterator<Item = u32> {
        self.samples[procedure].keys().copied()
    }

    /// Returns the number of a parameter's cell in its places.
    pub(super) fn cell(&self, procedure: usize, param: u32) -> u32 {
        self.samples[procedure].get(&param).map_or(0, |array| self.together.cell(*array))
    }

    /// Returns how many cells of its places are written.
    pub(super) fn cells(&self, procedure: usize, param: u32) -> u32 {
        self.samples[procedure].get(&param).map_or(1, |array| self.together.cells(*array))
    }

    /// Returns the arrays with writes that are listed or not read, in groups that have their places together.
    pub(super) fn groups(&self) -> &[Vec<usize>] {
        &self.together.groups
    }

    /// Returns the pieces that have functions, each with its procedure.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, &KnownWrite)> {
        let known = self.procedures.iter().enumerate().filter_map(|(of, known)| Some((of, known.as_ref()?)));
        let writes = known.flat_map(|(of, known)| known.writes.iter().map(move |write| (of, write)));
        writes.filter(|(_, write)| write.piece.is_some_and(|number| number != ADDS))
    }

    /// Returns the arrays of a listing with pieces, each after the first array that has its places.
    pub(super) fn pieced(&self, listed: Listed) -> impl Iterator<Item = [usize; 2]> {
        let first = |array: usize| self.groups().iter().find(|group| group.contains(&array)).map(|group| group[0]);
        let pieced = self.pieced.iter().filter(move |array| self.listed(**array) == listed);
        pieced.filter_map(move |array| Some([first(*array)?, *array]))
    }

    /// Returns the number of an array's cell in its places.
    pub(super) fn cell_of(&self, array: usize) -> u32 {
        self.together.cell(array)
    }

    /// Returns whether some transaction writes to an array with places what is not known before it runs.
    pub(super) fn any_awaited(&self) -> bool {
        (0..self.procedures.len()).any(|procedure| !self.awaited(procedure).is_empty())
    }

    /// Returns the parameters with places to which a procedure writes what is not known before it runs.
    pub(super) fn awaited(&self, procedure: usize) -> Vec<u32> {
        let [_, unread, summed] = &self.params[procedure];
        let waited = self.procedures[procedure].iter().flat_map(Known::waited);
        let mut awaited: Vec<u32> = waited.filter(|param| !unread.contains(param) && !summed.contains(param)).collect();
        awaited.sort_unstable();
        awaited.dedup();
        awaited
    }

    /// Returns the parameters of a procedure with late arrays, those with arrays that are not read, and those with arrays that are summed up.
    pub(super) fn params(&self, procedure: usize) -> &[Vec<u32>; 3] {
        &self.params[procedure]
    }

    /// Returns whether a stage can run transactions of a procedure at their turn in push order. Those that write nothing may find their
    /// elements on the way.
    #[must_use]
    pub fn has_turns(&self, procedure: usize, spec: &ProcedureSpec) -> bool {
        self.procedures[procedure].is_some() || Visited::ReadOnly.may_contain(spec)
    }
}

fn listed(late: &BTreeSet<usize>, unneeded: &Unneeded, array: usize) -> Listed {
    match array {
        _ if unneeded.unread.contains(&array) => Listed::Unread,
        _ if unneeded.summed.contains(&array) => Listed::Summed,
        _ if late.contains(&array) => Listed::Late,
        _ => Listed::First,
    }
}

/// Repeats a step that says whether it has added something.
fn grow(mut step: impl FnMut() -> bool) {
    while step() {}
}

#[cfg(test)]
mod tests;
