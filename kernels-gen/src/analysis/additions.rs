//! Writes that add something that follows from the arguments to what a read of the element has found.
//!
//! Where nothing is written between the read and the write, that is what the element holds. Else the transaction may have written to it
//! under another address.

use std::collections::BTreeMap;

use super::flow::{Access, Flow};
use super::values::{Node, ValueId};
use crate::ir::Arith;

/// The most operations of a sum.
const MOST: usize = 16;

/// Returns the locations of which every write is one of these, and those of them where nothing is written in between, ascending.
pub(super) fn find(flow: &Flow) -> [Vec<u32>; 2] {
    let mut locations = BTreeMap::new();
    for (number, write) in flow.accesses.iter().enumerate().filter(|(_, access)| access.write) {
        let read = added_to(flow, write);
        let is_immediate = read.is_some_and(|read| flow.accesses[read..number].iter().all(|between| !between.write));
        let (adds, immediate) = locations.entry(write.location.0).or_insert((true, true));
        *adds &= read.is_some();
        *immediate &= is_immediate;
    }
    let those = |is_meant: fn(&(bool, bool)) -> bool| {
        locations.iter().filter(|(_, facts)| is_meant(facts)).map(|(location, _)| *location).collect()
    };
    [those(|(adds, _)| *adds), those(|(_, immediate)| *immediate)]
}

/// Returns the number of the read to which a write adds.
fn added_to(flow: &Flow, write: &Access) -> Option<usize> {
    let mut sum = write.value.filter(|_| write.scalar.is_int())?;
    for _ in 0..MOST {
        let follows = |value: &ValueId| flow.values.is_independent(*value);
        sum = match flow.values.node(sum) {
            Node::Read(read) => {
                let read = *read as usize;
                return (flow.accesses[read].element == write.element).then_some(read);
            }
            Node::Arith(Arith::Add | Arith::Sub, _, a, b) if follows(b) => *a,
            Node::Arith(Arith::Add, _, a, b) if follows(a) => *b,
            Node::Device(name, _, args) => match (name.as_str(), args.as_slice()) {
                ("rs_wrapping_add" | "rs_wrapping_sub", [a, b]) if follows(b) => *a,
                ("rs_wrapping_add", [a, b]) if follows(a) => *b,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}
