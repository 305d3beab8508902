//! The parameter block that a launch passes to the kernel.
//!
//! Both sides are made from the tables in this file: the host fills [`Launch`] and sends its words; the linker prints the matching
//! `struct stm_params`.

use std::fmt::Write as _;

/// The addresses of one array on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArrayAddress {
    /// The cells, or the packed elements.
    pub data: u64,
    /// The lock words; 0 where the layout has no separate ones.
    pub locks: u64,
    /// The number of elements.
    pub len: u64,
    /// The engine's memory for the array; 0 if it has none.
    pub extra: u64,
}

/// The parameters of one launch; addresses are device addresses, and 0 where the unit does not use them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct Launch {
    /// Transactions of the batch (or of the chunk of it that is on the device).
    pub transactions: u64,
    /// 1 where no transaction has been visited yet, so that the first pass need not read their status.
    pub fresh: u64,
    /// Lanes of each warp that work, 1 to 32.
    pub lanes: u64,
    /// The most passes of each thread over the unfinished transactions of its range.
    pub passes: u64,
    /// The most attempts at one transaction in a pass.
    pub attempts: u64,
    /// Device nanoseconds after which threads stop before their next transaction.
    pub budget_ns: u64,
    /// Seed of the back-off.
    pub seed: u64,
    /// `u8` per transaction.
    pub status: u64,
    /// `u32` per transaction.
    pub detail: u64,
    /// `u64` per component and transaction: those of the first component of every transaction, then those of the second.
    pub results: u64,
    /// `u16` per transaction.
    pub specializations: u64,
    /// [`Counter::COUNT`](super::counters::Counter::COUNT) words.
    pub counters: u64,
    /// A word for each location of each procedure; only in profiled units.
    pub locations: u64,
    /// The history; only in recording units.
    pub log: u64,
    /// Words of history for each transaction.
    pub log_stride: u64,
    /// The engine's memory for the run; 0 if it has none.
    pub run: u64,
    /// The engine's memory for the transactions on the device; 0 if it has none.
    pub chunk: u64,
    /// Groups of transactions that work on one partition each, for engines that keep partitions in block memory.
    pub groups: u64,
    /// `u32` per group, and one more: its first transaction. The last entry is the number of transactions.
    pub starts: u64,
    /// `u32` per group: its partition.
    pub parts: u64,
    /// What transactions print ([`super::lines`]); only in units that print.
    pub lines: u64,
    /// The argument columns.
    pub columns: Vec<u64>,
    pub arrays: Vec<ArrayAddress>,
}

/// The fields of `stm_params` that every unit has, in order: C type and name.
const FIELDS: [(&str, &str); 21] = [
    ("u64", "transactions"),
    ("u64", "fresh"),
    ("u64", "lanes"),
    ("u64", "passes"),
    ("u64", "attempts"),
    ("u64", "budget_ns"),
    ("u64", "seed"),
    ("u8*", "status"),
    ("u32*", "detail"),
    ("u64*", "results"),
    ("const u16*", "specializations"),
    ("u64*", "counters"),
    ("u64*", "locations"),
    ("u64*", "log"),
    ("u64", "log_stride"),
    ("u64*", "run"),
    ("u64*", "chunk"),
    ("u64", "groups"),
    ("const u32*", "starts"),
    ("const u32*", "parts"),
    ("u64*", "lines"),
];

impl Launch {
    /// Returns the parameter block, word by word; the kernel takes it by value.
    #[must_use]
    pub fn words(&self) -> Vec<u64> {
        let head = [
            self.transactions,
            self.fresh,
            self.lanes,
            self.passes,
            self.attempts,
            self.budget_ns,
            self.seed,
            self.status,
            self.detail,
            self.results,
            self.specializations,
            self.counters,
            self.locations,
            self.log,
            self.log_stride,
            self.run,
            self.chunk,
            self.groups,
            self.starts,
            self.parts,
            self.lines,
        ];
        debug_assert_eq!(head.len(), FIELDS.len());
        let places = (0..places(self.columns.len(), self.arrays.len())).flat_map(|at| {
            let column = self.columns.get(at).copied().unwrap_or_default();
            let array = self.arrays.get(at).copied().unwrap_or_default();
            [column, array.data, array.locks, array.len, array.extra]
        });
        head.into_iter().chain(places).collect()
    }
}

/// Returns the number of places. Place `i` holds column `i` and array `i`, so that positions do not depend on their number: a part
/// of a unit stays the same when the batch gets more of them.
pub(crate) fn places(columns: usize, arrays: usize) -> usize {
    columns.max(arrays)
}

/// The fields of `stm_address`, in order: C type and name.
const ADDRESS: [(&str, &str); 4] = [("u8*", "data"), ("u64*", "locks"), ("u64", "len"), ("u8*", "extra")];

/// Prints `struct stm_address`.
pub(crate) fn put_address(out: &mut String) {
    put_struct(out, "stm_address", &ADDRESS, "");
    put_asserts(out, "stm_address", &ADDRESS, ADDRESS.len());
}

/// Prints `struct stm_params` with that many places.
pub(crate) fn put_params(out: &mut String, places: usize) {
    put_struct(out, "stm_parameter", &[("const void*", "column"), ("stm_address", "array")], "");
    let at = if places > 0 { format!("  stm_parameter at[{places}];\n") } else { String::new() };
    put_struct(out, "stm_params", &FIELDS, &at);
    put_asserts(out, "stm_params", &FIELDS, FIELDS.len() + places * (1 + ADDRESS.len()));
}

fn put_struct(out: &mut String, name: &str, fields: &[(&str, &str)], last: &str) {
    let _ = writeln!(out, "struct {name} {{");
    fields.iter().for_each(|(ty, name)| _ = writeln!(out, "  {ty} {name};"));
    let _ = writeln!(out, "{last}}};");
}

/// Makes the device's compiler check that a structure has that many words, and that each field is one word. The fields have the
/// order of the table, so each is then at the offset of its number. NVRTC has no `offsetof`.
fn put_asserts(out: &mut String, name: &str, fields: &[(&str, &str)], words: usize) {
    let _ = write!(out, "static_assert(sizeof({name}) == {}", 8 * words);
    fields.iter().for_each(|(_, field)| _ = write!(out, " && sizeof({name}::{field}) == 8"));
    out.push_str(", \"host and device agree\");\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_follow_the_fields() {
        let launch = Launch {
            transactions: 7,
            log_stride: 9,
            run: 10,
            columns: vec![11, 12],
            arrays: vec![ArrayAddress { data: 21, locks: 22, len: 23, extra: 24 }],
            ..Launch::default()
        };
        let words = launch.words();
        assert_eq!((words[0], words[14], words[15]), (7, 9, 10));
        assert_eq!(words[FIELDS.len()..], [11, 21, 22, 23, 24, 12, 0, 0, 0, 0]);
    }
}
