//! Whether the order of transactions matters.
//!
//! It does not matter if every element is changed by one operation that commutes with itself, by values that follow from the
//! arguments; if what decides whether an attempt goes on are bounds of single elements; and if no result depends on an old value.
//! The sum of all changes then is the same in every order. Whether a bound holds in every order is for the planner to find out: it
//! needs the values (escrow: O'Neil, The Escrow Transactional Method, 1986).

use std::collections::{BTreeMap, HashSet};

use super::decision::Decision;
use super::flow::Flow;
use super::forms::{self, Changes};
use super::reasons::place;
use super::values::{Element, ValueId};
use crate::ir::PositionId;
use crate::ir::flat::Transaction;
use crate::spec::Change;

/// Returns why the order matters, if it does. `unordered`: why the addresses are not known before.
pub(super) fn matters(
    tx: &Transaction,
    flow: &Flow,
    unordered: Option<&String>,
    slots: &BTreeMap<Element, u32>,
    changes: &Changes,
) -> Option<String> {
    unordered
        .cloned()
        .or_else(|| by_writes(tx, flow, changes))
        .or_else(|| by_decisions(tx, flow, slots, changes))
        .or_else(|| by_mixed_changes(tx, flow, changes))
}

fn by_writes(tx: &Transaction, flow: &Flow, changes: &Changes) -> Option<String> {
    flow.accesses.iter().filter(|access| access.write).find_map(|access| {
        let place = place(tx, access);
        if !flow.always_written.contains(&access.element) || access.is_nested {
            return Some(format!("{place} is not written on every path"));
        }
        match changes.get(&access.element).copied().flatten() {
            None => {
                Some(format!("the new value of {place} is not the old one with an argument added to it, or the like"))
            }
            Some(Change::Set) => {
                Some(format!("{place} gets a new value whatever the old one is, so the last one stays"))
            }
            Some(_) => None,
        }
    })
}

fn by_decisions(tx: &Transaction, flow: &Flow, slots: &BTreeMap<Element, u32>, changes: &Changes) -> Option<String> {
    let values = &flow.values;
    // A value that is written as it is has a form, so its overflow is a bound of the element, like that of a sum that is only compared.
    let written: HashSet<ValueId> = flow.accesses.iter().filter_map(|access| access.value).collect();
    // Only sums are known to stay between two values.
    let stays = |element: &Element| changes.get(element).is_none_or(|change| *change == Some(Change::Add));
    let is_sum = |slot: u32| slots.iter().find(|(_, of)| **of == slot).is_none_or(|(element, _)| stays(element));
    let is_bound = |value: ValueId| {
        let element = forms::element_within(flow, value).map(|(element, _)| element);
        element.is_some_and(|element| slots.contains_key(&element) && stays(&element))
    };
    let not_bounds = |condition: ValueId, holds: bool, at: &str| match forms::bounds(flow, slots, condition, holds) {
        None => Some(format!("the condition at {at} is not a bound of one element")),
        Some(bounds) => (!bounds.iter().all(|bound| is_sum(bound.slot)))
            .then(|| format!("the condition at {at} is a bound of an element that changes other than by `+`")),
    };
    flow.decisions.iter().find_map(|(decision, at)| {
        let at = line(tx, *at);
        match decision {
            Decision::Guard { condition, .. } => not_bounds(*condition, true, &at),
            Decision::Condition { condition, holds } => not_bounds(*condition, *holds, &at),
            Decision::Branch { condition } => {
                (!values.is_independent(*condition)).then(|| format!("the `if` at {at} depends on what was read"))
            }
            Decision::Fault { value } => {
                (!values.is_independent(*value) && !written.contains(value) && !is_bound(*value))
                    .then(|| format!("the operation at {at} can fault, depending on what was read"))
            }
            Decision::Check { independent } => {
                (!independent).then(|| format!("the operation at {at} can fault, depending on what was read"))
            }
            Decision::Loop => Some(format!("the loop at {at} has no constant number of iterations")),
            Decision::Print => Some(format!("it prints at {at}")),
            Decision::Result { independent } => {
                (!independent).then(|| format!("the result at {at} depends on what was read"))
            }
        }
    })
}

fn by_mixed_changes(tx: &Transaction, flow: &Flow, changes: &Changes) -> Option<String> {
    let mut of_array = BTreeMap::new();
    flow.accesses.iter().filter(|access| access.write).find_map(|access| {
        let change = changes.get(&access.element).copied().flatten()?;
        let first = *of_array.entry(access.element.0).or_insert(change);
        (change != first).then(|| {
            let place = place(tx, access);
            format!("{place} changes by `{}`, and another element of the array by `{}`", change.rust(), first.rust())
        })
    })
}

fn line(tx: &Transaction, at: PositionId) -> String {
    let (file, line) = (tx.file_of(at), tx.position(at).line);
    if file == tx.file { format!("line {line}") } else { format!("line {line} of {file}") }
}
