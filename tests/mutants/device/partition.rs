//! The mutants of the engine that keeps partitions of arrays in block memory.

use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const PARTITION: &[Mutant] = &[
    broken("local", "an abort keeps the values", &["undo"], &["parts_undo_and_do_not_skew"]),
    broken("local", "released before the undo", &["undo", "after the release"], &["parts_undo_and_do_not_skew"]),
    broken("local", "what is read has no owner", &["acquire what is read"], &["parts_count", "parts_undo_and_do_not_skew"]),
    broken("local", "the backup follows each write", &["mark written"], &["parts_undo_and_do_not_skew"]),
    broken("local", "a partition does not go back", &["partition goes back"], &["parts_count", "parts_keep_their_money"]),
    // These show that the serialization tokens of warp and block are used.
    broken("local", "the token of a warp owns everything", &["acquire: token of a warp"], &["parts_count", "parts_undo_and_do_not_skew"]),
    broken("local", "the token of a block owns everything", &["acquire: token of a block"], &["parts_count", "parts_undo_and_do_not_skew"]),
];
