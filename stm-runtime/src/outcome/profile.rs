//! What a profiled run counts: where its conflicts were, who was in the way, and who waited.

use std::collections::BTreeMap;
use std::fmt;

use crate::digits::grouped;

/// Where the conflicts of a run were, and between which functions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ConflictProfile {
    /// The functions of the batch, the one with the most conflicts first.
    pub procedures: Vec<ProcedureConflicts>,
    /// The elements with the most conflicts, those with the most first, at most [`LISTED`](crate::report::LISTED).
    pub elements: Vec<ElementConflicts>,
}

/// How the transactions of one function fared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcedureConflicts {
    /// The function.
    pub procedure: &'static str,
    /// Its transactions that committed.
    pub committed: u64,
    /// Its attempts that were repeated because of other transactions.
    pub conflicts: u64,
    /// How often one of its transactions was postponed because its guard was false, as far as the engine counts it by function: the
    /// stages of `in-order`, `in-rounds`, `in-turns`, `commuting` and `hot-elements` do not.
    pub waits: u64,
    /// Its conflicts by the function that was in the way, the most first. On a GPU that is the function whose transaction was the last to
    /// lock the element, on CPU threads the last to write it.
    pub holders: Vec<HolderConflicts>,
}

/// Conflicts with the transactions of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HolderConflicts {
    /// The function; `None` where it is not known.
    pub procedure: Option<&'static str>,
    /// The number of conflicts.
    pub conflicts: u64,
}

/// The conflicts about an element, or about several under one lock word.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElementConflicts {
    /// The number of its array in the batch, in the order in which calls first named the arrays. A record has the number of its first
    /// field.
    pub array: usize,
    /// The parameter name of the array in the first function that takes it.
    pub parameter: &'static str,
    /// The index in the array; of several elements, the first.
    pub index: usize,
    /// The number of elements under the lock word.
    pub elements: usize,
    /// The number of conflicts, at least.
    pub conflicts: u64,
    /// How many more there may be: on a GPU a table of bounded size counts them.
    pub uncertain: u64,
}

impl fmt::Display for ProcedureConflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProcedureConflicts { procedure, committed, conflicts, waits, holders } = self;
        let holder = |holder: &HolderConflicts| {
            format!("{} with {}", grouped(holder.conflicts), holder.procedure.unwrap_or("one not known"))
        };
        let with: Vec<String> = holders.iter().map(holder).collect();
        let with = if with.is_empty() { String::new() } else { format!(" ({})", with.join(", ")) };
        let [committed, conflicts, waits] = [committed, conflicts, waits].map(|n| grouped(*n));
        write!(f, "{procedure}: {committed} committed, {conflicts} conflicts{with}, {waits} waits")
    }
}

impl ElementConflicts {
    /// Returns its name, such as `accounts[7]`, or `accounts[8..16]` for the elements under one lock word.
    #[must_use]
    pub fn name(&self) -> String {
        let ElementConflicts { parameter, index, elements, .. } = self;
        match elements {
            1 => format!("{parameter}[{index}]"),
            _ => format!("{parameter}[{index}..{}]", index + elements),
        }
    }
}

impl fmt::Display for ElementConflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ElementConflicts { array, conflicts, uncertain, .. } = self;
        write!(f, "{} (array {array}): {} conflicts", self.name(), grouped(*conflicts))?;
        if *uncertain > 0 { write!(f, ", or up to {} more", grouped(*uncertain)) } else { Ok(()) }
    }
}

/// The counts of a run, or of one of its threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfileCounts {
    /// By the procedures of the job.
    pub(crate) procedures: Vec<ProcedureCounts>,
    /// By the number of the array in the batch and the first element.
    pub(crate) elements: BTreeMap<(usize, usize), ElementCounts>,
}

/// Those of a procedure.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProcedureCounts {
    pub(crate) waits: u64,
    /// The conflicts by the procedure that was in the way. The first number is for those where it is not known; then comes one number for
    /// each procedure of the job.
    pub(crate) by_holder: Vec<u64>,
    /// The conflicts by location.
    pub(crate) locations: Vec<u64>,
}

/// Those of the elements under one lock word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ElementCounts {
    pub(crate) elements: usize,
    pub(crate) conflicts: u64,
    pub(crate) uncertain: u64,
}

impl ProfileCounts {
    /// Returns counts of nothing, for procedures with those numbers of locations.
    pub(crate) fn new(locations: impl ExactSizeIterator<Item = usize>) -> ProfileCounts {
        let by_holder = vec![0; 1 + locations.len()];
        let procedure =
            |locations| ProcedureCounts { waits: 0, by_holder: by_holder.clone(), locations: vec![0; locations] };
        ProfileCounts { procedures: locations.map(procedure).collect(), elements: BTreeMap::new() }
    }

    /// Adds the counts of the same procedures.
    pub(crate) fn add(&mut self, other: &ProfileCounts) {
        for (sum, more) in self.procedures.iter_mut().zip(&other.procedures) {
            sum.waits += more.waits;
            let sums = sum.by_holder.iter_mut().chain(&mut sum.locations);
            sums.zip(more.by_holder.iter().chain(&more.locations)).for_each(|(sum, more)| *sum += more);
        }
        other.elements.iter().for_each(|(at, more)| self.add_element(*at, *more));
    }

    pub(crate) fn add_element(&mut self, at: (usize, usize), more: ElementCounts) {
        let sum = self.elements.entry(at).or_default();
        sum.elements = more.elements;
        sum.conflicts += more.conflicts;
        sum.uncertain += more.uncertain;
    }
}
