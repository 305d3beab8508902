//! The mutants of the engines that write in place.

use super::{Mutant, broken};

const UNDONE_LATE: &[&str] = &["undo", "after the release"];

#[rustfmt::skip]
pub(super) const UNDO_LOG: &[Mutant] = &[
    // ---- the undo log, under each engine -----------------------------------------------------------------------------
    broken("pstm", "an abort keeps the values", &["undo"], &["dirty_reads"]),
    broken("istm", "only a conflict is undone", &["undo: only conflicts"], &["dirty_guards", "rejects"]),
    broken("pstm", "a second write spoils the old value", &["old value of a second write"], &["undone_under_one_lock"]),
    broken(
        "estm",
        "old values kept by name, not by element",
        &["aliases were read and written", "mark aliases written"],
        &["dirty_reads", "dirty_values_spread"],
    ),
    broken("pstm", "released before the undo", UNDONE_LATE, &["dirty_reads", "dirty_values_spread"]),
    broken("estm", "each word released with its own undo", &["undo", "release each"], &["undone_under_one_lock"]),
    broken("istm", "released before the undo", UNDONE_LATE, &["dirty_reads", "dirty_values_spread"]),
    // ---- pstm ----------------------------------------------------------------------------------------------------------
    broken("pstm", "readers ignore the owner", &["acquire what is read: nothing"], &["dirty_reads"]),
    broken("pstm", "readers load and do not own", &["acquire what is read: only load"], &["lost_update", "write_skew"]),
    broken("pstm", "two names own one word twice", &["aliases own the lock", "keep the lock"], &["same_account"]),
    broken("pstm", "a postponement leaks what it owns", &["release"], &["dirty_guards", "enabled_by_another_procedure"]),
    // ---- estm ----------------------------------------------------------------------------------------------------------
    broken("estm", "readers ignore the owner", &["reader sees an owner", "reader joins"], &["dirty_reads"]),
    broken("estm", "the owner ignores readers", &["wait for readers"], &["lost_update_found", "write_skew"]),
    broken("estm", "a second claim is good", &["first claim", "claim the lock"], &["blind_writes", "dirty_values_spread"]),
    broken("estm", "readers leave before the end", &["keep the read lock"], &["torn_snapshot", "write_skew"]),
    broken("estm", "the owner stays a reader", &["release a lock"], &["lost_update"]),
    // ---- istm ----------------------------------------------------------------------------------------------------------
    broken("istm", "an abort keeps the version", &["release a lock: an abort keeps the version"], &["dirty_reads", "dirty_values_spread"]),
    broken("istm", "a commit keeps the version", &["release a lock: a commit keeps the version"], &["lost_update_found", "torn_snapshot"]),
    broken("istm", "never validated", &["validate"], &["write_skew", "dirty_reads"]),
    broken("istm", "one element alone is not validated", &["validate: not a single element"], &["dirty_reads", "dirty_reads_narrow"]),
    broken("istm", "faults and rejects not validated", &["validate: only commits"], &["dirty_reads", "zombie_index"]),
    broken("istm", "readers ignore the owner", &["reader sees an owner"], &["dirty_reads"]),
    broken("istm", "owned at another version than read", &["version of the first read"], &["lost_update", "lost_update_found"]),
    broken("istm", "own writes hidden from other names", &["own value in memory"], &["same_account"]),
];
