//! The owned result of the analysis; [`crate::spec::Facts`] is its constant form.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

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
    pub orderable: bool,
    pub inexact: Option<String>,
    pub unordered: Option<String>,
    pub guards: Vec<GuardFact>,
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
        let guard = |g: &GuardFact| spec::Guard { location: g.location.0, reads: g.reads.clone().leak() };
        spec::Facts {
            slots: self.slots.clone().leak(),
            indexed: self.indexed,
            accesses: self.accesses,
            stated: self.stated,
            read_only: self.read_only,
            blind_writes: self.blind_writes,
            unseen: self.unseen.clone().leak(),
            orderable: self.orderable,
            inexact: leak_text(self.inexact.as_ref()),
            unordered: leak_text(self.unordered.as_ref()),
            guards: self.guards.iter().map(guard).collect::<Vec<_>>().leak(),
        }
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
        for guard in &self.guards {
            writeln!(f, "guard at location {}: reads slots {:?}", guard.location.0, guard.reads)?;
        }
        Ok(())
    }
}
