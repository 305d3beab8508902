//! The parameter block that a launch passes to the kernel.
//!
//! Both sides are made from the tables in this file: the host fills [`Launch`] and sends its words; the linker prints the matching
//! `struct stm_params`.
//!
//! A place holds an argument column and the addresses of an array. The first [`NEAR_PLACES`] places are parameters, which a kernel
//! reads like constants. Further ones lie in device memory, and the last parameter is their address.

use std::fmt::Write as _;
use std::ops::Range;

/// The places among the parameters. A kernel takes 4,096 bytes of parameters on every device and from every compiler. Only newer ones
/// take 32,764.
pub const NEAR_PLACES: usize = 96;

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
    /// The first of them that this launch visits or executes.
    pub first: u64,
    /// One after the last of them that it visits or executes.
    pub end: u64,
    /// 1 where no transaction has been visited yet, so that the first pass need not read their status. Of the stages that keep sums: 1
    /// where they visit all transactions, so that the sums need only those that do not pass.
    pub fresh: u64,
    /// 1 where the guards that were false still are: transactions that wait for them are not executed.
    pub skips_waiting: u64,
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
    /// What a profiled unit counts, as [`ProfileLayout`](super::profile::ProfileLayout) says; only in such units.
    pub profile: u64,
    /// The history; only in recording units.
    pub log: u64,
    /// Words of history for each transaction.
    pub log_stride: u64,
    /// The engine's memory for the run; 0 if it has none.
    pub run: u64,
    /// The engine's memory for the threads that run transactions; 0 if it is in the memory of their blocks, or the engine has none.
    pub threads: u64,
    /// The memory of one of them, in granules of 16 bytes; 0 if it is local memory. Those of the working lanes of a warp alternate.
    pub thread_granules: u64,
    /// The engine's memory for the transactions on the device; 0 if it has none.
    pub chunk: u64,
    /// The sums of the elements that some stages sum up changes of; 0 if there are none.
    pub sums: u64,
    /// What each block has memory for: copies of the sums of all elements, or claims; 0 for none.
    pub in_block: u64,
    /// Groups of transactions that work on one partition each, for engines that keep partitions in block memory.
    pub groups: u64,
    /// `u32` per group, and one more: its first transaction. The last entry is the number of transactions.
    pub starts: u64,
    /// `u32` per group: its partition.
    pub parts: u64,
    /// What transactions print ([`super::lines`]); only in units that print.
    pub lines: u64,
    /// `u64` per transaction: its row in the batch; 0 where those on the device follow each other. Only where a column is computed.
    pub picked: u64,
    /// Where the transactions are listed by the devices that have their elements, [`routes`](super::routes); 0 if they are not. Only in
    /// clusters.
    pub routes: u64,
    /// The argument columns: the address of each, or the value in row 0 of one that is computed.
    pub columns: Vec<u64>,
    pub arrays: Vec<ArrayAddress>,
    /// The places that are no parameters, [`Launch::far_words`]; 0 if there are none.
    pub far: u64,
}

/// The fields of `stm_params` that every unit has, in order: C type and name.
const FIELDS: [(&str, &str); 30] = [
    ("u64", "transactions"),
    ("u64", "first"),
    ("u64", "end"),
    ("u64", "fresh"),
    ("u64", "skips_waiting"),
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
    ("u64*", "profile"),
    ("u64*", "log"),
    ("u64", "log_stride"),
    ("u64*", "run"),
    ("u8*", "threads"),
    ("u64", "thread_granules"),
    ("u64*", "chunk"),
    ("u64*", "sums"),
    ("u64", "in_block"),
    ("u64", "groups"),
    ("const u32*", "starts"),
    ("const u32*", "parts"),
    ("u64*", "lines"),
    ("const u64*", "picked"),
    ("u64*", "routes"),
];

impl Launch {
    /// Returns the parameter block, word by word; the kernel takes it by value.
    #[must_use]
    pub fn words(&self) -> Vec<u64> {
        let head = [
            self.transactions,
            self.first,
            self.end,
            self.fresh,
            self.skips_waiting,
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
            self.profile,
            self.log,
            self.log_stride,
            self.run,
            self.threads,
            self.thread_granules,
            self.chunk,
            self.sums,
            self.in_block,
            self.groups,
            self.starts,
            self.parts,
            self.lines,
            self.picked,
            self.routes,
        ];
        debug_assert_eq!(head.len(), FIELDS.len());
        let places = places(self.columns.len(), self.arrays.len());
        let far = (places > NEAR_PLACES).then_some(self.far);
        head.into_iter().chain(self.place_words(0..places.min(NEAR_PLACES))).chain(far).collect()
    }

