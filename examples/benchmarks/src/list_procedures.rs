//! The transactions of the sorted list: each walks along the list to its key.

use stm_runtime::prelude::*;

/// A node of the list.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Node {
    pub(super) key: u32,
    /// The node with the next larger key.
    pub(super) next: u32,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub(super) what: What,
    pub(super) key: u32,
    /// The node that an insertion uses: each insertion has its own.
    pub(super) node: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Find,
    Insert,
    Delete,
}

/// The node before all others. Its key does not matter.
pub(super) const HEAD: u32 = 0;
/// The node after all others.
pub(super) const TAIL: u32 = 1;
/// The key of the tail, which is greater than all others.
pub(super) const END: u32 = u32::MAX;

/// A place in the list.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Place {
    /// The last node with a smaller key.
    before: u32,
    /// The node after it.
    at: u32,
    /// The key of that node.
    key: u32,
    /// The node after that one.
    next: u32,
}

/// Returns the place of a key: its node, or the one with the next larger key.
#[gpu_fn]
fn find(tx: &mut Tx, nodes: &Shared<Node>, key: u32) -> TxResult<Place> {
    let mut before = HEAD;
    let mut at = tx.read(&nodes.next, HEAD)?;
    let mut node = tx.read(nodes, at)?;
    while node.key < key {
        before = at;
        at = node.next;
        node = tx.read(nodes, at)?;
    }
    Ok(Place { before, at, key: node.key, next: node.next })
}

macro_rules! of_at_most {
    ($($keys:literal, $most:literal => $name:ident,)*) => {
        $(
        mod $name {
            use stm_runtime::prelude::*;

            use super::{Node, find};

            /// Returns whether the key is in the list.
            #[gpu_transaction(max_accesses = $most)]
            pub(super) fn contains(tx: &mut Tx, nodes: &Shared<Node>, key: u32) -> TxResult<bool> {
                let place = find(tx, nodes, key)?;
                Ok(place.key == key)
            }

            /// Inserts a node with the key, unless the key exists; returns whether it did.
            #[gpu_transaction(max_accesses = $most)]
            pub(super) fn insert(tx: &mut Tx, nodes: &Shared<Node>, key: u32, node: u32) -> TxResult<bool> {
                let place = find(tx, nodes, key)?;
                if place.key == key {
                    return Ok(false);
                }
                tx.write(nodes, node, Node { key, next: place.at })?;
                tx.write(&nodes.next, place.before, node)?;
                Ok(true)
            }

            /// Takes the node with the key out of the list, if there is one; returns whether there was.
            #[gpu_transaction(max_accesses = $most)]
            pub(super) fn delete(tx: &mut Tx, nodes: &Shared<Node>, key: u32) -> TxResult<bool> {
                let place = find(tx, nodes, key)?;
                if place.key == key {
                    tx.write(&nodes.next, place.before, place.next)?;
                }
                Ok(place.key == key)
            }
        }
        )*

        /// The most keys of a list: its walks have to be bounded.
        pub(super) const MOST_KEYS: u32 = {
            let all = [$($keys),*];
            all[all.len() - 1]
        };

        /// Adds a transaction to the batch, on a list that has at most that many different keys.
        pub(super) fn push(batch: &mut Batch, nodes: &Shared<Node>, keys: u32, transaction: Change) {
            let Change { key, node, .. } = transaction;
            match (keys, transaction.what) {
                $(
                (0..=$keys, What::Find) => _ = batch.push($name::contains::call(nodes, key)),
                (0..=$keys, What::Insert) => _ = batch.push($name::insert::call(nodes, key, node)),
                (0..=$keys, What::Delete) => _ = batch.push($name::delete::call(nodes, key)),
                )*
                // `MOST_KEYS` is the most that the command line accepts.
                _ => {}
            }
        }
    };
}

// A walk reads two fields of every node, of the head and of the tail, and an insertion writes those of one more.
of_at_most! {
    100, 206 => hundred,
    1_000, 2_006 => thousand,
    10_000, 20_006 => ten_thousand,
}
