//! From the flat form to [`OwnedFacts`]: what the generated code knows and a library cannot.

mod additions;
mod data_flow;
mod decision;
mod facts;
mod flow;
mod footprint;
mod foresight;
mod forms;
mod order;
mod path;
mod pieces;
mod reasons;
mod slices;
mod slots;
mod sums;
mod values;

pub use facts::{
    Address, GuardFact, OwnedAddition, OwnedDataFlow, OwnedFacts, OwnedForeseenWrite, OwnedForesight, OwnedPieceInputs,
    OwnedSources,
};
pub use footprint::Problem;
pub use pieces::PieceCode;
pub use sums::OwnedSums;
pub use values::{Node, ValueId, Values};

use crate::ir::flat::Transaction;

/// Finds the facts of a flat transaction.
///
/// # Errors
/// Fails if the transaction touches too many elements, or if they cannot be counted.
pub fn analyse(tx: &Transaction) -> Result<OwnedFacts, Problem> {
    let flow = flow::trace(tx);
    let footprint = footprint::find(tx, &flow)?;
    let slices = slices::find(tx, &footprint.slot_of, footprint.slots.len());
    let unordered = reasons::unordered(tx, &flow);
    let mut data_flow = data_flow::find(tx, &flow, &footprint, &slices, unordered.as_ref());
    let additions = additions::find(&flow);
    // What is added may itself follow from the old value.
    let adds = |key: &pieces::Key| {
        let addition = additions.get(key).and_then(Option::as_ref);
        addition.is_some_and(|addition| !addition.arrays.contains(&key.1.0))
    };
    let pieces = pieces::find(tx, &flow, adds);
    data_flow.foresight = foresight::find(tx, &flow, additions, &pieces);
    let read_only = flow.accesses.iter().all(|a| !a.write);
    let blind_writes = flow.accesses.iter().any(|a| a.write && !a.read_before);
    let is_counted = |a: &flow::Access| a.in_loop && footprint.stated;
    let is_seen = |param: u32| flow.accesses.iter().any(|a| a.element.0.0 == param && (a.write || is_counted(a)));
    let arrays = (0..).zip(&tx.params).filter(|(_, param)| param.is_array());
    let unseen = arrays.map(|(param, _)| param).filter(|param| !is_seen(*param)).collect();
    let sums = sums::find(tx, &flow, footprint.stated);
    Ok(OwnedFacts {
        slots: footprint.slots,
        slot_of: footprint.slot_of,
        addresses: footprint.addresses,
        values: flow.values,
        indexed: footprint.indexed,
        accesses: u32::try_from(flow.accesses.len()).unwrap_or(u32::MAX),
        stated: footprint.stated,
        read_only,
        blind_writes,
        unseen,
        sums,
        orderable: unordered.is_none(),
        inexact: footprint.inexact,
        unordered,
        guards: slices.guards,
        pieces,
        flow: data_flow,
    })
}
