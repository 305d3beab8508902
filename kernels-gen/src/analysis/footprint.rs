//! Slots for the accesses outside of loops, and a bound for those inside.

use std::collections::BTreeMap;

use super::facts::Address;
use super::flow::{Access, Element, Flow};
use crate::diag::{Diagnostics, Extent, Rule};
use crate::ir::{SiteId, Transaction};
use crate::spec::{Intent, Slot};

/// The most elements that a kind may touch.
const MOST: u64 = 65_535;

pub(crate) struct Footprint {
    pub(crate) slots: Vec<Slot>,
    pub(crate) slot_of: BTreeMap<SiteId, u32>,
    pub(crate) addresses: Vec<Address>,
    pub(crate) indexed: u32,
    pub(crate) stated: bool,
}

pub(crate) fn find(tx: &Transaction, flow: &Flow, extents: &[Extent], diags: &mut Diagnostics) -> Footprint {
    let mut firsts: Vec<&Access> = Vec::new();
    let mut slot_of = BTreeMap::new();
    for access in flow.accesses.iter().filter(|a| !a.in_loop) {
        let slot = firsts.iter().position(|first| first.element == access.element).unwrap_or_else(|| {
            firsts.push(access);
            firsts.len() - 1
        });
        slot_of.insert(access.site, slot as u32);
    }
    let slots: Vec<Slot> = firsts.iter().map(|first| slot(flow, first)).collect();
    let addresses = firsts.iter().map(|first| Address { region: first.element.0, index: first.index }).collect();
    let (indexed, stated) = bound(tx, flow, extents, diags);
    let total = slots.len() as u64 + u64::from(indexed);
    if total > MOST {
        too_large(total, flow, extents, diags);
    }
    Footprint { slots, slot_of, addresses, indexed, stated }
}

/// What the body does with an element, over all accesses that are provably to it, those in loops too.
fn slot(flow: &Flow, first: &Access) -> Slot {
    let mut accesses = flow.accesses.iter().filter(|a| a.element == first.element);
    let intent = if accesses.clone().all(|a| !a.write) {
        Intent::Read
    } else if accesses.all(|a| a.write || a.written_before) {
        Intent::Write
    } else {
        Intent::Update
    };
    Slot { param: first.element.0.0, intent, always: flow.always.contains(&first.element), site: first.site.0 }
}

/// The most distinct elements that accesses in loops can touch, and whether that number is the user's word.
fn bound(tx: &Transaction, flow: &Flow, extents: &[Extent], diags: &mut Diagnostics) -> (u32, bool) {
    let mut derived: BTreeMap<Element, Option<u64>> = BTreeMap::new();
    let mut unbounded: Option<&Access> = None;
    for access in flow.accesses.iter().filter(|a| a.in_loop) {
        // The element differs at most once for each iteration of the loops that its index depends on.
        let loops = flow.values.home(access.element.1);
        let count =
            loops.iter().map(|id| flow.trips.get(id).copied()).try_fold(1_u64, |n, t| Some(n.saturating_mul(t?)));
        if count.is_none() {
            unbounded = unbounded.or(Some(access));
        }
        derived.insert(access.element, count);
    }
    let sum = derived.values().try_fold(0_u64, |sum, count| Some(sum.saturating_add((*count)?)));
    match (sum, tx.options.max_accesses) {
        (Some(sum), Some(stated)) if sum > u64::from(stated) => (stated, true),
        (Some(sum), _) => (u32::try_from(sum).unwrap_or(u32::MAX), false),
        (None, Some(stated)) => (stated, true),
        (None, None) => {
            if let Some(access) = unbounded {
                report_unbounded(tx, access, extents, diags);
            }
            (0, false)
        }
    }
}

fn report_unbounded(tx: &Transaction, access: &Access, extents: &[Extent], diags: &mut Diagnostics) {
    let text = &tx.sites[access.site.0 as usize].text;
    let message = format!(
        "`{text}` stands in a loop without a constant number of iterations, so the footprint is not bounded, and the \
         device needs to know how many elements to keep track of; loop over constants, as in `0..8`, or state the \
         most distinct elements that all loops touch: `#[gpu_transaction(max_accesses = 64)]`"
    );
    diags.report(Rule::Unbounded, extents[access.at.0 as usize], message);
}

fn too_large(total: u64, flow: &Flow, extents: &[Extent], diags: &mut Diagnostics) {
    let Some(access) = flow.accesses.iter().find(|a| a.in_loop).or(flow.accesses.first()) else { return };
    let message = format!(
        "the transaction can touch {total} elements, and at most {MOST} fit; split it, or state how many distinct \
         elements it really touches: `#[gpu_transaction(max_accesses = 64)]`"
    );
    diags.report(Rule::TooLarge, extents[access.at.0 as usize], message);
}
