//! What can be known of a transaction before it runs.

use std::collections::{BTreeMap, BTreeSet};

use super::additions::Additions;
use super::facts::{OwnedForeseenWrite, OwnedForesight, OwnedPieceInputs};
use super::flow::{Access, Flow};
use super::pieces::{Key, PieceCode};
use super::slices::{self, Decisive};
use super::slots::Slots;
use crate::ir::flat::Transaction;
use crate::ir::{ArrayId, LocationId};

pub(super) fn find(
    tx: &Transaction,
    flow: &Flow,
    mut additions: Additions,
    pieces: &BTreeMap<Key, PieceCode>,
) -> OwnedForesight {
    let Decisive { accesses, result, doubts, writes } = slices::decisive(tx, pieces);
    let times = times(flow);
    let write = |(key, [address, value, inputs]): (&Key, &[Slots; 3])| OwnedForeseenWrite {
        location: key.0,
        array: key.1,
        times: times.get(key).copied().flatten().and_then(|times| u32::try_from(times).ok()),
        address: address.list(),
        value: value.list(),
        addition: additions.remove(key).flatten(),
        piece: pieces.get(key).map(|piece| OwnedPieceInputs { arrays: inputs.list(), between: piece.between.clone() }),
    };
    OwnedForesight {
        accesses: accesses.list(),
        result: result.list(),
        writes: writes.iter().map(write).collect(),
        doubts: doubts.iter().map(|(location, arrays)| (*location, arrays.list())).collect(),
        together: together(flow),
    }
}

/// Returns the rows of writes at one index, each as its arrays. No array of a row is read between the first write and its own.
fn together(flow: &Flow) -> Vec<Vec<u32>> {
    let mut rows = BTreeSet::new();
    let (mut row, mut read, mut last): (Vec<u32>, BTreeSet<u32>, Option<&Access>) = Default::default();
    for access in &flow.accesses {
        let array = access.element.0.0;
        if !access.write {
            read.insert(array);
            continue;
        }
        let follows = last.is_some_and(|last| (last.line, last.element.1) == (access.line, access.element.1));
        if !follows || read.contains(&array) {
            rows.insert(std::mem::take(&mut row));
            read.clear();
        }
        row.push(array);
        last = Some(access);
    }
    rows.insert(row);
    rows.remove(&Vec::new());
    rows.into_iter().collect()
}

/// Returns how often the writes of each location to an array are made at most.
fn times(flow: &Flow) -> BTreeMap<(LocationId, ArrayId), Option<u64>> {
    let mut times = BTreeMap::new();
    for access in flow.accesses.iter().filter(|access| access.write) {
        let all = times.entry((access.location, access.element.0)).or_insert(Some(0_u64));
        *all = all.zip(access.times).map(|(all, times)| all.saturating_add(times));
    }
    times
}
