//! The transactions of the skip list.
//!
//! A node is five links, one for each level; node 0 is the head. A link holds the next node and its key, so that a step along the
//! list is one access.

use stm_runtime::prelude::*;

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub(super) what: What,
    pub(super) key: u32,
    /// The node that an insertion uses: each insertion has its own.
    pub(super) node: u32,
    pub(super) height: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Search,
    Insert,
    Delete,
}

/// Levels of the list.
pub(super) const LEVELS: u32 = 5;
/// The key after the last node.
pub(super) const END: u32 = u32::MAX;

/// Returns the link to a node.
#[gpu_fn]
pub(super) fn link(key: u32, node: u32) -> u64 {
    (key as u64) << 32 | node as u64
}

/// Returns the key of the node that a link leads to.
#[gpu_fn]
pub(super) fn key_of(link: u64) -> u32 {
    (link >> 32) as u32
}

/// Returns the node that a link leads to.
#[gpu_fn]
pub(super) fn node_of(link: u64) -> u32 {
    link as u32
}

/// Returns for each level the last node before a key, and its link, which leads to the key or beyond.
#[gpu_fn]
fn find(tx: &mut Tx, links: &Shared<u64>, key: u32, nodes: &mut [u32; 5], found: &mut [u64; 5]) -> TxResult {
    let mut node = 0;
    for down in 1..=LEVELS {
        let level = LEVELS - down;
        let mut next = tx.read(links, node * LEVELS + level)?;
        while key_of(next) < key {
            node = node_of(next);
            next = tx.read(links, node * LEVELS + level)?;
        }
        nodes[level as usize] = node;
        found[level as usize] = next;
    }
    Ok(())
}

macro_rules! of_so_many_links {
    ($($most:literal => $name:ident,)*) => {
        $(
        mod $name {
            use stm_runtime::prelude::*;

            use super::{find, key_of, link, node_of, LEVELS};

            /// Returns whether the key is in the list.
            #[gpu_transaction(max_accesses = $most)]
            pub(super) fn search(tx: &mut Tx, links: &Shared<u64>, key: u32) -> TxResult<bool> {
                let mut nodes = [0; 5];
                let mut found = [0; 5];
                find(tx, links, key, &mut nodes, &mut found)?;
                Ok(key_of(found[0]) == key)
            }

            /// Inserts a node of that height with the key, unless the key exists.
            #[gpu_transaction(max_accesses = $most)]
            pub(super) fn insert(tx: &mut Tx, links: &Shared<u64>, key: u32, node: u32, height: u32) -> TxResult<bool> {
                let mut nodes = [0; 5];
                let mut found = [0; 5];
                find(tx, links, key, &mut nodes, &mut found)?;
                if key_of(found[0]) == key {
                    return Ok(false);
                }
                for level in 0..height {
                    let at = level as usize;
                    tx.write(links, node * LEVELS + level, found[at])?;
                    tx.write(links, nodes[at] * LEVELS + level, link(key, node))?;
                }
                Ok(true)
            }

            /// Deletes the node with the key, if there is one.
            #[gpu_transaction(max_accesses = $most)]
            pub(super) fn delete(tx: &mut Tx, links: &Shared<u64>, key: u32) -> TxResult<bool> {
                let mut nodes = [0; 5];
                let mut found = [0; 5];
                find(tx, links, key, &mut nodes, &mut found)?;
                for level in 0..LEVELS {
                    let at = level as usize;
                    if key_of(found[at]) == key {
                        let next = tx.read(links, node_of(found[at]) * LEVELS + level)?;
                        tx.write(links, nodes[at] * LEVELS + level, next)?;
                    }
                }
                Ok(key_of(found[0]) == key)
            }
        }
        )*

        /// Adds a transaction to the batch, of a procedure that follows at least that many links.
        pub(super) fn push(batch: &mut Batch, links: &Shared<u64>, steps: u32, transaction: Change) {
            let Change { key, node, height, .. } = transaction;
            match (steps, transaction.what) {
                $(
                (0..=$most, What::Search) => _ = batch.push($name::search::call(links, key)),
                (0..=$most, What::Insert) => _ = batch.push($name::insert::call(links, key, node, height)),
                (0..=$most, What::Delete) => _ = batch.push($name::delete::call(links, key)),
                )*
                (_, What::Search) => _ = batch.push(most::search::call(links, key)),
                (_, What::Insert) => _ = batch.push(most::insert::call(links, key, node, height)),
                (_, What::Delete) => _ = batch.push(most::delete::call(links, key)),
            }
        }
    };
}

of_so_many_links! {
    64 => few,
    256 => some,
    1_024 => many,
    4_096 => more,
    16_384 => most,
}
