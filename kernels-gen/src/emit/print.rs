//! `gpu_println!`: the words of its values go into the launch's buffer. The host knows the line by its location, and formats them.

use super::literal;
use crate::ir::{LocationId, Piece, Transaction};

/// The statements that write a line down, of which the first may open a block that the caller closes.
pub(super) struct Printed {
    /// Takes room in the buffer; with values, it opens the block of `stores`.
    pub(super) head: String,
    /// Store the words.
    pub(super) stores: Vec<String>,
}

/// What writes down the components of a line.
pub(super) fn print(tx: &Transaction, pieces: &[Piece], location: LocationId) -> Printed {
    let components = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Value(atom, _) => Some(literal::atom(tx, atom)),
    });
    let stores: Vec<String> =
        components.enumerate().map(|(k, component)| format!("line[{k}] = stm_to_word({component});")).collect();
    let room = format!("STM_LINE({}, {})", location.0, stores.len());
    let head = if stores.is_empty() { format!("{room};") } else { format!("if (u64* line = {room})") };
    Printed { head, stores }
}
