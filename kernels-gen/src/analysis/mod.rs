//! From the intermediate form to [`Facts`]: what the generated code knows and a library cannot.

mod facts;
mod flow;
mod footprint;
mod guards;
pub(crate) mod infer;
mod typeck;
mod values;

pub use facts::{Address, Facts, GuardFact};
pub(crate) use typeck::{SiteMap, check_types};
pub use values::{Node, ValueId, Values};

use crate::diag::{Diagnostics, Extent};
use crate::ir::Transaction;

/// Finds the facts of a transaction whose types are checked. `extents` are the tokens of its places.
pub(crate) fn analyse(tx: &Transaction, extents: &[Extent], diags: &mut Diagnostics) -> Facts {
    let flow = flow::trace(tx);
    let footprint = footprint::find(tx, &flow, extents, diags);
    let guards = guards::find(tx, &footprint.slot_of);
    let read_only = flow.accesses.iter().all(|a| !a.write);
    let blind_writes = flow.accesses.iter().any(|a| a.write && !a.read_before);
    let argument_only = flow.values.argument_only();
    let orderable = flow.accesses.iter().all(|a| !a.in_loop)
        && footprint.addresses.iter().all(|address| argument_only[address.index.0 as usize]);
    Facts {
        slots: footprint.slots,
        slot_of: footprint.slot_of,
        addresses: footprint.addresses,
        values: flow.values,
        indexed: footprint.indexed,
        stated: footprint.stated,
        read_only,
        blind_writes,
        orderable,
        guards,
    }
}