    /// The index of `specializations` among the words.
    pub const SPECIALIZATIONS_WORD: usize = 13;

    /// Returns the index of a column among the words; `None` if it is not among them.
    #[must_use]
    pub fn column_word(at: usize) -> Option<usize> {
        (at < NEAR_PLACES).then_some(FIELDS.len() + PLACE_WORDS * at)
    }

    /// Returns the index of the address of an array's elements among the words; `None` if it is not among them.
    #[must_use]
    pub fn array_word(at: usize) -> Option<usize> {
        Launch::column_word(at).map(|word| word + 1)
    }

    /// Returns the places that lie in device memory, word by word.
    #[must_use]
    pub fn far_words(&self) -> Vec<u64> {
        self.place_words(NEAR_PLACES..places(self.columns.len(), self.arrays.len())).collect()
    }

    fn place_words(&self, places: Range<usize>) -> impl Iterator<Item = u64> {
        places.flat_map(|at| {
            let column = self.columns.get(at).copied().unwrap_or_default();
            let array = self.arrays.get(at).copied().unwrap_or_default();
            [column, array.data, array.locks, array.len, array.extra]
        })
    }
}

/// Returns the number of places. Place `i` holds column `i` and array `i`, so that positions do not depend on their number: a part
/// of a unit stays the same when the batch gets more of them.
pub(crate) fn places(columns: usize, arrays: usize) -> usize {
    columns.max(arrays)
}

/// Returns the bytes of device memory for the places that are no parameters; 0 if all are.
#[must_use]
pub fn far_bytes(columns: usize, arrays: usize) -> usize {
    8 * PLACE_WORDS * places(columns, arrays).saturating_sub(NEAR_PLACES)
}

/// Returns the expression for a place in device code.
pub(crate) fn place(at: usize) -> String {
    match at.checked_sub(NEAR_PLACES) {
        None => format!("p.at[{at}]"),
        Some(far) => format!("p.far[{far}]"),
    }
}

/// Returns the expression for a place whose number is known only at run time, in a unit with `places` places.
pub(crate) fn place_of(number: &str, places: usize) -> String {
    if places <= NEAR_PLACES { format!("p.at[{number}]") } else { format!("stm_parameter_at(p, {number})") }
}

/// The fields of `stm_address`, in order: C type and name.
const ADDRESS: [(&str, &str); 4] = [("u8*", "data"), ("u64*", "locks"), ("u64", "len"), ("u8*", "extra")];
/// The words of a place: a column and an array.
const PLACE_WORDS: usize = 1 + ADDRESS.len();
const _: () =
    assert!(8 * (FIELDS.len() + NEAR_PLACES * PLACE_WORDS + 1) <= 4096, "a kernel takes these parameters everywhere");

/// Prints `struct stm_address`.
pub(crate) fn put_address(out: &mut String) {
    put_struct(out, "stm_address", &ADDRESS, "");
    put_asserts(out, "stm_address", &ADDRESS, ADDRESS.len());
}

/// Prints `struct stm_params` with that many places.
pub(crate) fn put_params(out: &mut String, places: usize) {
    put_struct(out, "stm_parameter", &[("const void*", "column"), ("stm_address", "array")], "");
    let (near, has_far) = (places.min(NEAR_PLACES), places > NEAR_PLACES);
    let mut last = if near > 0 { format!("  stm_parameter at[{near}];\n") } else { String::new() };
    if has_far {
        last.push_str("  const stm_parameter* far;\n");
    }
    put_struct(out, "stm_params", &FIELDS, &last);
    put_asserts(out, "stm_params", &FIELDS, FIELDS.len() + near * PLACE_WORDS + usize::from(has_far));
    if has_far {
        let _ = writeln!(
            out,
            "STM_DEVICE const stm_parameter& stm_parameter_at(const stm_params& p, u32 at) {{ return at < {NEAR_PLACES} ? p.at[at] : \
             p.far[at - {NEAR_PLACES}]; }}"
        );
    }
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
mod tests;
