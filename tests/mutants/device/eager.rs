//! The mutants of the engines that write in place.

use stm_tests::mutation::Edit;

use super::Mutant;

const UNDONE_LATE: &[Edit] = &[("undo", ""), ("after the release", "@\nif (status != STM_OK) undo();")];

pub(super) const EAGER: &[Mutant] = &[
    // ---- the undo log, under each engine -----------------------------------------------------------------------------
    Mutant { engine: "pstm", name: "an abort keeps the values", at: &[("undo", "")], caught_by: &["dirty_reads"] },
    Mutant {
        engine: "istm",
        name: "only a conflict is undone",
        at: &[("undo", "if (status == STM_CONFLICT) undo();")],
        caught_by: &["dirty_guards", "rejects"],
    },
    Mutant {
        engine: "pstm",
        name: "a second write spoils the old value",
        at: &[("old value of a second write", "keep_old(e, sizeof(T));")],
        caught_by: &["undone_under_one_lock"],
    },
    Mutant {
        engine: "estm",
        name: "old values kept by name, not by element",
        at: &[
            ("twins were seen and written", "flags |= o.flags & STM_SEEN;"),
            ("mark twins written", "mark(e, STM_DIRTY, [&](const touch& o) { return &o == &e; });"),
        ],
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "pstm",
        name: "let go before the undo",
        at: UNDONE_LATE,
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "estm",
        name: "each word let go with its own undo",
        at: &[
            ("undo", ""),
            (
                "release each",
                "@\nif (status != STM_OK && (e.flags & STM_UNDO)) stm_value_store(e.ref.value, e.ref.width, e.before);",
            ),
        ],
        caught_by: &["undone_under_one_lock"],
    },
    Mutant {
        engine: "istm",
        name: "let go before the undo",
        at: UNDONE_LATE,
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    // ---- pstm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "pstm",
        name: "readers do not look at the owner",
        at: &[("own what is read", "STM_DEVICE stm_status admit(stm_touch<u32>& e, u32) { return STM_OK; }")],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "pstm",
        name: "readers look and do not own",
        at: &[(
            "own what is read",
            "STM_DEVICE stm_status admit(stm_touch<u32>& e, u32 location) {\nif ((e.flags & STM_OWNED) || stm_load_acquire(e.ref.lock) == 0) return STM_OK;\nreturn this->conflict(STM_LOCKED, location);\n}",
        )],
        caught_by: &["lost_update", "write_skew"],
    },
    Mutant {
        engine: "pstm",
        name: "two names own one word twice",
        at: &[("twins own the lock", ""), ("keep the lock", "e.flags |= STM_HELD | STM_OWNED;")],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "pstm",
        name: "a postponement leaks what it owns",
        at: &[("release", "if (status != STM_POSTPONED) @")],
        caught_by: &["dirty_guards", "enabled_by_another_procedure"],
    },
    // ---- estm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "estm",
        name: "readers do not look at the owner",
        at: &[("reader sees an owner", "stm_add_acquire(e.ref.lock, STM_READER);"), ("reader joins", "if (false) {")],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "estm",
        name: "the owner does not look at readers",
        at: &[("wait for readers", "return true;")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "estm",
        name: "a second claim is good",
        at: &[
            ("first claim", "bool is_first = true;\nstm_add_acquire(lock, STM_CLAIM);"),
            (
                "claim the lock",
                "if (word != mine && (!stm_claim_from_readers(e.ref.lock, mine))) return this->conflict(STM_LOCKED, location);",
            ),
        ],
        caught_by: &["blind_writes", "dirty_values_spread"],
    },
    Mutant {
        engine: "estm",
        name: "readers leave before the end",
        at: &[("keep the read lock", "stm_sub_release(e.ref.lock, STM_READER);")],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "estm",
        name: "who became the owner stays a reader",
        at: &[(
            "release a lock",
            "stm_sub_release(e.ref.lock, (e.flags & STM_SHARED && !(e.flags & STM_OWNED) ? STM_READER : 0) + (e.flags & STM_OWNED ? STM_CLAIM : 0));",
        )],
        caught_by: &["lost_update"],
    },
    // ---- istm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "istm",
        name: "an abort components the version",
        at: &[(
            "release a lock",
            "STM_DEVICE void let_go(stm_touch<u64>& e, bool committed) { stm_store_release(e.ref.lock, e.word + (committed ? 2 : 0)); }",
        )],
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "istm",
        name: "a commit components the version",
        at: &[(
            "release a lock",
            "STM_DEVICE void let_go(stm_touch<u64>& e, bool committed) { stm_store_release(e.ref.lock, e.word + (committed ? 0 : 2)); }",
        )],
        caught_by: &["lost_update_found", "torn_snapshot"],
    },
    Mutant {
        engine: "istm",
        name: "never validated",
        at: &[("validate", "")],
        caught_by: &["write_skew", "dirty_reads"],
    },
    Mutant {
        engine: "istm",
        name: "one element alone is not validated",
        at: &[(
            "validate",
            "if (status != STM_CONFLICT && !(F::READ_ONLY && F::FIXED + F::INDEXED == 1) && engine().confirm() != STM_OK) status = STM_CONFLICT;",
        )],
        caught_by: &["dirty_reads", "dirty_reads_narrow"],
    },
    Mutant {
        engine: "istm",
        name: "faults and rejects not validated",
        at: &[("validate", "if (status == STM_OK && engine().confirm() != STM_OK) status = STM_CONFLICT;")],
        caught_by: &["dirty_reads", "zombie_index"],
    },
    Mutant {
        engine: "istm",
        name: "readers do not look at the owner",
        at: &[("reader sees an owner", "")],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "istm",
        name: "owned at another version than read",
        at: &[("version of the first read", "e.word = stm_load_relaxed(e.ref.lock);")],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "istm",
        name: "own writes hidden from other names",
        at: &[("own value in memory", "bool in_memory = Engine::VISIBLE || !(e.flags & STM_SEEN);")],
        caught_by: &["same_account"],
    },
];
