//! Where the conflicts of a run were, as a result that is kept.

use serde::{Deserialize, Serialize};
use stm_runtime::Report;

/// The lines and elements that are kept of a profile.
const KEPT: usize = 20;

/// The profile of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The functions, the one with the most conflicts first.
    pub functions: Vec<Function>,
    /// The elements with the most conflicts, such as `accounts[7]`.
    pub elements: Vec<Counted>,
    /// The source lines with the most conflicts, each with what it reads or writes.
    pub lines: Vec<Counted>,
}

/// A function of a profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its transactions that committed.
    pub committed: u64,
    /// Its attempts that were repeated because of other transactions.
    pub conflicts: u64,
    /// How often one of its transactions was postponed.
    pub waits: u64,
    /// Its conflicts by the function that was in the way; `?` where that is not known.
    pub holders: Vec<Counted>,
}

/// Something with a number of conflicts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// What it is.
    pub name: String,
    /// Its conflicts.
    pub conflicts: u64,
}

impl Profile {
    /// Returns the profile of a report; `None` if the run was not profiled.
    pub(crate) fn of(report: &Report) -> Option<Profile> {
        let profile = report.profile.as_ref()?;
        let counted = |name: String, conflicts| Counted { name, conflicts };
        let functions = profile.procedures.iter().map(|of| Function {
            name: of.procedure.to_owned(),
            committed: of.committed,
            conflicts: of.conflicts,
            waits: of.waits,
            holders: of
                .holders
                .iter()
                .map(|holder| counted(holder.procedure.unwrap_or("?").to_owned(), holder.conflicts))
                .collect(),
        });
        let elements = profile.elements.iter().map(|element| counted(element.name(), element.conflicts));
        let lines = report.conflict_locations.iter().map(|at| {
            let file = at.file.rsplit(['/', '\\']).next().unwrap_or(at.file);
            counted(format!("{file}:{} {}", at.line, at.text), at.conflicts)
        });
        Some(Profile {
            functions: functions.collect(),
            elements: elements.take(KEPT).collect(),
            lines: lines.take(KEPT).collect(),
        })
    }

    /// Returns the functions that were in the way of others, in the order of the functions; `?` is last.
    pub(crate) fn holders(&self) -> Vec<&str> {
        let is_holder = |name: &str| {
            self.functions.iter().any(|function| function.holders.iter().any(|holder| holder.name == name))
        };
        let names = self.functions.iter().map(|function| function.name.as_str()).chain(["?"]);
        names.filter(|name| is_holder(name)).collect()
    }
}
