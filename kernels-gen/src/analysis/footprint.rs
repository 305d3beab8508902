//! Slots for accesses outside of loops, and an upper bound on those inside.

use std::collections::{BTreeMap, HashMap};

use super::facts::Address;
use super::flow::{Access, Flow};
use super::reasons;
use super::values::{Element, Node};
use crate::Trouble;
use crate::ir::flat::Transaction;
use crate::ir::{ArrayId, LocationId, PositionId};
use crate::spec::{Intent, Slot};

/// The largest number of elements that a procedure may touch.
const MOST: u64 = 65_535;

/// The reason why a transaction has no footprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule that the transaction breaks.
    pub what: Trouble,
    /// The access that breaks the rule.
    pub at: PositionId,
    /// The problem, and what to write instead.
    pub message: String,
}

#[derive(Debug)]
pub(super) struct Footprint {
    pub(super) slots: Vec<Slot>,
    pub(super) slot_of: BTreeMap<(LocationId, ArrayId), u32>,
    pub(super) addresses: Vec<Address>,
    pub(super) indexed: u32,
    pub(super) stated: bool,
    /// The reason why the size rests on what the user states, if it does.
    pub(super) inexact: Option<String>,
}

pub(super) fn find(tx: &Transaction, flow: &Flow) -> Result<Footprint, Problem> {
    let mut firsts: Vec<&Access> = Vec::new();
    let mut slot_of = BTreeMap::new();
    let mut known: HashMap<Element, usize> = HashMap::new();
    for access in flow.accesses.iter().filter(|a| !a.in_loop) {
        let slot = *known.entry(access.element).or_insert_with(|| {
            firsts.push(access);
            firsts.len() - 1
        });
        slot_of.insert((access.location, access.element.0), slot as u32);
    }
    // All accesses to the element of each slot, including those in loops.
    let mut accesses: Vec<Vec<&Access>> = vec![Vec::new(); firsts.len()];
    for access in &flow.accesses {
        if let Some(slot) = known.get(&access.element) {
            accesses[*slot].push(access);
        }
    }
    let slots: Vec<Slot> = firsts.iter().zip(&accesses).map(|(first, accesses)| slot(flow, first, accesses)).collect();
    let addresses = firsts.iter().map(|first| Address { array: first.element.0, index: first.index }).collect();
    let (indexed, inexact) = bound(tx, flow)?;
    let total = slots.len() as u64 + u64::from(indexed);
    match flow.accesses.iter().find(|a| a.in_loop).or(flow.accesses.first()) {
        Some(access) if total > MOST => Err(too_large(total, access)),
        _ => Ok(Footprint { slots, slot_of, addresses, indexed, stated: inexact.is_some(), inexact }),
    }
}

/// Returns what the body does with an element, over all accesses that provably refer to it.
fn slot(flow: &Flow, first: &Access, accesses: &[&Access]) -> Slot {
    let intent = if accesses.iter().all(|a| !a.write) {
        Intent::Read
    } else if accesses.iter().all(|a| a.write || a.written_before) {
        Intent::Write
    } else {
        Intent::Update
    };
    let (array, key) = first.element;
    let index = match flow.values.node(key) {
        Node::Param(var) => Some(var.0),
        _ => None,
    };
    Slot { param: array.0, intent, always: flow.always.contains(&first.element), location: first.location.0, index }
}

/// Returns the largest number of distinct elements that accesses in loops touch, and a reason if the user states that number.
fn bound(tx: &Transaction, flow: &Flow) -> Result<(u32, Option<String>), Problem> {
    let mut derived: BTreeMap<Element, Option<u64>> = BTreeMap::new();
    let mut unbounded: Option<&Access> = None;
    for access in flow.accesses.iter().filter(|a| a.in_loop) {
        // The element changes at most once per iteration of the loops that its index depends on.
        let loops = flow.values.loops_of(access.element.1);
        let count =
            loops.iter().map(|id| flow.trips.get(id).copied()).try_fold(1_u64, |n, t| Some(n.saturating_mul(t?)));
        if count.is_none() {
            unbounded = unbounded.or(Some(access));
        }
        derived.insert(access.element, count);
    }
    let sum = derived.values().try_fold(0_u64, |sum, count| Some(sum.saturating_add((*count)?)));
    match (sum, unbounded, tx.options.max_accesses) {
        (Some(sum), _, Some(stated)) if sum > u64::from(stated) => Ok((
            stated,
            Some(format!("the loops could touch {sum} elements, and `max_accesses` says at most {stated}")),
        )),
        (Some(sum), ..) => Ok((u32::try_from(sum).unwrap_or(u32::MAX), None)),
        (None, Some(access), Some(stated)) => {
            let place = reasons::place(tx, access);
            Ok((stated, Some(format!("{place} is in a loop whose number of iterations depends on the data"))))
        }
        (None, Some(access), None) => Err(no_bound(tx, access)),
        (None, None, _) => Ok((0, None)),
    }
}

fn no_bound(tx: &Transaction, access: &Access) -> Problem {
    let text = &tx.locations[access.location.0 as usize].decl.text;
    let message = format!(
        "`{text}` stands in a loop without a constant number of iterations, so the footprint is not bounded, and the \
         device needs to know how many elements to keep track of; loop over constants, as in `0..8`, or state the \
         most distinct elements that all loops touch, each scalar of a record for itself: \
         `#[gpu_transaction(max_accesses = 64)]`"
    );
    Problem { what: Trouble::Unbounded, at: access.at, message }
}

fn too_large(total: u64, access: &Access) -> Problem {
    let message = format!(
        "the transaction can touch {total} elements, and at most {MOST} fit; split it, or state how many distinct \
         elements it really touches: `#[gpu_transaction(max_accesses = 64)]`"
    );
    Problem { what: Trouble::TooLarge, at: access.at, message }
}
