//! The reasons why facts do not hold, as sentences for people.

use super::flow::{Access, Flow};
use crate::ir::flat::Transaction;

/// Returns where an access stands, as in ``accounts[i]` at line 12`.
pub(super) fn place(tx: &Transaction, access: &Access) -> String {
    let (file, line) = (tx.file_of(access.at), tx.position(access.at).line);
    let text = &tx.locations[access.location.0 as usize].decl.text;
    let of = if file == tx.file { String::new() } else { format!(" of {file}") };
    format!("`{text}` at line {line}{of}")
}

/// Returns why the addresses are not known before the transaction runs, if they are not.
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
