//! The mutants of the engines that lock at commit, as in papers.
//!
//! Not here: locks of `gpu-stm` acquired out of order. Waiting is bounded, so disorder costs time and breaks nothing;
//! `tests/engines.rs` shows its effect under unbounded waiting. Nor reads of elements that others have locked: the
//! final validation rejects them, whenever they were read.

use super::Mutant;
use super::priority::VERSION_LATE;

pub(super) const LOCKS: &[Mutant] = &[
    // ---- pr-stm: the first two are from the papers ---------------------------------------------------------------------
    Mutant {
        engine: "pr-stm",
        name: "value read before version",
        at: &["before the version", "value of a read"],
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "pr-stm",
        name: "validated before locking alone",
        at: &["validate"],
        caught_by: &["write_skew", "overtaking"],
    },
    Mutant {
        engine: "pr-stm",
        name: "what others lock passes validation",
        at: &["final lock of another"],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "pr-stm",
        name: "a stolen pre-lock is not missed",
        at: &["pre-lock was stolen"],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "pr-stm",
        name: "a stolen pre-lock is given back",
        at: &["release a pre-lock"],
        caught_by: &["everything_at_once", "lost_update_in_loops", "all_threads_on_one_element"],
    },
    Mutant {
        engine: "pr-stm",
        name: "version not raised",
        at: &["release after a commit: same version"],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "pr-stm",
        name: "version of one bit",
        at: &["release after a commit: version of one bit"],
        caught_by: &["all_threads_on_one_element", "lost_update"],
    },
    Mutant {
        engine: "pr-stm",
        name: "an owner beyond its bits",
        at: &["word of a pre-lock: owner beyond its bits"],
        caught_by: &["all_threads_on_one_element", "lost_update_found"],
    },
    Mutant {
        engine: "pr-stm",
        name: "an abort leaks its locks",
        at: &["release after an abort"],
        caught_by: &["write_skew", "everything_at_once"],
    },
    Mutant {
        engine: "pr-stm",
        name: "one lock taken twice",
        at: &["share the lock"],
        caught_by: &["coverage_beyond_the_array", "more_writes_than_locks"],
    },
    // ---- gpu-stm -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "gpu-stm",
        name: "value read before version",
        at: VERSION_LATE,
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "only what is written is locked",
        at: &["lock each"],
        caught_by: &["write_skew", "overtaking"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "values compared before locking",
        at: &["lock, then validate", "compare the value"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "moved versions not followed by values",
        at: &["version has moved"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "version not raised",
        at: &["release a lock"],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "what wrote nothing is not validated",
        at: &["validate a read-only attempt"],
        caught_by: &["torn_snapshot", "zombie_index"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "one lock logged twice",
        at: &["one entry for a lock"],
        caught_by: &["coverage_beyond_the_array", "same_account"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "the first version does not count",
        at: &["version of the first read"],
        caught_by: &["coverage_beyond_the_array", "same_lock", "random_coverage"],
    },
    Mutant {
        engine: "gpu-stm",
        name: "an abort leaks its locks",
        at: &["release after an abort"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    // ---- thread-block --------------------------------------------------------------------------------------------------
    Mutant {
        engine: "thread-block",
        name: "value read before version",
        at: VERSION_LATE,
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "thread-block",
        name: "validated before locking",
        at: &["before the locks", "validate"],
        caught_by: &["write_skew", "overtaking"],
    },
    Mutant {
        engine: "thread-block",
        name: "locked at another version than read",
        at: &["version under the lock"],
        caught_by: &["lost_update_found", "lost_update"],
    },
    Mutant {
        engine: "thread-block",
        name: "version not raised",
        at: &["release a lock: same version"],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "thread-block",
        name: "faults and rejects not validated",
        at: &["validate: only commits"],
        caught_by: &["zombie_index", "torn_reject"],
    },
    Mutant {
        engine: "thread-block",
        name: "unlocked before the value is stored",
        at: &["validate: after the release", "release all"],
        caught_by: &["lost_update_found", "torn_snapshot"],
    },
    Mutant {
        engine: "thread-block",
        name: "one lock taken twice",
        at: &["share the lock"],
        caught_by: &["coverage_beyond_the_array"],
    },
    Mutant {
        engine: "thread-block",
        name: "an abort leaks its locks",
        at: &["release a lock: only commits"],
        caught_by: &["write_skew", "lost_update_found"],
    },
];
