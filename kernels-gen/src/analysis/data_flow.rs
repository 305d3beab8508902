//! The data flow, put together from slices and forms.

use std::collections::BTreeMap;

use super::decision::{self, Decision};
use super::facts::{OwnedDataFlow, OwnedForesight};
use super::flow::{Access, Flow};
use super::footprint::Footprint;
use super::slices::Slices;
use super::values::Element;
use super::{forms, order};
use crate::ir::LocationId;
use crate::ir::flat::Transaction;
use crate::spec::Bound;

pub(super) fn find(
    tx: &Transaction,
    flow: &Flow,
    footprint: &Footprint,
    slices: &Slices,
    unordered: Option<&String>,
) -> OwnedDataFlow {
    let slot_of = |access: &Access| {
        let slot = footprint.slot_of.get(&(access.location, access.element.0))?;
        Some((access.element, *slot))
    };
    let slots: BTreeMap<Element, u32> =
        flow.accesses.iter().filter(|access| !access.in_loop).filter_map(slot_of).collect();
    let elements: BTreeMap<u32, Element> = slots.iter().map(|(element, slot)| (*slot, *element)).collect();
    let changes = forms::changes(flow);
    let written = slices.written.iter().map(|(slot, sources)| {
        let change = elements.get(slot).and_then(|element| changes.get(element).copied().flatten());
        (*slot, change, sources.clone())
    });
    OwnedDataFlow {
        written: written.collect(),
        result: slices.result.clone(),
        bounds: bounds(flow, &slots),
        order_matters: order::matters(tx, flow, unordered, &slots, &changes),
        last_doubt: decision::last_doubt(tx),
        foresight: OwnedForesight::default(),
    }
}

/// Returns what the guard at each location asks, if all its expansions ask bounds.
fn bounds(flow: &Flow, slots: &BTreeMap<Element, u32>) -> BTreeMap<LocationId, Option<Vec<Bound>>> {
    let mut all: BTreeMap<LocationId, Option<Vec<Bound>>> = BTreeMap::new();
    for (decision, _) in &flow.decisions {
        let Decision::Guard { condition, location } = decision else { continue };
        let bounds = forms::bounds(flow, slots, *condition, true);
        let of_location = all.entry(*location).or_insert_with(|| Some(Vec::new()));
        *of_location = of_location.take().zip(bounds).map(|(before, more)| [before, more].concat());
    }
    all
}
