//! The mutants of additions after the commit.

use super::Mutant;

pub(super) const DEFERRED: &[Mutant] = &[
    Mutant {
        engine: "priority",
        name: "an index past the end of an array of deferred sums",
        at: &["end of a deferred array"],
        caught_by: &["sums_of_what_commits"],
    },
    Mutant {
        engine: "priority",
        name: "additions have four bytes",
        at: &["deferred sums: narrow"],
        caught_by: &["sums_of_every_kind"],
    },
    Mutant {
        engine: "priority",
        name: "the last addition is left out",
        at: &["deferred sums: one is left out"],
        caught_by: &["sums_of_every_kind", "sums_of_what_commits"],
    },
    Mutant {
        engine: "priority",
        name: "additions are made twice",
        at: &["deferred sums: twice"],
        caught_by: &["sums_of_every_kind", "sums_of_what_commits"],
    },
    Mutant {
        engine: "priority",
        name: "the latest addition alone is kept",
        at: &["deferred sums: the latest alone"],
        caught_by: &["sums_of_every_kind"],
    },
    Mutant {
        engine: "priority",
        name: "a read before an addition finds what is there",
        at: &["deferred sums: a read finds the value"],
        caught_by: &["sums_of_every_kind"],
    },
    Mutant {
        engine: "priority",
        name: "every attempt adds",
        at: &["deferred sums: of every attempt"],
        caught_by: &["sums_of_what_commits"],
    },
    Mutant {
        engine: "priority",
        name: "what does not commit adds",
        at: &["deferred sums: before the end"],
        caught_by: &["sums_of_what_commits"],
    },
];
