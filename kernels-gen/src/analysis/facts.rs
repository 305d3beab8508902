//! The owned result of the analysis; [`crate::spec::Facts`] is its constant form.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use super::pieces::{Key, PieceCode};
use super::sums::OwnedSums;
use super::values::{ValueId, Values};
use crate::ir::{ArrayId, LocationId};
use crate::spec;

/// The facts of a transaction. The fields with a counterpart in [`crate::spec::Facts`] mean the same.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedFacts {
    pub slots: Vec<spec::Slot>,
    /// The slot of each access outside of loops. One access in the source becomes several where an element has several
    /// components, which lie in different arrays.
    pub slot_of: BTreeMap<(LocationId, ArrayId), u32>,
    /// The address of each slot, by slot number.
    pub addresses: Vec<Address>,
    /// The values that addresses are computed from.
    pub values: Values,
    pub indexed: u32,
    pub accesses: u32,
    pub stated: bool,
    pub read_only: bool,
    pub blind_writes: bool,
    pub unseen: Vec<u32>,
    pub sums: Vec<OwnedSums>,
    pub orderable: bool,
    pub inexact: Option<String>,
    pub unordered: Option<String>,
    pub guards: Vec<GuardFact>,
    /// The writes that are pieces.
    pub pieces: BTreeMap<Key, PieceCode>,
    pub flow: OwnedDataFlow,
}

/// The owned form of [`spec::DataFlow`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedDataFlow {
    pub written: Vec<(u32, Option<spec::Change>, OwnedSources)>,
    pub result: OwnedSources,
    /// What the guard at each location asks: see [`spec::Guard::bounds`].
    pub bounds: BTreeMap<LocationId, Option<Vec<spec::Bound>>>,
    pub order_matters: Option<String>,
    pub last_doubt: Option<LocationId>,
    pub foresight: OwnedForesight,
}

/// The owned form of [`spec::Foresight`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedForesight {
    pub accesses: Vec<u32>,
    pub result: Vec<u32>,
    pub doubts: Vec<(LocationId, Vec<u32>)>,
    pub writes: Vec<OwnedForeseenWrite>,
    pub together: Vec<Vec<u32>>,
}

/// The owned form of [`spec::ForeseenWrite`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedForeseenWrite {
    pub location: LocationId,
    pub array: ArrayId,
    pub times: Option<u32>,
    pub address: Vec<u32>,
    pub value: Vec<u32>,
    pub addition: Option<OwnedAddition>,
    pub piece: Option<OwnedPieceInputs>,
}

/// The owned form of [`spec::PieceInputs`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedPieceInputs {
    pub arrays: Vec<u32>,
    pub between: Vec<u32>,
}

/// The owned form of [`spec::Addition`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedAddition {
    pub arrays: Vec<u32>,
    pub between: Vec<u32>,
    pub is_nothing: bool,
}

/// The owned form of [`spec::Sources`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedSources {
    pub slots: Vec<u32>,
    pub in_loops: bool,
}

/// The element of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The array.
    pub array: ArrayId,
    /// The index in the array.
    pub index: ValueId,
}

/// The owned form of [`spec::Guard`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardFact {
    /// The source location of the guard.
    pub location: LocationId,
    /// The slots of the reads that the guard depends on.
    pub reads: Vec<u32>,
}

impl OwnedFacts {
    /// Returns the constant form, which is never freed.
    #[must_use]
    pub fn leak(&self) -> spec::Facts {
        let guard = |g: &GuardFact| spec::Guard {
            location: g.location.0,
            reads: g.reads.clone().leak(),
            bounds: self.flow.bounds_of(g.location),
        };
        spec::Facts {
            slots: self.slots.clone().leak(),
            indexed: self.indexed,
            accesses: self.accesses,
            stated: self.stated,
            read_only: self.read_only,
            blind_writes: self.blind_writes,
            unseen: self.unseen.clone().leak(),
            sums: self.sums.iter().map(OwnedSums::leak).collect::<Vec<_>>().leak(),
            orderable: self.orderable,
            inexact: leak_text(self.inexact.as_ref()),
            unordered: leak_text(self.unordered.as_ref()),
            guards: self.guards.iter().map(guard).collect::<Vec<_>>().leak(),
            flow: self.flow.leak(),
        }
    }
}

impl OwnedDataFlow {
    fn bounds_of(&self, guard: LocationId) -> Option<&'static [spec::Bound]> {
        self.bounds.get(&guard).cloned().flatten().map(|bounds| &*bounds.leak())
    }

    fn leak(&self) -> spec::DataFlow {
        let written = |(slot, change, sources): &(u32, _, OwnedSources)| spec::Written {
            slot: *slot,
            change: *change,
            sources: sources.leak(),
        };
        spec::DataFlow {
            written: self.written.iter().map(written).collect::<Vec<_>>().leak(),
            result: self.result.leak(),
            order_matters: leak_text(self.order_matters.as_ref()),
            last_doubt: self.last_doubt.map(|location| location.0),
            foresight: Some(self.foresight.leak()),
        }
    }
}

impl OwnedForesight {
    fn leak(&self) -> spec::Foresight {
        let list = |arrays: &[u32]| &*arrays.to_vec().leak();
        let doubt =
            |(location, arrays): &(LocationId, Vec<u32>)| spec::Doubt { location: location.0, arrays: list(arrays) };
        let write = |write: &OwnedForeseenWrite| spec::ForeseenWrite {
            location: write.location.0,
            param: write.array.0,
            times: write.times,
            address: list(&write.address),
            value: list(&write.value),
            addition: write.addition.as_ref().map(|addition| spec::Addition {
                arrays: list(&addition.arrays),
                between: list(&addition.between),
                is_nothing: addition.is_nothing,
            }),
            piece: write
                .piece
                .as_ref()
                .map(|inputs| spec::PieceInputs { arrays: list(&inputs.arrays), between: list(&inputs.between) }),
        };
        spec::Foresight {
            accesses: list(&self.accesses),
            result: list(&self.result),
            doubts: self.doubts.iter().map(doubt).collect::<Vec<_>>().leak(),
            writes: self.writes.iter().map(write).collect::<Vec<_>>().leak(),
            together: self.together.iter().map(|arrays| list(arrays)).collect::<Vec<_>>().leak(),
        }
    }
}

