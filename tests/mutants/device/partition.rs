//! The mutants of the engine that keeps partitions of arrays in block memory.

use super::Mutant;

pub(super) const PARTITION: &[Mutant] = &[
    Mutant {
        engine: "local",
        name: "an abort keeps the values",
        at: &["undo"],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "released before the undo",
        at: &["undo", "after the release"],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "what is read has no owner",
        at: &["acquire what is read"],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "the backup follows each write",
        at: &["mark written"],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "a partition does not go back",
        at: &["partition goes back"],
        caught_by: &["parts_count", "parts_keep_their_money"],
    },
    // These show that the serialization tokens of warp and block are used.
    Mutant {
        engine: "local",
        name: "the token of a warp owns everything",
        at: &["acquire: token of a warp"],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "the token of a block owns everything",
        at: &["acquire: token of a block"],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
];
