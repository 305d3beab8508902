//! What holds at the point that the walk over the control flow has reached.
//!
//! Branches are walked one after the other from the same point, so each change is written down with what was there before, and
//! taken back. What is done about a branch depends on what changes in it, and not on all that is known.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::values::{Element, ValueId, Values};
use crate::ir::{LoopId, VarId};

/// Something that can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Fact {
    /// A variable has a value.
    Value(VarId),
    /// The element was surely read.
    Read(Element),
    /// It was surely written.
    Written(Element),
    /// Either, outside of loops.
    Outside(Element),
}

/// The value of a variable; of other facts [`HOLDS`]. `None` where nothing is known.
type Known = Option<ValueId>;

/// That a fact holds that has no value.
const HOLDS: ValueId = ValueId(0);

/// Facts that changed: what was known before, and what is known now.
pub(super) type Changes = BTreeMap<Fact, (Known, Known)>;

/// What holds now, and how it came to that.
#[derive(Debug, Default)]
pub(super) struct Path {
    facts: HashMap<Fact, ValueId>,
    /// Each change since the beginning that is not taken back, with what was known before it.
    log: Vec<(Fact, Known)>,
    /// Each change, with those that take another one back.
    events: Vec<(Fact, Known)>,
    /// Control does not come here.
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

    /// Changes what is known, where control comes.
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

    /// The present point, for [`Path::changes`] and [`Path::back_to`].
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// What changed since that point.
    pub(super) fn changes(&self, mark: usize) -> Changes {
        let mut changes = Changes::new();
        for (fact, before) in &self.log[mark..] {
            if let Entry::Vacant(entry) = changes.entry(*fact) {
                entry.insert((*before, self.known(*fact)));
            }
        }
        changes
    }

    /// Takes back what changed since that point.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((fact, before)) = self.log.pop() {
                self.replace(fact, before);
            }
        }
    }
}

/// What holds whichever of two ways control came.
pub(super) fn meet(fact: Fact, first: Known, second: Known, other: impl FnOnce() -> ValueId) -> Known {
    match (fact, first?, second?) {
        (Fact::Value(_), a, b) if a != b => Some(other()),
        (_, known, _) => Some(known),
    }
}

/// A labelled block that control is in, or the whole function, and what holds on every way out of it so far.
#[derive(Debug)]
pub(super) struct Way {
    /// `None`: the function.
    pub(super) block: Option<LoopId>,
    pub(super) mark: usize,
    /// The changes up to here are looked at.
    seen: usize,
    /// What was known where control left; of facts that are not listed, what was known at the beginning.
    pub(super) met: Option<BTreeMap<Fact, Known>>,
}

impl Way {
    pub(super) fn begin(path: &Path, block: Option<LoopId>) -> Way {
        Way { block, mark: path.mark(), seen: path.events.len(), met: None }
    }

    /// Control components from the present point. Of all that is known, only what changed since it left the last time is looked at.
    pub(super) fn leave(&mut self, path: &Path, values: &mut Values, loops: &[LoopId]) {
        let mut changed: BTreeMap<Fact, Known> = BTreeMap::new();
        for (fact, before) in &path.events[self.seen..] {
            // Of a function only that is asked what was surely done.
            if self.block.is_some() || matches!(fact, Fact::Outside(_)) {
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
                // What is not listed did not change until control left the last time.
                false => meet(fact, met.get(&fact).copied().unwrap_or(before), now, || values.opaque(loops)),
            };
            met.insert(fact, known);
        }
    }
}