impl OwnedAddition {
    /// Returns what both may add.
    pub(super) fn or(&self, other: &OwnedAddition) -> OwnedAddition {
        let union = |a: &[u32], b: &[u32]| a.iter().chain(b).copied().collect::<BTreeSet<_>>().into_iter().collect();
        OwnedAddition {
            arrays: union(&self.arrays, &other.arrays),
            between: union(&self.between, &other.between),
            is_nothing: self.is_nothing && other.is_nothing,
        }
    }
}

impl OwnedSources {
    fn leak(&self) -> spec::Sources {
        spec::Sources { slots: self.slots.clone().leak(), in_loops: self.in_loops }
    }
}

impl Display for OwnedSources {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "slots {:?}{}", self.slots, if self.in_loops { " and reads in loops" } else { "" })
    }
}

impl OwnedSums {
    fn leak(&self) -> spec::Sums {
        let OwnedSums { param, additions, can_overflow, .. } = *self;
        spec::Sums { param, additions, can_overflow, otherwise: leak_text(self.otherwise.as_ref()) }
    }
}

fn leak_text(text: Option<&String>) -> Option<&'static str> {
    text.map(|text| &*text.clone().leak())
}

impl Display for OwnedFacts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (k, slot) in self.slots.iter().enumerate() {
            let always = if slot.always { "always" } else { "sometimes" };
            let index = self.values.show(self.addresses[k].index);
            writeln!(
                f,
                "slot {k}: {:?} {always}, parameter {}[{index}], first at location {}",
                slot.intent, slot.param, slot.location
            )?;
        }
        let how = if self.stated { " (stated)" } else { "" };
        writeln!(f, "indexed: {}{how}", self.indexed)?;
        writeln!(f, "read only: {}", self.read_only)?;
        writeln!(f, "blind writes: {}", self.blind_writes)?;
        writeln!(f, "orderable: {}", self.orderable)?;
        for reason in self.inexact.iter().chain(&self.unordered) {
            writeln!(f, "  {reason}")?;
        }
        for sums in &self.sums {
            writeln!(f, "{sums}")?;
        }
        for guard in &self.guards {
            writeln!(f, "guard at location {}: reads slots {:?}", guard.location.0, guard.reads)?;
        }
        self.flow.fmt(f)
    }
}

impl Display for OwnedSums {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let how = if self.can_overflow { ", unless one can overflow" } else { "" };
        match &self.otherwise {
            None => write!(f, "parameter {}: {} additions{how}", self.param, self.additions),
            Some(why) => write!(f, "parameter {}: not sums alone: {why}", self.param),
        }
    }
}

impl Display for OwnedDataFlow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (slot, change, sources) in &self.written {
            let change = change.map_or("?", spec::Change::rust);
            writeln!(f, "slot {slot} becomes {change}: {sources}")?;
        }
        for (location, bounds) in &self.bounds {
            let show = |bound: &spec::Bound| format!("slot {} {} e", bound.slot, bound.compare.rust());
            let bounds = bounds.as_ref().map(|bounds| bounds.iter().map(show).collect::<Vec<_>>().join(", "));
            writeln!(f, "guard at location {}: asks {}", location.0, bounds.as_deref().unwrap_or("no bounds"))?;
        }
        writeln!(f, "result: {}", self.result)?;
        match &self.order_matters {
            Some(why) => writeln!(f, "order matters: {why}")?,
            None => writeln!(f, "order does not matter")?,
        }
        match self.last_doubt {
            Some(location) => writeln!(f, "last doubt at location {}", location.0)?,
            None => writeln!(f, "no doubt")?,
        }
        write!(f, "{}", self.foresight)
    }
}

/// On one line, where something depends on arrays; then the writes: each with location and parameter, and what it sets or adds.
impl Display for OwnedForesight {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let doubts: BTreeSet<u32> = self.doubts.iter().flat_map(|(_, arrays)| arrays).copied().collect();
        let doubts: Vec<u32> = doubts.into_iter().collect();
        let all = [("accesses", &self.accesses), ("doubts", &doubts), ("result", &self.result)];
        let all = all.into_iter().filter(|(_, arrays)| !arrays.is_empty());
        let all: Vec<String> = all.map(|(what, arrays)| format!("{what} {arrays:?}")).collect();
        if !all.is_empty() {
            writeln!(f, "known with {}", all.join(", "))?;
        }
        let writes: Vec<String> = self.writes.iter().map(OwnedForeseenWrite::show).collect();
        if writes.is_empty() { Ok(()) } else { writeln!(f, "writes {}", writes.join(", ")) }
    }
}

impl OwnedForeseenWrite {
    fn show(&self) -> String {
        let besides = |arrays: &[u32]| if arrays.is_empty() { String::new() } else { format!(" {arrays:?}") };
        let what = match &self.addition {
            Some(addition) if addition.is_nothing => "as it was".to_owned(),
            Some(addition) => format!("+{}", besides(&addition.arrays)),
            None => match &self.piece {
                Some(inputs) => format!("piece{}", besides(&inputs.arrays)),
                None => format!("={}", besides(&self.value)),
            },
        };
        format!("{}:{} {what}", self.location.0, self.array.0)
    }
}
