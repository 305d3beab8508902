//! The mutants of the engines that keep versions.

use crate::list::Mutant;

pub(crate) const BOXES: &[Mutant] = &[
    // ---- boxes, under both engines -----------------------------------------------------------------------------------
    Mutant {
        engine: "jvstm",
        name: "the newest version is read",
        patches: &[("      if (e.found.word > snapshot) continue;\n", "")],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "jvstm",
        name: "an empty box is looked at too early",
        patches: &[(
            "    e.value = stm_value_load_acquire(e.ref.value, e.ref.width);\n    u64 count = stm_load_acquire(&box->count);\n",
            "    u64 count = stm_load_acquire(&box->count);\n    e.value = stm_value_load_acquire(e.ref.value, e.ref.width);\n",
        )],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow", "single_reads"],
    },
    Mutant {
        engine: "csmv",
        name: "a version takes the place of the one before",
        patches: &[("&box->ring[count % STM_VERSIONS];\n  stm_store", "&box->ring[0];\n  stm_store")],
        caught_by: &["torn_snapshot", "lost_update_found"],
    },
    // ---- jvstm -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "jvstm",
        name: "records are not checked",
        patches: &[("      STM_TRY(check(checked, last));\n", "")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "jvstm",
        name: "the last commit is not checked",
        patches: &[(
            "for (u64 time = to; time > from; --time) {\n      u64* record",
            "for (u64 time = to - 1; time > from; --time) {\n      u64* record",
        )],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "jvstm",
        name: "the clock is set on before the versions are there",
        patches: &[(
            "    this->put(time);\n    stm_store_release(this->worker->run, time << 1);\n",
            "    stm_store_release(this->worker->run, time << 1);\n    this->put(time);\n",
        )],
        caught_by: &["torn_snapshot", "lost_update_found"],
    },
    // ---- csmv --------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "csmv",
        name: "the server orders without checking",
        patches: &[(
            "        if (!__all_sync(STM_ALL_LANES, good)) alive &= ~(1u << lane);\n",
            "        __all_sync(STM_ALL_LANES, good);\n",
        )],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "records of what was read instead of what was written",
        patches: &[("if (name & STM_WRITTEN) stm_block_store", "if (!(name & STM_WRITTEN)) stm_block_store")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "the first record since the snapshot is left out",
        patches: &[(
            "if (from < opened.snapshot) from = opened.snapshot;",
            "from = (from < opened.snapshot ? opened.snapshot : from) + 1;",
        )],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "only the first names are looked at",
        patches: &[("STM_COUNTED && first < opened.count && good", "STM_COUNTED && first < STM_ABREAST && good")],
        caught_by: &["lost_update_in_loops", "more_writes_than_locks", "write_skew_wide"],
    },
    // Not here: a clock that does not wait for earlier commits. No scenario meets the few steps in which it matters.
    Mutant {
        engine: "csmv",
        name: "the clock is set on before the versions are there",
        patches: &[
            ("      this->put(time);\n      *office()", "      *office()"),
            (
                "    return time;\n  }\n\n  // Whoever",
                "    if (commits) this->put(time);\n    return time;\n  }\n\n  // Whoever",
            ),
        ],
        caught_by: &["torn_snapshot", "lost_update_found", "money_is_conserved"],
    },
    Mutant {
        engine: "csmv",
        name: "who met an earlier one of its batch is sent with it",
        patches: &[(
            "if (*office().mail(beside_me(bit)).lanes() & apart)",
            "if (*office().mail(beside_me(bit)).lanes() & 0)",
        )],
        caught_by: &["lost_update_found", "everybody_on_one_element"],
    },
    Mutant {
        engine: "csmv",
        name: "of a batch only the first is looked for",
        patches: &[("rest = batch & (my_bit() - 1);", "rest = batch & (my_bit() - 1) & (0 - batch);")],
        caught_by: &["lost_update_found", "write_skew"],
    },
];
