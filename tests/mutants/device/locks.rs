//! The mutants of the engines that lock at commit, as in papers.
//!
//! Not here: locks of `gpu-stm` acquired out of order. Waiting is bounded, so disorder costs time and breaks nothing;
//! `tests/engines/main.rs` shows its effect under unbounded waiting. Nor reads of elements that others have locked: the
//! final validation rejects them, whenever they were read.

use super::priority::VERSION_LATE;
use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const LOCKS: &[Mutant] = &[
    // ---- pr-stm: the first two are from the papers ---------------------------------------------------------------------
    broken("pr-stm", "value read before version", &["before the version", "value of a read"], &["lost_update_found", "torn_snapshot_narrow"]),
    broken("pr-stm", "validated before locking alone", &["validate"], &["write_skew", "overtaking"]),
    broken("pr-stm", "what others lock passes validation", &["final lock of another"], &["torn_snapshot", "write_skew"]),
    broken("pr-stm", "a stolen pre-lock is not missed", &["pre-lock was stolen"], &["lost_update_found", "blind_writes_found"]),
    broken("pr-stm", "a stolen pre-lock is given back", &["release a pre-lock"], &["everything_at_once", "lost_update_in_loops", "all_threads_on_one_element"]),
    broken("pr-stm", "version not raised", &["release after a commit: same version"], &["lost_update", "lost_update_found"]),
    broken("pr-stm", "version of one bit", &["release after a commit: version of one bit"], &["all_threads_on_one_element", "lost_update"]),
    broken("pr-stm", "an owner beyond its bits", &["word of a pre-lock: owner beyond its bits"], &["all_threads_on_one_element", "lost_update_found"]),
    broken("pr-stm", "an abort leaks its locks", &["release after an abort"], &["write_skew", "everything_at_once"]),
    broken("pr-stm", "one lock taken twice", &["share the lock"], &["coverage_beyond_the_array", "more_writes_than_locks"]),
    // ---- gpu-stm -------------------------------------------------------------------------------------------------------
    broken("gpu-stm", "value read before version", VERSION_LATE, &["lost_update_found", "torn_snapshot_narrow"]),
    broken("gpu-stm", "only what is written is locked", &["lock each"], &["write_skew", "overtaking"]),
    broken("gpu-stm", "values compared before locking", &["lock, then validate", "compare the value"], &["lost_update_found", "write_skew"]),
    broken("gpu-stm", "moved versions not followed by values", &["version has moved"], &["lost_update_found", "write_skew"]),
    broken("gpu-stm", "version not raised", &["release a lock"], &["lost_update", "lost_update_found"]),
    broken("gpu-stm", "what wrote nothing is not validated", &["validate a read-only attempt"], &["torn_snapshot", "zombie_index"]),
    broken("gpu-stm", "one lock logged twice", &["one entry for a lock"], &["coverage_beyond_the_array", "same_account"]),
    broken("gpu-stm", "the first version does not count", &["version of the first read"], &["coverage_beyond_the_array", "same_lock", "random_coverage"]),
    broken("gpu-stm", "an abort leaks its locks", &["release after an abort"], &["lost_update_found", "write_skew"]),
    // ---- thread-block --------------------------------------------------------------------------------------------------
    broken("thread-block", "value read before version", VERSION_LATE, &["lost_update_found", "torn_snapshot_narrow"]),
    broken("thread-block", "validated before locking", &["before the locks", "validate"], &["write_skew", "overtaking"]),
    broken("thread-block", "locked at another version than read", &["version under the lock"], &["lost_update_found", "lost_update"]),
    broken("thread-block", "version not raised", &["release a lock: same version"], &["lost_update", "lost_update_found"]),
    broken("thread-block", "faults and rejects not validated", &["validate: only commits"], &["zombie_index", "torn_reject"]),
    broken("thread-block", "unlocked before the value is stored", &["validate: after the release", "release all"], &["lost_update_found", "torn_snapshot"]),
    broken("thread-block", "one lock taken twice", &["share the lock"], &["coverage_beyond_the_array"]),
    broken("thread-block", "an abort leaks its locks", &["release a lock: only commits"], &["write_skew", "lost_update_found"]),
];
