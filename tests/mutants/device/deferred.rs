//! The mutants of additions after the commit.

use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const DEFERRED: &[Mutant] = &[
    broken("priority", "an index past the end of an array of deferred sums", &["end of a deferred array"], &["sums_of_what_commits"]),
    broken("priority", "additions have four bytes", &["deferred sums: narrow"], &["sums_of_every_kind"]),
    broken("priority", "the last addition is left out", &["deferred sums: one is left out"], &["sums_of_every_kind", "sums_of_what_commits"]),
    broken("priority", "additions are made twice", &["deferred sums: twice"], &["sums_of_every_kind", "sums_of_what_commits"]),
    broken("priority", "the latest addition alone is kept", &["deferred sums: the latest alone"], &["sums_of_every_kind"]),
    broken("priority", "a read before an addition finds what is there", &["deferred sums: a read finds the value"], &["sums_of_every_kind"]),
    broken("priority", "every attempt adds", &["deferred sums: of every attempt"], &["sums_of_what_commits"]),
    broken("priority", "what does not commit adds", &["deferred sums: before the end"], &["sums_of_what_commits"]),
];
