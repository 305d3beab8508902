//! The buffer for the lines that transactions print: the names and sizes that both sides know.
//!
//! The buffer is [`HEAD`] words and then records: one word that names the line, and a word for each component of its values.

use std::fmt::Write as _;

/// Words before the records: how many words of records were requested, and how many lines found no room.
pub const HEAD: usize = 2;

/// Words of the records of one launch: 8 MiB, some hundred thousand lines.
pub const ROOM: usize = 1 << 20;

/// Returns the word that names the line at a location of a procedure of the unit. It is never 0, so that unwritten words are
/// detected.
#[must_use]
pub const fn name(procedure: usize, location: u32) -> u64 {
    (procedure as u64 + 1) << 32 | location as u64
}

/// Returns the procedure and the location that a word names; `None` for a word that names no line.
#[must_use]
pub const fn named(word: u64) -> Option<(usize, u32)> {
    match (word >> 32).checked_sub(1) {
        Some(procedure) => Some((procedure as usize, word as u32)),
        None => None,
    }
}

/// Prints the constants.
pub(crate) fn put_constants(out: &mut String) {
    let _ = writeln!(out, "constexpr unsigned long long STM_LINE_HEAD = {HEAD}, STM_LINE_ROOM = {ROOM};");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for (procedure, location) in [(0, 0), (0, u32::MAX), (7, 3)] {
            assert_eq!(named(name(procedure, location)), Some((procedure, location)));
        }
        assert_eq!(named(0), None);
        assert_eq!(named(u64::from(u32::MAX)), None);
    }
}
