//! Which procedures of a unit an engine may run without regard to order, and how they change elements.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::stage::Visited;
use super::unit::{SpecializationSpec, UnitSpec};
use crate::spec::{Change, Location, LocationKind, ProcedureSpec, Slot};

/// Prints the kinds of changes, and whether any of these procedures has bounds.
pub(super) fn put_kinds(out: &mut String, procedures: &[&ProcedureSpec]) {
    let names = [None].into_iter().chain(KINDS.iter().copied().map(Some)).map(name).collect::<Vec<_>>();
    let _ = writeln!(out, "enum stm_change : unsigned {{ {} }};", names.join(", "));
    let any_bounded = procedures.iter().any(|procedure| is_bounded(procedure));
    let _ = writeln!(out, "constexpr bool STM_ANY_BOUNDED = {any_bounded};");
}

/// Returns whether a transaction can end before it commits.
fn is_bounded(procedure: &ProcedureSpec) -> bool {
    let ends = |location: &Location| matches!(location.what, LocationKind::Guard | LocationKind::Reject);
    procedure.locations.iter().any(ends)
}

/// The kinds of changes that commute with themselves, sums first.
const KINDS: &[Change] = &[Change::Add, Change::Min, Change::Max, Change::And, Change::Or, Change::Xor];

fn name(change: Option<Change>) -> &'static str {
    match change {
        None | Some(Change::Set) => "STM_CHANGE_NONE",
        Some(Change::Add) => "STM_CHANGE_ADD",
        Some(Change::Min) => "STM_CHANGE_MIN",
        Some(Change::Max) => "STM_CHANGE_MAX",
        Some(Change::And) => "STM_CHANGE_AND",
        Some(Change::Or) => "STM_CHANGE_OR",
        Some(Change::Xor) => "STM_CHANGE_XOR",
    }
}

/// Prints the changes of a procedure as constants, and whether a transaction can end before it commits.
pub(super) fn put(out: &mut String, unit: &UnitSpec<'_>, index: usize) {
    let slots = unit.procedures[index].facts.slots;
    let _ = write!(out, "  STM_DEVICE static constexpr stm_change slot_change(u32 slot) {{ ");
    for (slot, _) in slots.iter().enumerate() {
        let _ = write!(out, "if (slot == {slot}) return {}; ", name(change_of(unit.procedures[index], slot)));
    }
    out.push_str("return STM_CHANGE_NONE; }\n");
    let _ = writeln!(out, "  static constexpr bool IS_BOUNDED = {};", is_bounded(unit.procedures[index]));
}

/// Returns whether the order of the procedure's transactions does not matter, among all of the unit whose order does not matter.
pub(super) fn commutes(unit: &UnitSpec<'_>, index: usize) -> bool {
    let others: Vec<usize> =
        (0..unit.procedures.len()).filter(|other| Visited::AnyOrder.may_contain(unit.procedures[*other])).collect();
    if !others.contains(&index) {
        return false;
    }
    let mut kinds: BTreeMap<usize, Kind> = BTreeMap::new();
    for specialization in unit.specializations.iter().filter(|of| others.contains(&of.procedure)) {
        for (array, change) in changes(unit, specialization) {
            kinds.entry(array).or_default().add(change);
        }
    }
    let own = unit.specializations.iter().filter(|of| of.procedure == index);
    own.flat_map(|of| changes(unit, of)).all(|(array, _)| kinds.get(&array).is_none_or(Kind::is_one))
}

/// Returns the arrays whose elements such transactions change by sums.
pub(super) fn summed(unit: &UnitSpec<'_>) -> Vec<usize> {
    let of: Vec<bool> = (0..unit.procedures.len()).map(|index| commutes(unit, index)).collect();
    let all = unit.specializations.iter().filter(|specialization| of[specialization.procedure]);
    let sums = all.flat_map(|of| changes(unit, of)).filter(|(_, change)| *change == Some(Change::Add));
    sums.map(|(array, _)| array).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the arrays of a specialization's slots, each with its change; `None` for one that is only read.
fn changes(unit: &UnitSpec<'_>, specialization: &SpecializationSpec) -> Vec<(usize, Option<Change>)> {
    let procedure = unit.procedures[specialization.procedure];
    let nth = |slot: &Slot| {
        let before = &procedure.params[..slot.param as usize];
        before.iter().filter(|param| param.role.array().is_some()).count()
    };
    let of_slot = |(at, slot): (usize, &Slot)| {
        let array = *specialization.arrays.get(nth(slot))?;
        unit.arrays[array].is_locked().then(|| (array, change_of(procedure, at)))
    };
    procedure.facts.slots.iter().enumerate().filter_map(of_slot).collect()
}

fn change_of(procedure: &ProcedureSpec, slot: usize) -> Option<Change> {
    let written = procedure.facts.flow.written;
    written.iter().find(|written| written.slot as usize == slot).and_then(|written| written.change)
}

/// The changes of the elements of an array.
#[derive(Default)]
struct Kind {
    changes: Vec<Change>,
    is_read: bool,
}

impl Kind {
    fn add(&mut self, change: Option<Change>) {
        match change {
            None => self.is_read = true,
            Some(change) if !self.changes.contains(&change) => self.changes.push(change),
            Some(_) => {}
        }
    }

    /// Returns whether all changes commute with each other, and elements that transactions only read change by sums: between two
    /// values, that is.
    fn is_one(&self) -> bool {
        match self.changes.as_slice() {
            [] | [Change::Add] => true,
            [_] => !self.is_read,
            _ => false,
        }
    }
}
