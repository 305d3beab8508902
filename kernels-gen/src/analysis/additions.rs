//! Writes that add something that follows to what a read of the element has found.
//!
//! Where nothing is written between the read and the write, that is what the element holds. Else the transaction may have written to it
//! under another address.

use std::collections::BTreeMap;

use super::facts::OwnedAddition;
use super::flow::{Access, Flow};
use super::slots::Slots;
use super::values::{Node, ValueId};
use crate::ir::{Arith, ArrayId, LocationId};

/// The most operations of a sum.
const MOST: usize = 16;

/// What every write of a location to an array adds to what the element held; `None` where one does otherwise.
pub(super) type Additions = BTreeMap<(LocationId, ArrayId), Option<OwnedAddition>>;

pub(super) fn find(flow: &Flow) -> Additions {
    let mut additions = Additions::new();
    for (number, write) in flow.accesses.iter().enumerate().filter(|(_, access)| access.write) {
        let found = added_to(flow, write).map(|(read, arrays, is_nothing)| {
            let between = flow.accesses[read..number].iter().filter(|between| between.write);
            let between = between.fold(Slots::default(), |all, between| all.or(&Slots::one(between.element.0.0)));
            OwnedAddition { arrays: arrays.list(), between: between.list(), is_nothing }
        });
        let both =
            |all: &mut Option<OwnedAddition>| *all = all.take().zip(found.as_ref()).map(|(all, one)| all.or(one));
        additions.entry((write.location, write.element.0)).and_modify(both).or_insert_with(|| found.clone());
    }
    additions
}

/// Returns the number of the read to which a write adds, the arrays that decide what it adds, and whether that is nothing.
fn added_to(flow: &Flow, write: &Access) -> Option<(usize, Slots, bool)> {
    let mut sum = write.value?;
    let (mut arrays, mut is_nothing) = (Slots::default(), true);
    for _ in 0..MOST {
        let (adds, a, b) = match flow.values.node(sum) {
            Node::Read(read) => {
                let is_same = flow.accesses[*read as usize].element == write.element;
                return (is_same && (is_nothing || write.scalar.is_int())).then_some((
                    *read as usize,
                    arrays,
                    is_nothing,
                ));
            }
            Node::Arith(op @ (Arith::Add | Arith::Sub), _, a, b) => (*op == Arith::Add, *a, *b),
            Node::Device(name, _, args) => match (name.as_str(), args.as_slice()) {
                ("rs_wrapping_add", [a, b]) => (true, *a, *b),
                ("rs_wrapping_sub", [a, b]) => (false, *a, *b),
                _ => return None,
            },
            _ => return None,
        };
        let may_hold = |value: ValueId| flow.values.arrays_of(value).is_none_or(|of| of.has(write.element.0.0));
        let (next, added) = if adds && !may_hold(a) { (b, a) } else { (a, b) };
        (sum, is_nothing) = (next, false);
        arrays = arrays.or(&flow.values.arrays_of(added)?);
    }
    None
}
