//! `gpu_println!`: the words of its values are stored in the launch's buffer. The host knows the line by its location, and formats
//! them.

use super::literal;
use crate::ir::LocationId;
use crate::ir::flat::{Atom, Transaction};

/// The statements that record a line. The first may open a block that the caller closes.
pub(super) struct Printed {
    /// Reserves room in the buffer; with values, it opens the block of `stores`.
    pub(super) head: String,
    /// Statements that store the words.
    pub(super) stores: Vec<String>,
}

/// Returns the statements that record the components of a line.
pub(super) fn print(tx: &Transaction, values: &[Atom], location: LocationId) -> Printed {
    let store = |(k, value)| format!("line[{k}] = stm_to_word({});", literal::atom(tx, value));
    let stores: Vec<String> = values.iter().enumerate().map(store).collect();
    let room = format!("STM_LINE({}, {})", location.0, stores.len());
    let head = if stores.is_empty() { format!("{room};") } else { format!("if (u64* line = {room})") };
    Printed { head, stores }
}
