//! The mutants of the default engine, and of the parts that all engines share: locks and sets.

use super::Mutant;

/// The value is loaded before the lock word.
pub(super) const VERSION_LATE: &[&str] = &["version before the value", "value after the version"];

pub(super) const PRIORITY: &[Mutant] = &[
    // ---- mistakes of the papers and their programs -------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "value read before version",
        at: VERSION_LATE,
        caught_by: &["lost_update_found", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "validated before locking",
        at: &["before the locks", "validate"],
        caught_by: &["write_skew", "write_skew_wide"],
    },
    Mutant {
        engine: "priority",
        name: "never validated",
        at: &["validate"],
        caught_by: &["write_skew_wide", "overtaking"],
    },
    Mutant {
        engine: "priority",
        name: "readers never validate",
        at: &["validate a reader"],
        caught_by: &["torn_snapshot"],
    },
    Mutant {
        engine: "priority",
        name: "a single read is recorded without validation",
        at: &["single reads need no validation"],
        caught_by: &["single_reads", "undone_under_one_lock"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements are read",
        at: &["locked element"],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements pass validation",
        at: &["cause of a stale read"],
        caught_by: &["torn_snapshot", "write_skew"],
    },
    Mutant {
        engine: "priority",
        name: "a second read loads again",
        at: &["read once"],
        caught_by: &["repeated_read_narrow"],
    },
    Mutant {
        engine: "priority",
        name: "no chain leads to the newest entry",
        at: &["link every entry"],
        caught_by: &["read_own_write_in_loops", "lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a chain ends at its first entry",
        at: &["link to the first"],
        caught_by: &["read_own_write_in_loops", "lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "an older read is forgotten",
        at: &["search an older read"],
        caught_by: &["repeated_reads_half_by_half"],
    },
    // ---- writing back -------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "unlocked before the value is stored",
        at: &["write back: release", "release: write back"],
        caught_by: &["lost_update_found", "overtaking"],
    },
    Mutant {
        engine: "priority",
        name: "version not raised",
        at: &["new version of a slot: same version", "release: same version"],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "version of 8 bits",
        at: &["new version of a slot: version of 8 bits", "release: version of 8 bits"],
        caught_by: &["all_threads_on_one_element"],
    },
    Mutant {
        engine: "priority",
        name: "a lock that others hold is taken",
        at: &["lock of another"],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "priority",
        name: "locked at another version than read",
        at: &["version before the lock", "version under the lock"],
        caught_by: &["lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "locked at other versions than loaded",
        at: &["same version when locked"],
        caught_by: &["ten_at_a_time"],
    },
    // ---- logs ----------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "a log locks at other versions than read",
        at: &["log: lock at the same version"],
        caught_by: &["lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a log takes a lock that others hold",
        at: &["log: lock of another", "log: lock of another is acquired"],
        caught_by: &["read_own_write_in_loops", "own_writes_of_large_sets"],
    },
    Mutant {
        engine: "priority",
        name: "a log is validated before its locks",
        at: &["log: before the locks", "log: validate"],
        caught_by: &["write_skew_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a log is never validated",
        at: &["log: validate"],
        caught_by: &["write_skew_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "no lane validates a log",
        at: &["log: validate jointly"],
        caught_by: &["write_skew_of_one_lane"],
    },
    Mutant {
        engine: "priority",
        name: "locked elements of a log pass validation",
        at: &["log: cause of a stale read"],
        caught_by: &["write_skew_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a log keeps one write under a lock",
        at: &["log: writes under a lock"],
        caught_by: &["read_own_write_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a log does not raise versions",
        at: &["log: release: same version"],
        caught_by: &["lost_update_in_loops"],
    },
    Mutant {
        engine: "priority",
        name: "a log leaks its locks in an abort",
        at: &["log: release: only commits"],
        caught_by: &["lost_update_in_loops", "write_skew_in_loops"],
    },
    // ---- endings of short transactions ---------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "loaded and not validated",
        at: &["validate an unlocked read"],
        caught_by: &["ten_at_a_time"],
    },
    // ---- endings -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "faults and rejects not validated",
        at: &["finish: only commits"],
        caught_by: &["zombie_index", "torn_reject"],
    },
    Mutant {
        engine: "priority",
        name: "finished before the commit",
        at: &["finish: too late"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "priority",
        name: "a postponement leaks its locks",
        at: &["release a slot"],
        caught_by: &["enabled_by_another_procedure"],
    },
    Mutant {
        engine: "priority",
        name: "an abort leaks its locks",
        at: &["release: only commits"],
        caught_by: &["lost_update_found", "blind_writes_found"],
    },
    Mutant {
        engine: "priority",
        name: "an abort keeps the values",
        at: &["value after an abort"],
        caught_by: &["rejects"],
    },
    // ---- two names for one element --------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "own writes hidden from other names",
        at: &["aliases take the write"],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "priority",
        name: "own writes hidden, optimistic",
        at: &["each alias of a write"],
        caught_by: &["coverage_beyond_the_array", "everything_at_once"],
    },
    Mutant {
        engine: "priority",
        name: "one lock taken twice, ordered",
        at: &["rank of a lock", "lock of a rank"],
        caught_by: &["same_account"],
    },
    Mutant {
        engine: "priority",
        name: "one lock taken twice, optimistic",
        at: &["own other entries"],
        caught_by: &["coverage_beyond_the_array"],
    },
    // ---- long reads ----------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "a long reader may read more elements than it states",
        at: &["long reads: no end"],
        caught_by: &["long_walks"],
    },
    Mutant {
        engine: "priority",
        name: "elements of a long reader count each time",
        at: &["long reads: duplicates stay"],
        caught_by: &["long_walks"],
    },
    Mutant {
        engine: "priority",
        name: "a long reader does not validate",
        at: &["long reads: validate"],
        caught_by: &["long_walks"],
    },
];
