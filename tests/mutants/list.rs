//! The mutants of the default engine, and what a mutant is: what is wrong, how it is made, which scenarios must notice.

use stm_tests::mutation::Patch;

/// One broken engine.
pub(crate) struct Mutant {
    /// The good one.
    pub(crate) engine: &'static str,
    pub(crate) name: &'static str,
    pub(crate) patches: &'static [Patch],
    /// The best first.
    pub(crate) caught_by: &'static [&'static str],
}

/// The last line of the engine: everything that the scheduler calls can be replaced there.
const END: &str = "F::FIXED <= STM_AHEAD_MOST>::type {};";

/// All of them, by families of engines.
pub(crate) fn all() -> Vec<&'static Mutant> {
    [PRIORITY, crate::locks::LOCKS, crate::eager::EAGER, crate::boxes::BOXES, crate::homes::HOMES]
        .into_iter()
        .flatten()
        .collect()
}

const PRIORITY: &[Mutant] = &[
    // ---- what the papers and their programs get wrong ----------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "value read before version",
        patches: &[(
            "  u64 word = stm_load_acquire(ref.lock);\n  return {word, stm_value_load(ref.value, ref.width)};",
            "  u64 value = stm_value_load(ref.value, ref.width);\n  return {stm_load_acquire(ref.lock), value};",
        )],
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "validated before locking",
        patches: &[(
            "    if (status == STM_OK) status = lock_writes();\n    if (!stm_looked_in_vain(status) && this->confirm() != STM_OK) status = STM_CONFLICT;",
            "    if (!stm_looked_in_vain(status) && this->confirm() != STM_OK) status = STM_CONFLICT;\n    if (status == STM_OK) status = lock_writes();",
        )],
        caught_by: &["write_skew", "write_skew_wide"],
    },
    Mutant {
        engine: "priority",
        name: "never validated",
        patches: &[("    if (!stm_looked_in_vain(status) && this->confirm() != STM_OK) status = STM_CONFLICT;\n", "")],
        caught_by: &["write_skew_wide", "overtaking"],
    },
    Mutant {
        engine: "priority",
        name: "readers never validate",
        patches: &[("return this->confirm() == STM_OK ? status : STM_CONFLICT;", "return status;")],
        caught_by: &["torn_snapshot"],
    },
    Mutant {
        engine: "priority",
        name: "a single read is recorded unconfirmed",
        patches: &[("(!STM_RECORDED && F::FIXED + F::INDEXED == 1)", "F::FIXED + F::INDEXED == 1")],
        caught_by: &["single_reads", "undone_under_one_lock"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements are read",
        patches: &[("    if (pair.word & 1) return conflict(STM_LOCKED, site);\n", "")],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements pass validation",
        patches: &[("    return (word & 1) ? conflict(STM_LOCKED, STM_INDEXED)", "    return (word & 1) ? STM_OK")],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "priority",
        name: "a second read loads again",
        patches: &[("if (!(e.flags & (STM_SEEN | STM_DIRTY))) {", "if (!(e.flags & STM_DIRTY)) {")],
        caught_by: &["repeated_read_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "no chain leads to the newest entry",
        patches: &[("i <= count; ++i) link(i);", "i < count; ++i) link(i);")],
        caught_by: &["read_own_write_in_loops", "lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a chain ends at its first entry",
        patches: &[("    room->chains.next[i - 1] = first;", "    room->chains.next[i - 1] = 0;")],
        caught_by: &["read_own_write_in_loops", "lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "an older read is forgotten",
        patches: &[(
            "      const Entry* first = search(indexed[i].ref);\n",
            "      const Entry* first = search(indexed[i].ref);\n      if (first != nullptr) *(Entry*)first = indexed[i];\n",
        )],
        caught_by: &["repeated_reads_half_by_half"],
    },
    // ---- writing back -------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "unlocked before the value is stored",
        patches: &[
            ("if ((e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store", "@@ stm_value_store"),
            (
                "if (e.flags & STM_HELD) stm_let_go(e.ref, commits ? stm_pair{e.found.word + 2, e.value} : e.found);",
                "if (commits && (e.flags & STM_DIRTY) && e.ref.width != 0) stm_value_store(e.ref.value, e.ref.width, e.value);\n      if (!commits && (e.flags & STM_HELD)) stm_let_go(e.ref, e.found);",
            ),
            (
                "@@ stm_value_store(e.ref.value, e.ref.width, e.value);",
                "if (e.flags & STM_HELD) stm_let_go(e.ref, {e.found.word + 2, e.value});",
            ),
        ],
        caught_by: &["lost_update_found", "overtaking"],
    },
    Mutant {
        engine: "priority",
        name: "version not raised",
        patches: &[
            ("{e.found.word + 2, e.value}", "{e.found.word, e.value}"),
            ("{left.word + 2, entries[i].value}", "{left.word, entries[i].value}"),
        ],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "version of 8 bits",
        patches: &[
            ("{e.found.word + 2, e.value}", "{(e.found.word + 2) & 0x1ff, e.value}"),
            ("{left.word + 2, entries[i].value}", "{(left.word + 2) & 0x1ff, entries[i].value}"),
        ],
        caught_by: &["everybody_on_one_element"],
    },
    Mutant {
        engine: "priority",
        name: "a lock that others hold is taken",
        patches: &[(
            "stm_pair pair = stm_take(e.ref, this->mark());\n    if (pair.word & 1) return this->conflict(STM_LOCKED, STM_INDEXED);",
            "stm_pair pair = stm_take(e.ref, this->mark());",
        )],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "priority",
        name: "locked at another version than read",
        patches: &[
            ("if (read && word != e.found.word)", "if (false)"),
            ("if (read && pair.word != e.found.word)", "if (false)"),
        ],
        caught_by: &["lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "several locked at other versions than read",
        patches: &[(
            "  return ref.width == 0 ? stm_cell_replace(ref.lock, pair, {mark, 0}) : stm_replace_acquire(ref.lock, pair.word, mark);",
            "  pair = stm_peek(ref);\n  return !(pair.word & 1) && (ref.width == 0 ? stm_cell_replace(ref.lock, pair, {mark, 0}) : stm_replace_acquire(ref.lock, pair.word, mark));",
        )],
        caught_by: &["lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "locked ahead at other versions than looked at",
        patches: &[("same &= entries[i].found.word == pair.word;", "(void)same;")],
        caught_by: &["ten_at_a_time"],
    },
    Mutant {
        engine: "priority",
        name: "looked at and not confirmed",
        patches: &[("status = confirm() == STM_OK ? status : STM_CONFLICT;", "")],
        caught_by: &["ten_at_a_time"],
    },
    // ---- endings -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "faults and rejects not validated",
        patches: &[(
            END,
            "F::FIXED <= STM_AHEAD_MOST>::type {\n  typedef typename stm_way<F, F::READ_ONLY, F::ORDERABLE && F::ALL_WRITTEN && F::FIXED != 0 && F::FIXED <= STM_AHEAD_MOST>::type good;\n  STM_DEVICE stm_status conclude(stm_status status) {\n    stm_status got = good::conclude(status == STM_OK ? status : STM_CONFLICT);\n    return status == STM_OK ? got : status;\n  }\n};",
        )],
        caught_by: &["zombie_index", "torn_reject"],
    },
    Mutant {
        engine: "priority",
        name: "finished before the commit",
        patches: &[(
            END,
            "F::FIXED <= STM_AHEAD_MOST>::type {\n  typedef typename stm_way<F, F::READ_ONLY, F::ORDERABLE && F::ALL_WRITTEN && F::FIXED != 0 && F::FIXED <= STM_AHEAD_MOST>::type good;\n  STM_DEVICE stm_status conclude(stm_status status) {\n    stm_status got = good::conclude(status);\n    return status == STM_OK ? STM_OK : got;\n  }\n};",
        )],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "priority",
        name: "a postponement leaks its locks",
        patches: &[("if (holder(i) && rank(i) < held)", "if (commits && holder(i) && rank(i) < held)")],
        caught_by: &["enabled_by_another_kind"],
    },
    Mutant {
        engine: "priority",
        name: "an abort leaks its locks",
        patches: &[("if (e.flags & STM_HELD) stm_let_go", "if (commits && (e.flags & STM_HELD)) stm_let_go")],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "priority",
        name: "an abort keeps the values",
        patches: &[("stm_pair left = entries[i].found;", "stm_pair left = {entries[i].found.word, entries[i].value};")],
        caught_by: &["rejects"],
    },
    // ---- two names for one thing ----------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "own writes hidden from other names",
        patches: &[("if (entries[i].ref.value != entries[slot].ref.value) continue;", "if (i != slot) continue;")],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "priority",
        name: "own writes hidden, on the way",
        patches: &[("      o.value = word;\n", "      if (&o != &e) return true;\n      o.value = word;\n")],
        caught_by: &["coverage_beyond_the_region", "everything_at_once"],
    },
    Mutant {
        engine: "priority",
        name: "one lock taken twice, ahead",
        patches: &[
            (
                "return F::slot_width(slot) == 0 || lock == 0 ? lock : lock | 1;",
                "return lock == 0 ? 0 : lock | (slot & 3) << 1 | (F::slot_width(slot) != 0);",
            ),
            ("(u64*)(rank & ~1ull)", "(u64*)(rank & ~7ull)"),
        ],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "priority",
        name: "one lock taken twice, on the way",
        patches: &[(
            "e.found.word == word) e.flags |= STM_OWNED;",
            "e.found.word == word) e.flags |= e.flags & STM_HELD ? STM_OWNED : 0;",
        )],
        caught_by: &["coverage_beyond_the_region"],
    },
];
