//! The forms of updates and guards: what a written value is made of, and which bounds a condition asks of elements.

use std::collections::BTreeMap;

use super::flow::{Access, Flow};
use super::values::{Element, Node, ValueId};
use crate::ir::{Arith, Compare, Logic};
use crate::spec::{Bound, Change, Comparison, Scalar};

/// How each element that is written changes: `None` if its new value has no form, or not the same in all its writes.
pub(super) type Changes = BTreeMap<Element, Option<Change>>;

pub(super) fn changes(flow: &Flow) -> Changes {
    let mut changes = Changes::new();
    for write in flow.accesses.iter().filter(|access| access.write) {
        let change = of_write(flow, write);
        let all = changes.entry(write.element).or_insert(change);
        if *all != change {
            *all = None;
        }
    }
    changes
}

fn of_write(flow: &Flow, write: &Access) -> Option<Change> {
    let value = write.value?;
    if write.in_loop {
        return None;
    }
    if flow.values.is_independent(value) {
        return Some(Change::Set);
    }
    if is_current(flow, value, write) {
        return unchanged(write.scalar);
    }
    let (change, old, by) = parts(flow, value)?;
    let pair = |old: ValueId, by: ValueId| is_current(flow, old, write) && flow.values.is_independent(by);
    // Subtraction is the only one whose operands have an order.
    let is_difference =
        matches!(flow.values.node(value), Node::Arith(Arith::Sub, ..)) || is_call(flow, value, "rs_wrapping_sub");
    (pair(old, by) || (!is_difference && pair(by, old))).then_some(change)
}

/// Returns the change that an element undergoes by a write of what it holds, as when a record is written back with one new field.
fn unchanged(scalar: Scalar) -> Option<Change> {
    match scalar {
        Scalar::Bool => Some(Change::Xor),
        _ => scalar.is_int().then_some(Change::Add),
    }
}

/// Returns the operation of a value with its two operands, if it is one that commutes with itself.
fn parts(flow: &Flow, value: ValueId) -> Option<(Change, ValueId, ValueId)> {
    match flow.values.node(value) {
        Node::Arith(Arith::Add | Arith::Sub, scalar, a, b) if scalar.is_int() => Some((Change::Add, *a, *b)),
        Node::Logic(op, _, a, b) => Some((of_logic(*op), *a, *b)),
        Node::Device(name, scalar, args) if scalar.is_int() => {
            let [a, b] = args[..] else { return None };
            let change = match name.as_str() {
                "rs_wrapping_add" | "rs_wrapping_sub" => Change::Add,
                "rs_min" => Change::Min,
                "rs_max" => Change::Max,
                _ => return None,
            };
            Some((change, a, b))
        }
        _ => None,
    }
}

fn of_logic(op: Logic) -> Change {
    match op {
        Logic::And => Change::And,
        Logic::Or => Change::Or,
        Logic::Xor => Change::Xor,
    }
}

fn is_call(flow: &Flow, value: ValueId, function: &str) -> bool {
    matches!(flow.values.node(value), Node::Device(name, ..) if name == function)
}

/// Returns whether a value is what the element of a write held just before.
fn is_current(flow: &Flow, value: ValueId, write: &Access) -> bool {
    let Node::Read(access) = flow.values.node(value) else { return false };
    let read = &flow.accesses[*access as usize];
    read.element == write.element && read.earlier_writes == write.earlier_writes && !read.in_loop
}

/// Returns the bounds that a condition asks of elements if it has that truth: none if it follows from the arguments. `None`: it asks
/// something else.
pub(super) fn bounds(
    flow: &Flow,
    slots: &BTreeMap<Element, u32>,
    condition: ValueId,
    holds: bool,
) -> Option<Vec<Bound>> {
    let (mut left, mut found) = (vec![(condition, holds)], Vec::new());
    while let Some((condition, holds)) = left.pop() {
        if flow.values.is_independent(condition) {
            continue;
        }
        match (flow.values.node(condition), holds) {
            (Node::Logic(Logic::And, Scalar::Bool, a, b), true)
            | (Node::Logic(Logic::Or, Scalar::Bool, a, b), false) => left.extend([(*b, holds), (*a, holds)]),
            (Node::Unary(_, Scalar::Bool, a), _) => left.push((*a, !holds)),
            (Node::Compare(compare, scalar, a, b), _) if scalar.is_int() => {
                let compare = if holds { *compare } else { opposite(*compare) };
                let (read, compare) = match flow.values.is_independent(*b) {
                    true => (*a, compare),
                    false if flow.values.is_independent(*a) => (*b, mirrored(compare)),
                    false => return None,
                };
                let (element, rises) = element_within(flow, read)?;
                let compare = if rises { compare } else { mirrored(compare) };
                found.push(Bound { slot: *slots.get(&element)?, compare: comparison(compare)? });
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Returns the element of which a value is what was read, with arguments added or subtracted, and whether one grows with the other: a bound of the
/// value is one of the element then. A sum that wraps holds on both sides of values for which it does not.
pub(super) fn element_within(flow: &Flow, value: ValueId) -> Option<(Element, bool)> {
    let is_independent = |value: ValueId| flow.is_checked && flow.values.is_independent(value);
    match flow.values.node(value) {
        Node::Read(access) => Some((flow.accesses[*access as usize].element, true)),
        Node::Arith(Arith::Add | Arith::Sub, scalar, a, b) if scalar.is_int() && is_independent(*b) => {
            element_within(flow, *a)
        }
        Node::Arith(arith @ (Arith::Add | Arith::Sub), scalar, a, b) if scalar.is_int() && is_independent(*a) => {
            element_within(flow, *b).map(|(element, rises)| (element, rises == (*arith == Arith::Add)))
        }
        _ => None,
    }
}

/// Returns the comparison, if it is that with a bound.
fn comparison(compare: Compare) -> Option<Comparison> {
    Some(match compare {
        Compare::Lt => Comparison::Lt,
        Compare::Le => Comparison::Le,
        Compare::Eq => Comparison::Eq,
        Compare::Ge => Comparison::Ge,
        Compare::Gt => Comparison::Gt,
        Compare::Ne => return None,
    })
}

/// Returns the comparison that holds where this one does not.
fn opposite(compare: Compare) -> Compare {
    match compare {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::Lt => Compare::Ge,
        Compare::Le => Compare::Gt,
        Compare::Gt => Compare::Le,
        Compare::Ge => Compare::Lt,
    }
}

/// Returns the same comparison with its sides exchanged.
fn mirrored(compare: Compare) -> Compare {
    match compare {
        Compare::Eq | Compare::Ne => compare,
        Compare::Lt => Compare::Gt,
        Compare::Le => Compare::Ge,
        Compare::Gt => Compare::Lt,
        Compare::Ge => Compare::Le,
    }
}
