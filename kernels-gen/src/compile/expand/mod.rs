//! From the open stage to the flat one: calls are replaced by the bodies of their functions, and compound values become scalars
//! and arrays of scalars.
//!
//! A value is a list of atoms, one for each of its groups ([`super::shape`]). A variable that never changes needs no
//! copy of a value that never changes: it *is* those atoms. A `&mut` parameter is the caller's place.
//!
//! Scalar variables keep their numbers and their statements, so a transaction of scalars is not changed.

mod array;
mod binding;
mod calls;
mod compare;
mod constants;
mod expander;
mod fold;
mod methods;
mod named;
mod places;
mod print;
mod signature;
mod stmt;
mod values;

use std::collections::{HashMap, HashSet};

use super::resolve::Resolved;
use crate::ir::PositionId;
use crate::ir::flat::Transaction;

use expander::{Expanded, Expander, Frame};

/// Expands a transaction.
pub(super) fn expand(resolved: &Resolved<'_>) -> Expanded<Transaction> {
    let open = &resolved.program.tx;
    let flat = Transaction {
        name: open.name.clone(),
        file: open.file.clone(),
        at: open.at,
        params: Vec::new(),
        results: Vec::new(),
        vars: Vec::new(),
        body: Vec::new(),
        locations: Vec::new(),
        positions: open.positions.clone(),
        files: Vec::new(),
        loops: open.loops,
        lines: Vec::new(),
        options: open.options,
    };
    let mut expander = Expander {
        flat,
        known: HashMap::new(),
        compared: HashSet::new(),
        part: None,
        frames: vec![Frame::new(resolved)],
        out: Vec::new(),
        at: PositionId(0),
        looping: 0,
        written: 0,
    };
    expander.append_locations(resolved);
    expander.parameters()?;
    expander.find_named();
    expander.result_type()?;
    let body = expander.block(&open.body, true)?;
    expander.out.extend(body);
    expander.flat.body = expander.out;
    Ok(expander.flat)
}
