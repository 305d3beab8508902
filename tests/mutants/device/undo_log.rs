//! The mutants of the engines that write in place.

use super::Mutant;

const UNDONE_LATE: &[&str] = &["undo", "after the release"];

pub(super) const UNDO_LOG: &[Mutant] = &[
    // ---- the undo log, under each engine -----------------------------------------------------------------------------
    Mutant { engine: "pstm", name: "an abort keeps the values", at: &["undo"], caught_by: &["dirty_reads"] },
    Mutant {
        engine: "istm",
        name: "only a conflict is undone",
        at: &["undo: only conflicts"],
        caught_by: &["dirty_guards", "rejects"],
    },
    Mutant {
        engine: "pstm",
        name: "a second write spoils the old value",
        at: &["old value of a second write"],
        caught_by: &["undone_under_one_lock"],
    },
    Mutant {
        engine: "estm",
        name: "old values kept by name, not by element",
        at: &["aliases were read and written", "mark aliases written"],
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "pstm",
        name: "released before the undo",
        at: UNDONE_LATE,
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "estm",
        name: "each word released with its own undo",
        at: &["undo", "release each"],
        caught_by: &["undone_under_one_lock"],
    },
    Mutant {
        engine: "istm",
        name: "released before the undo",
        at: UNDONE_LATE,
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    // ---- pstm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "pstm",
        name: "readers ignore the owner",
        at: &["acquire what is read: nothing"],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "pstm",
        name: "readers load and do not own",
        at: &["acquire what is read: only load"],
        caught_by: &["lost_update", "write_skew"],
    },
    Mutant {
        engine: "pstm",
        name: "two names own one word twice",
        at: &["aliases own the lock", "keep the lock"],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "pstm",
        name: "a postponement leaks what it owns",
        at: &["release"],
        caught_by: &["dirty_guards", "enabled_by_another_procedure"],
    },
    // ---- estm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "estm",
        name: "readers ignore the owner",
        at: &["reader sees an owner", "reader joins"],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "estm",
        name: "the owner ignores readers",
        at: &["wait for readers"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "estm",
        name: "a second claim is good",
        at: &["first claim", "claim the lock"],
        caught_by: &["blind_writes", "dirty_values_spread"],
    },
    Mutant {
        engine: "estm",
        name: "readers leave before the end",
        at: &["keep the read lock"],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant { engine: "estm", name: "the owner stays a reader", at: &["release a lock"], caught_by: &["lost_update"] },
    // ---- istm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "istm",
        name: "an abort keeps the version",
        at: &["release a lock: an abort keeps the version"],
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "istm",
        name: "a commit keeps the version",
        at: &["release a lock: a commit keeps the version"],
        caught_by: &["lost_update_found", "torn_snapshot"],
    },
    Mutant { engine: "istm", name: "never validated", at: &["validate"], caught_by: &["write_skew", "dirty_reads"] },
    Mutant {
        engine: "istm",
        name: "one element alone is not validated",
        at: &["validate: not a single element"],
        caught_by: &["dirty_reads", "dirty_reads_narrow"],
    },
    Mutant {
        engine: "istm",
        name: "faults and rejects not validated",
        at: &["validate: only commits"],
        caught_by: &["dirty_reads", "zombie_index"],
    },
    Mutant {
        engine: "istm",
        name: "readers ignore the owner",
        at: &["reader sees an owner"],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "istm",
        name: "owned at another version than read",
        at: &["version of the first read"],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "istm",
        name: "own writes hidden from other names",
        at: &["own value in memory"],
        caught_by: &["same_account"],
    },
];
