//! The facts that hold at the current point of the pass over the control flow.
//!
//! Branches are walked one after the other from the same point, so each change is logged with the previous value and undone
//! afterwards. Joining a branch costs time for what changes in it, not for all that is known.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::values::{Element, ValueId};
use crate::ir::{LoopId, VarId};

/// A fact that can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Fact {
    /// A variable has a value.
    Value(VarId),
    /// The element was certainly read.
    Read(Element),
    /// The element was certainly written.
    Written(Element),
    /// The element was certainly read or written outside of loops.
    Outside(Element),
}

/// The value of a variable; [`HOLDS`] for other facts; `None` where nothing is known.
pub(super) type Known = Option<ValueId>;

/// The value of a fact that is not about a variable.
const HOLDS: ValueId = ValueId(0);

/// Facts that changed: the value before and the value now.
pub(super) type Changes = BTreeMap<Fact, (Known, Known)>;

/// The facts that hold now, and the log of their changes.
#[derive(Debug, Default)]
pub(super) struct Path {
    facts: HashMap<Fact, ValueId>,
    /// The changes since the beginning that are not undone, each with the previous value.
    log: Vec<(Fact, Known)>,
    /// All changes, including those that undo others.
    events: Vec<(Fact, Known)>,
    /// Whether control cannot reach this point.
    pub(super) ended: bool,
}

impl Path {
    pub(super) fn value(&self, var: VarId) -> Option<ValueId> {
        self.known(Fact::Value(var)).filter(|_| !self.ended)
    }

    pub(super) fn holds(&self, fact: Fact) -> bool {
        !self.ended && self.known(fact).is_some()
    }

    pub(super) fn add(&mut self, fact: Fact) {
        self.put(fact, Some(HOLDS));
    }

    pub(super) fn known(&self, fact: Fact) -> Known {
        self.facts.get(&fact).copied()
    }

    /// Changes a fact, if control reaches this point.
    pub(super) fn put(&mut self, fact: Fact, known: Known) {
        if !self.ended && self.known(fact) != known {
            let before = self.replace(fact, known);
            self.log.push((fact, before));
        }
    }

    fn replace(&mut self, fact: Fact, known: Known) -> Known {
        let before = match known {
            Some(value) => self.facts.insert(fact, value),
            None => self.facts.remove(&fact),
        };
        self.events.push((fact, before));
        before
    }

    /// Returns the present point, for [`Path::changes`] and [`Path::back_to`].
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Returns what changed since that point.
    pub(super) fn changes(&self, mark: usize) -> Changes {
        let mut changes = Changes::new();
        for (fact, before) in &self.log[mark..] {
            if let Entry::Vacant(entry) = changes.entry(*fact) {
                entry.insert((*before, self.known(*fact)));
            }
        }
        changes
    }

    /// Undoes what changed since that point.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((fact, before)) = self.log.pop() {
                self.replace(fact, before);
            }
        }
    }
}

/// Returns what holds after either of two paths.
pub(super) fn meet(fact: Fact, first: Known, second: Known, other: impl FnOnce() -> ValueId) -> Known {
    match (fact, first?, second?) {
        (Fact::Value(_), a, b) if a != b => Some(other()),
        (_, known, _) => Some(known),
    }
}

/// A labelled block that control is in, or the whole function, and the facts that hold on every way out of it so far.
#[derive(Debug)]
pub(super) struct Way {
    /// `None`: the function.
    pub(super) block: Option<LoopId>,
    pub(super) mark: usize,
    /// The end of the changes that have been examined.
    seen: usize,
    /// The values where control left; a fact that is not listed has its value from the beginning.
    pub(super) met: Option<BTreeMap<Fact, Known>>,
}

impl Way {
    pub(super) fn begin(path: &Path, block: Option<LoopId>) -> Way {
        Way { block, mark: path.mark(), seen: path.events.len(), met: None }
    }

    /// Leaves the block from the present point. Only what changed since the last time control left is examined.
    pub(super) fn leave(&mut self, path: &Path, mut merged: impl FnMut(Known, Known) -> ValueId) {
        let mut changed: BTreeMap<Fact, Known> = BTreeMap::new();
        for (fact, before) in &path.events[self.seen..] {
            // Of a function, only the accesses that certainly happen matter.
            if self.block.is_some() || matches!(fact, Fact::Outside(_) | Fact::Written(_)) {
                changed.entry(*fact).or_insert(*before);
            }
        }
        self.seen = path.events.len();
        let first = self.met.is_none();
        let met = self.met.get_or_insert_default();
        for (fact, before) in changed {
            let now = path.known(fact);
            let known = match first {
                true => now,
                // A fact that is not listed did not change until control left the last time.
                false => {
                    let earlier = met.get(&fact).copied().unwrap_or(before);
                    meet(fact, earlier, now, || merged(earlier, now))
                }
            };
            met.insert(fact, known);
        }
    }
}
