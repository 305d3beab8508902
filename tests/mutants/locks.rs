//! The mutants of the engines that lock at commit, as papers have them.
//!
//! Not here: locks of `gpu-stm` that are taken out of order. Waiting is bounded, so that disorder costs time and breaks
//! nothing; `tests/engines.rs` shows what it would break otherwise. Nor reading what others have locked: the check at the end
//! refuses that, whenever it was read.

use crate::list::Mutant;

/// What loads the lock word before the value.
const PEEK: &str = "  u64 word = stm_load_acquire(ref.lock);\n  return {word, stm_value_load(ref.value, ref.width)};";
const PEEK_LATE: &str =
    "  u64 value = stm_value_load(ref.value, ref.width);\n  return {stm_load_acquire(ref.lock), value};";

pub(crate) const LOCKS: &[Mutant] = &[
    // ---- pr-stm: the first two are what the papers have ----------------------------------------------------------------
    Mutant {
        engine: "pr-stm",
        name: "value read before version",
        patches: &[(
            "    STM_TRY(meet(e, site));\n    e.value = stm_value_load(e.ref.value, e.ref.width);",
            "    e.value = stm_value_load(e.ref.value, e.ref.width);\n    STM_TRY(meet(e, site));",
        )],
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "pr-stm",
        name: "validated before locking alone",
        patches: &[("if (status != STM_CONFLICT && check() != STM_OK)", "if (status > STM_OK && check() != STM_OK)")],
        caught_by: &["write_skew", "overtaking"],
    },
    Mutant {
        engine: "pr-stm",
        name: "what others lock passes validation",
        patches: &[("      if (word & STM_PR_LOCKED) break;\n      if (stm_same", "      if (stm_same")],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "pr-stm",
        name: "a stolen pre-lock is not missed",
        patches: &[("status = this->conflict(STM_STOLEN, this->site_of(e));", "e.flags |= STM_FINAL;")],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "pr-stm",
        name: "a stolen pre-lock is given back",
        patches: &[(
            "        stm_replace_acq_rel(lock_of(e), mine(e), stm_pr_free(version));",
            "        stm_store_release(lock_of(e), stm_pr_free(version));",
        )],
        caught_by: &["everything_at_once", "lost_update_in_loops", "everybody_on_one_element"],
    },
    Mutant {
        engine: "pr-stm",
        name: "version not raised",
        patches: &[("stm_pr_free(version + 1)", "stm_pr_free(version)")],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "pr-stm",
        name: "version of one bit",
        patches: &[("stm_pr_free(version + 1)", "stm_pr_free((version + 1) & 1)")],
        caught_by: &["everybody_on_one_element", "lost_update"],
    },
    Mutant {
        engine: "pr-stm",
        name: "an owner beyond its bits",
        patches: &[(
            "stm_pr_pre_locked((u32)e.found.word, this->worker->owner)",
            "stm_pr_pre_locked((u32)e.found.word, this->worker->owner + STM_PR_OWNER_MASK - 8)",
        )],
        caught_by: &["everybody_on_one_element", "lost_update_found"],
    },
    Mutant {
        engine: "pr-stm",
        name: "an abort leaks its locks",
        patches: &[("        stm_store_release(lock_of(e), stm_pr_free(version));\n", "")],
        caught_by: &["write_skew", "everything_at_once"],
    },
    Mutant {
        engine: "pr-stm",
        name: "one lock taken twice",
        patches: &[("      this->share(e, e.found.word);\n", "      e.flags |= STM_OWNED;\n")],
        caught_by: &["coverage_beyond_the_region", "more_writes_than_locks"],
    },
    // ---- gpu-stm -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "gpu-stm",
        name: "value read before version",
        patches: &[(PEEK, PEEK_LATE)],
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "only what is written is locked",
        patches: &[(
            "      u64 word = take(lock.at);",
            "      if (!(lock.flags & STM_LOG_WRITTEN)) return true;\n      u64 word = take(lock.at);",
        )],
        caught_by: &["write_skew", "overtaking"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "values compared before locking",
        patches: &[
            ("lock_all() != STM_OK || values_stand() != STM_OK", "values_stand() != STM_OK || lock_all() != STM_OK"),
            ("locks.moved(e.ref.lock) && ", ""),
        ],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "moved versions not followed by values",
        patches: &[("bool moved = (lock.flags & STM_LOG_READ) && word != lock.word;", "bool moved = false;")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "version not raised",
        patches: &[("written ? lock.word + 2 : lock.word", "lock.word")],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "what wrote nothing is not validated",
        patches: &[("if (!writes && versions_stand()) return status;", "if (!writes) return status;")],
        caught_by: &["torn_snapshot", "zombie_index"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "one lock logged twice",
        patches: &[("      if (here.at == lock.at) return merge(here, lock);\n", "")],
        caught_by: &["coverage_beyond_the_region", "same_account"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "the first version does not count",
        patches: &[("if (!(here.flags & STM_LOG_READ)) here.word = lock.word;", "here.word = lock.word;")],
        caught_by: &["coverage_beyond_the_region", "same_lock", "random_coverage"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "an abort leaks its locks",
        patches: &[("      unlock(false);\n", "")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    // ---- thread-block --------------------------------------------------------------------------------------------------
    Mutant {
        engine: "thread-block",
        name: "value read before version",
        patches: &[(PEEK, PEEK_LATE)],
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "thread-block",
        name: "validated before locking",
        patches: &[(
            "    if (status == STM_OK) status = this->lock_each();\n    if (status != STM_CONFLICT && confirm() != STM_OK) status = STM_CONFLICT;",
            "    if (status != STM_CONFLICT && confirm() != STM_OK) status = STM_CONFLICT;\n    if (status == STM_OK) status = this->lock_each();",
        )],
        caught_by: &["write_skew", "overtaking"],
    },
    Mutant {
        engine: "thread-block",
        name: "locked at another version than read",
        patches: &[("(word & ~1ull) != e.found.word)", "false)")],
        caught_by: &["lost_update_found", "lost_update"],
    },
    Mutant {
        engine: "thread-block",
        name: "version not raised",
        patches: &[("commits ? e.found.word + 2 : e.found.word", "e.found.word")],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "thread-block",
        name: "faults and rejects not validated",
        patches: &[(
            "if (status != STM_CONFLICT && confirm() != STM_OK)",
            "if (status == STM_OK && confirm() != STM_OK)",
        )],
        caught_by: &["zombie_index", "torn_reject"],
    },
    Mutant {
        engine: "thread-block",
        name: "unlocked before the value is stored",
        patches: &[(
            "    if (status == STM_OK) this->publish();\n    unlock(status == STM_OK);",
            "    unlock(status == STM_OK);\n    if (status == STM_OK) this->publish();",
        )],
        caught_by: &["lost_update_found", "torn_snapshot"],
    },
    Mutant {
        engine: "thread-block",
        name: "one lock taken twice",
        patches: &[("        this->share(e, word);\n", "        e.flags |= STM_OWNED;\n")],
        caught_by: &["coverage_beyond_the_region"],
    },
    Mutant {
        engine: "thread-block",
        name: "an abort leaks its locks",
        patches: &[(
            "if (e.flags & STM_HELD) stm_store_release",
            "if (commits && (e.flags & STM_HELD)) stm_store_release",
        )],
        caught_by: &["write_skew", "lost_update_found"],
    },
];
