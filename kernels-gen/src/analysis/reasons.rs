//! Why a fact does not hold, as a sentence for people.

use super::flow::{Access, Flow};
use crate::ir::flat::Transaction;

/// ``accounts[i]` at line 12`: where an access stands.
pub(super) fn place(tx: &Transaction, access: &Access) -> String {
    let (file, line) = (tx.file_of(access.at), tx.position(access.at).line);
    let text = &tx.locations[access.location.0 as usize].decl.text;
    let of = if file == tx.file { String::new() } else { format!(" of {file}") };
    format!("`{text}` at line {line}{of}")
}

/// Why the addresses are not known before the transaction runs, if they are not.
pub(super) fn unordered(tx: &Transaction, flow: &Flow) -> Option<String> {
    let argument_only = flow.values.argument_only();
    flow.accesses.iter().find_map(|access| {
        if access.in_loop {
            return Some(format!("{} is in a loop", place(tx, access)));
        }
        let known = argument_only[access.index.0 as usize];
        (!known).then(|| format!("the index of {} is not computed from the arguments alone", place(tx, access)))
    })
}
