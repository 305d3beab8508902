//! `gpu_println!`: the words of its values go into the launch's buffer. The host knows the line by its site, and formats them.

use super::literal;
use crate::ir::{Piece, SiteId, Transaction};

/// The statements that write a line down, of which the first may open a block that the caller closes.
pub(super) struct Printed {
    /// Takes room in the buffer; with values, it opens the block of `stores`.
    pub(super) head: String,
    /// Store the words.
    pub(super) stores: Vec<String>,
}

/// What writes down the leaves of a line.
pub(super) fn print(tx: &Transaction, pieces: &[Piece], site: SiteId) -> Printed {
    let leaves = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Value(atom, _) => Some(literal::atom(tx, atom)),
    });
    let stores: Vec<String> = leaves.enumerate().map(|(k, leaf)| format!("line[{k}] = stm_to_word({leaf});")).collect();
    let room = format!("STM_LINE({}, {})", site.0, stores.len());
    let head = if stores.is_empty() { format!("{room};") } else { format!("if (u64* line = {room})") };
    Printed { head, stores }
}
