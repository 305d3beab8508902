//! The mutants of the engines that write in place.

use stm_tests::mutation::Patch;

use crate::list::Mutant;

const UNDO: &str = "    if constexpr (!F::READ_ONLY) {\n      if (status != STM_OK) undo();\n";
const LET_GO: &str = "      this->each([&](touch& e) {\n        if (e.flags & STM_HELD) engine().let_go(e, status == STM_OK);\n        return true;\n      });\n";

const UNDONE_LATE: &[Patch] = &[
    (UNDO, "    if constexpr (!F::READ_ONLY) {\n"),
    (
        LET_GO,
        "      this->each([&](touch& e) {\n        if (e.flags & STM_HELD) engine().let_go(e, status == STM_OK);\n        return true;\n      });\n      if (status != STM_OK) undo();\n",
    ),
];

pub(crate) const EAGER: &[Mutant] = &[
    // ---- the undo log, under each engine -----------------------------------------------------------------------------
    Mutant {
        engine: "pstm",
        name: "an abort keeps the values",
        patches: &[("if (status != STM_OK) undo();", "")],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "istm",
        name: "only a conflict is undone",
        patches: &[("if (status != STM_OK) undo();", "if (status == STM_CONFLICT) undo();")],
        caught_by: &["dirty_guards", "rejects"],
    },
    Mutant {
        engine: "pstm",
        name: "a second write spoils the old value",
        patches: &[("if (!(e.flags & STM_DIRTY)) keep_old", "keep_old")],
        caught_by: &["undone_under_one_lock"],
    },
    Mutant {
        engine: "estm",
        name: "old values kept by name, not by element",
        patches: &[
            ("return o.ref.value == e.ref.value; });", "return &o == &e; });"),
            ("flags |= o.flags & (STM_SEEN | STM_DIRTY);", "flags |= o.flags & STM_SEEN;"),
        ],
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "pstm",
        name: "let go before the undo",
        patches: UNDONE_LATE,
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "estm",
        name: "each word let go with its own undo",
        patches: &[
            (UNDO, "    if constexpr (!F::READ_ONLY) {\n"),
            (
                "        if (e.flags & STM_HELD) engine().let_go(e, status == STM_OK);\n",
                "        if (status != STM_OK && (e.flags & STM_UNDO)) stm_value_store(e.ref.value, e.ref.width, e.before);\n        if (e.flags & STM_HELD) engine().let_go(e, status == STM_OK);\n",
            ),
        ],
        caught_by: &["undone_under_one_lock"],
    },
    Mutant {
        engine: "istm",
        name: "let go before the undo",
        patches: UNDONE_LATE,
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    // ---- pstm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "pstm",
        name: "readers do not look at the owner",
        patches: &[(
            "admit(stm_touch<u32>& e, u32 site) { return own(e, site); }",
            "admit(stm_touch<u32>& e, u32) { return STM_OK; }",
        )],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "pstm",
        name: "readers look and do not own",
        patches: &[(
            "admit(stm_touch<u32>& e, u32 site) { return own(e, site); }",
            "admit(stm_touch<u32>& e, u32 site) {\n    if ((e.flags & STM_OWNED) || stm_load_acquire(e.ref.lock) == 0) return STM_OK;\n    return this->conflict(STM_LOCKED, site);\n  }",
        )],
        caught_by: &["lost_update", "write_skew"],
    },
    Mutant {
        engine: "pstm",
        name: "two names own one word twice",
        patches: &[
            ("    this->took(e, STM_OWNED);", "    e.flags |= STM_HELD | STM_OWNED;"),
            ("flags |= o.flags & (STM_SHARED | STM_OWNED);", ""),
        ],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "pstm",
        name: "a postponement leaks what it owns",
        patches: &[(
            "if (e.flags & STM_HELD) engine()",
            "if (status != STM_POSTPONED && (e.flags & STM_HELD)) engine()",
        )],
        caught_by: &["dirty_guards", "enabled_by_another_kind"],
    },
    // ---- estm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "estm",
        name: "readers do not look at the owner",
        patches: &[(
            "if (stm_load_relaxed(e.ref.lock) >= STM_CLAIM) return this->conflict(STM_LOCKED, site);\n    if (stm_add_acquire(e.ref.lock, STM_READER) >= STM_CLAIM) {",
            "stm_add_acquire(e.ref.lock, STM_READER);\n    if (false) {",
        )],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "estm",
        name: "the owner does not look at readers",
        patches: &[("if ((u32)stm_load_acquire(lock) == (u32)mine) return true;", "return true;")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "estm",
        name: "a second claim is good",
        patches: &[
            (
                "bool is_first = stm_add_acquire(lock, STM_CLAIM) < STM_CLAIM;",
                "bool is_first = true;\n  stm_add_acquire(lock, STM_CLAIM);",
            ),
            ("(word >= STM_CLAIM || !stm", "(!stm"),
        ],
        caught_by: &["blind_writes", "dirty_values_spread"],
    },
    Mutant {
        engine: "estm",
        name: "readers leave before the end",
        patches: &[("    this->took(e, STM_SHARED);", "    stm_sub_release(e.ref.lock, STM_READER);")],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "estm",
        name: "who became the owner stays a reader",
        patches: &[(
            "(e.flags & STM_SHARED ? STM_READER : 0) +",
            "(e.flags & STM_SHARED && !(e.flags & STM_OWNED) ? STM_READER : 0) +",
        )],
        caught_by: &["lost_update"],
    },
    // ---- istm ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "istm",
        name: "an abort leaves the version",
        patches: &[(
            "let_go(stm_touch<u64>& e, bool) { stm_store_release(e.ref.lock, e.word + 2); }",
            "let_go(stm_touch<u64>& e, bool committed) { stm_store_release(e.ref.lock, e.word + (committed ? 2 : 0)); }",
        )],
        caught_by: &["dirty_reads", "dirty_values_spread"],
    },
    Mutant {
        engine: "istm",
        name: "a commit leaves the version",
        patches: &[(
            "let_go(stm_touch<u64>& e, bool) { stm_store_release(e.ref.lock, e.word + 2); }",
            "let_go(stm_touch<u64>& e, bool committed) { stm_store_release(e.ref.lock, e.word + (committed ? 0 : 2)); }",
        )],
        caught_by: &["lost_update_found", "torn_snapshot"],
    },
    Mutant {
        engine: "istm",
        name: "never validated",
        patches: &[("if (status != STM_CONFLICT && engine().confirm() != STM_OK) status = STM_CONFLICT;", "")],
        caught_by: &["write_skew", "dirty_reads"],
    },
    Mutant {
        engine: "istm",
        name: "one element alone is not validated",
        patches: &[(
            "if (status != STM_CONFLICT && engine()",
            "if (status != STM_CONFLICT && !(F::READ_ONLY && F::FIXED + F::INDEXED == 1) && engine()",
        )],
        caught_by: &["dirty_reads", "dirty_reads_narrow"],
    },
    Mutant {
        engine: "istm",
        name: "faults and rejects not validated",
        patches: &[("if (status != STM_CONFLICT && engine()", "if (status == STM_OK && engine()")],
        caught_by: &["dirty_reads", "zombie_index"],
    },
    Mutant {
        engine: "istm",
        name: "readers do not look at the owner",
        patches: &[("    if (e.word & 1) return this->conflict(STM_LOCKED, site);\n    e.before", "    e.before")],
        caught_by: &["dirty_reads"],
    },
    Mutant {
        engine: "istm",
        name: "owned at another version than read",
        patches: &[("if (!(e.flags & STM_SEEN)) e.word = stm_load_relaxed", "e.word = stm_load_relaxed")],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "istm",
        name: "own writes hidden from other names",
        patches: &[(
            "bool in_memory = Engine::VISIBLE || (e.flags & STM_OWNED);",
            "bool in_memory = Engine::VISIBLE || !(e.flags & STM_SEEN);",
        )],
        caught_by: &["same_account"],
    },
];
