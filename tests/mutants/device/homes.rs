//! The mutants of the engine that keeps parts of arrays with its blocks.

use super::Mutant;

pub(super) const HOMES: &[Mutant] = &[
    Mutant {
        engine: "local",
        name: "an abort keeps the values",
        at: &["undo"],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "let go before the undo",
        at: &["undo", "after the release"],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "what is read has no owner",
        at: &["own what is read"],
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
        name: "a part does not go back",
        at: &["part goes back"],
        caught_by: &["parts_count", "parts_keep_their_money"],
    },
    // These show that the turns of warp and block come up.
    Mutant {
        engine: "local",
        name: "whose turn it is in a warp owns everything",
        at: &["own: token of a warp"],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "whose turn it is in a block owns everything",
        at: &["own: token of a block"],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
];
