//! The mutants of the default engine, and of what all engines share: locks and sets.

use stm_tests::mutation::Edit;

use super::Mutant;

/// The value is loaded before the lock word.
pub(super) const VERSION_LATE: &[Edit] = &[
    ("version before the value", "u64 value = stm_value_load(ref.value, ref.width);"),
    ("value after the version", "return {stm_load_acquire(ref.lock), value};"),
];

pub(super) const PRIORITY: &[Mutant] = &[
    // ---- what the papers and their programs get wrong ----------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "value read before version",
        at: VERSION_LATE,
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "validated before locking",
        at: &[
            (
                "before the locks",
                "@\nif (!stm_looked_in_vain(status) && this->confirm() != STM_OK) status = STM_CONFLICT;",
            ),
            ("validate", ""),
        ],
        caught_by: &["write_skew", "write_skew_wide"],
    },
    Mutant {
        engine: "priority",
        name: "never validated",
        at: &[("validate", "")],
        caught_by: &["write_skew_wide", "overtaking"],
    },
    Mutant {
        engine: "priority",
        name: "readers never validate",
        at: &[("validate a reader", "return status;")],
        caught_by: &["torn_snapshot"],
    },
    Mutant {
        engine: "priority",
        name: "a single read is recorded unconfirmed",
        at: &[(
            "single reads need no validation",
            "if (stm_looked_in_vain(status) || F::FIXED + F::INDEXED == 1) return status;",
        )],
        caught_by: &["single_reads", "undone_under_one_lock"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements are read",
        at: &[("locked element", "")],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements pass validation",
        at: &[("cause of a stale read", "return (word & 1) ? STM_OK : conflict(STM_CHANGED, STM_INDEXED);")],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "priority",
        name: "a second read loads again",
        at: &[("read once", "if (!(e.flags & STM_DIRTY)) {")],
        caught_by: &["repeated_read_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "no chain leads to the newest entry",
        at: &[("link every entry", "for (u32 i = 1; i < count; ++i) link(i);")],
        caught_by: &["read_own_write_in_loops", "lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a chain ends at its first entry",
        at: &[("link to the first", "room->chains.next[i - 1] = 0;")],
        caught_by: &["read_own_write_in_loops", "lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "an older read is forgotten",
        at: &[("search an older read", "@\nif (first != nullptr) *(Entry*)first = indexed[i];")],
        caught_by: &["repeated_reads_half_by_half"],
    },
    // ---- writing back -------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "unlocked before the value is stored",
        at: &[
            ("write back", "if (e.flags & STM_HELD) stm_let_go(e.ref, {e.found.word + 2, e.value});"),
            (
                "release",
                "if (commits && (e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);\nif (!commits && (e.flags & STM_HELD)) stm_let_go(e.ref, e.found);",
            ),
        ],
        caught_by: &["lost_update_found", "overtaking"],
    },
    Mutant {
        engine: "priority",
        name: "version not raised",
        at: &[
            ("new version of a slot", "if (commits && dirty_under(i)) left = {left.word, entries[i].value};"),
            (
                "release",
                "if (e.flags & STM_HELD) stm_let_go(e.ref, commits ? stm_pair{e.found.word, e.value} : e.found);",
            ),
        ],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "version of 8 bits",
        at: &[
            (
                "new version of a slot",
                "if (commits && dirty_under(i)) left = {(left.word + 2) & 0x1ff, entries[i].value};",
            ),
            (
                "release",
                "if (e.flags & STM_HELD) stm_let_go(e.ref, commits ? stm_pair{(e.found.word + 2) & 0x1ff, e.value} : e.found);",
            ),
        ],
        caught_by: &["everybody_on_one_element"],
    },
    Mutant {
        engine: "priority",
        name: "a lock that others hold is taken",
        at: &[("lock of another", "")],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "priority",
        name: "locked at another version than read",
        at: &[("version before the lock", ""), ("version under the lock", "if (false) {")],
        caught_by: &["lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "several locked at other versions than read",
        at: &[(
            "lock at the same version",
            "pair = stm_peek(ref);\nreturn !(pair.word & 1) && (ref.width == 0 ? stm_cell_replace(ref.lock, pair, {mark, 0}) : stm_replace_acquire(ref.lock, pair.word, mark));",
        )],
        caught_by: &["lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "locked ahead at other versions than looked at",
        at: &[("same version when locked", "(void)same;")],
        caught_by: &["ten_at_a_time"],
    },
    Mutant {
        engine: "priority",
        name: "looked at and not confirmed",
        at: &[("validate an unlocked read", "")],
        caught_by: &["ten_at_a_time"],
    },
    // ---- endings -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "faults and rejects not validated",
        at: &[(
            "conclude",
            "stm_status got = tx.conclude(status == STM_OK ? STM_OK : STM_CONFLICT);\nif (status == STM_OK) status = got;",
        )],
        caught_by: &["zombie_index", "torn_reject"],
    },
    Mutant {
        engine: "priority",
        name: "finished before the commit",
        at: &[("conclude", "stm_status got = tx.conclude(status);\nif (status != STM_OK) status = got;")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "priority",
        name: "a postponement leaks its locks",
        at: &[("release a slot", "if (commits) @")],
        caught_by: &["enabled_by_another_procedure"],
    },
    Mutant {
        engine: "priority",
        name: "an abort leaks its locks",
        at: &[("release", "if (commits) @")],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "priority",
        name: "an abort keeps the values",
        at: &[("value after an abort", "stm_pair left = {entries[i].found.word, entries[i].value};")],
        caught_by: &["rejects"],
    },
    // ---- two names for one thing ----------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "own writes hidden from other names",
        at: &[("twins take the write", "if (i != slot) continue;")],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "priority",
        name: "own writes hidden, on the way",
        at: &[("each twin of a write", "@\nif (&o != &e) return true;")],
        caught_by: &["coverage_beyond_the_array", "everything_at_once"],
    },
    Mutant {
        engine: "priority",
        name: "one lock taken twice, ahead",
        at: &[
            ("rank of a lock", "return lock == 0 ? 0 : lock | (slot & 3) << 1 | (F::slot_width(slot) != 0);"),
            ("lock of a rank", "u64* lock = (u64*)(rank & ~7ull);"),
        ],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "priority",
        name: "one lock taken twice, on the way",
        at: &[(
            "own other entries",
            "if (!(e.flags & STM_SEEN) || e.found.word == word) e.flags |= e.flags & STM_HELD ? STM_OWNED : 0;",
        )],
        caught_by: &["coverage_beyond_the_array"],
    },
];
