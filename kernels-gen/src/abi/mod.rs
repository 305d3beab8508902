//! What host and device agree on: one table for each structure. The linker prints the device's declarations from a table and the
//! host uses its constants, so that no number is written twice.

pub mod counters;
pub mod detail;
pub mod history;
pub mod launch;
pub mod lines;
pub mod phases;
pub mod profile;
pub mod routes;
pub mod status;

use crate::fault::FaultCode;
use std::fmt::Write as _;

/// Prints the constants that every unit has. The typedefs of the prelude come later, so this text uses none of them.
pub(crate) fn put_constants(out: &mut String) {
    out.push_str("enum stm_fault : unsigned char { ");
    for code in FaultCode::ALL {
        let _ = write!(out, "{} = {}, ", code.cuda(), *code as u8);
    }
    out.push_str("};\ntypedef unsigned int u32;\n");
    status::put(out);
    detail::put(out);
    history::put(out);
    counters::put(out);
    phases::put(out);
}
