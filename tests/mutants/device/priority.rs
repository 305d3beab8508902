//! The mutants of the default engine, and of the parts that all engines share: locks and sets.

use super::{Mutant, broken};

/// The value is loaded before the lock word.
pub(super) const VERSION_LATE: &[&str] = &["version before the value", "value after the version"];

#[rustfmt::skip]
pub(super) const PRIORITY: &[Mutant] = &[
    // ---- mistakes of the papers and their programs -------------------------------------------------------------------
    broken("priority", "value read before version", VERSION_LATE, &["lost_update_found", "torn_snapshot_narrow"]),
    broken("priority", "validated before locking", &["before the locks", "validate"], &["write_skew", "write_skew_wide"]),
    broken("priority", "never validated", &["validate"], &["write_skew_wide", "overtaking"]),
    broken("priority", "readers never validate", &["validate a reader"], &["torn_snapshot"]),
    broken("priority", "a single read is recorded without validation", &["single reads need no validation"], &["single_reads", "undone_under_one_lock"]),
    broken("priority", "locked elements are read", &["locked element"], &["torn_snapshot", "torn_snapshot_narrow"]),
    broken("priority", "locked elements pass validation", &["cause of a stale read"], &["torn_snapshot", "write_skew"]),
    broken("priority", "a second read loads again", &["read once"], &["repeated_read_narrow"]),
    broken("priority", "no chain leads to the newest entry", &["link every entry"], &["read_own_write_in_loops", "lost_update_in_loops"]),
    broken("priority", "a chain ends at its first entry", &["link to the first"], &["read_own_write_in_loops", "lost_update_in_loops"]),
    broken("priority", "an older read is forgotten", &["search an older read"], &["repeated_reads_half_by_half"]),
    // ---- writing back -------------------------------------------------------------------------------------------------
    broken("priority", "unlocked before the value is stored", &["write back: release", "release: write back"], &["lost_update_found", "overtaking"]),
    broken("priority", "version not raised", &["new version of a slot: same version", "release: same version"], &["lost_update", "lost_update_found"]),
    broken("priority", "version of 8 bits", &["new version of a slot: version of 8 bits", "release: version of 8 bits"], &["all_threads_on_one_element"]),
    broken("priority", "a lock that others hold is taken", &["lock of another"], &["lost_update_found", "blind_writes_found"]),
    broken("priority", "locked at another version than read", &["version before the lock", "version under the lock"], &["lost_update_found"]),
    broken("priority", "locked at other versions than loaded", &["same version when locked"], &["ten_at_a_time"]),
    // ---- logs ----------------------------------------------------------------------------------------------------------
    broken("priority", "a log locks at other versions than read", &["log: lock at the same version"], &["lost_update_in_loops"]),
    broken(
        "priority",
        "a log takes a lock that others hold",
        &["log: lock of another", "log: lock of another is acquired"],
        &["read_own_write_in_loops", "own_writes_of_large_sets"],
    ),
    broken("priority", "a log is validated before its locks", &["log: before the locks", "log: validate"], &["write_skew_in_loops"]),
    broken("priority", "a log is never validated", &["log: validate"], &["write_skew_in_loops"]),
    broken("priority", "no lane validates a log", &["log: validate jointly"], &["write_skew_of_one_lane"]),
    broken("priority", "locked elements of a log pass validation", &["log: cause of a stale read"], &["write_skew_in_loops"]),
    broken("priority", "a log keeps one write under a lock", &["log: writes under a lock"], &["read_own_write_in_loops"]),
    broken("priority", "a log does not raise versions", &["log: release: same version"], &["lost_update_in_loops"]),
    broken("priority", "a log leaks its locks in an abort", &["log: release: only commits"], &["lost_update_in_loops", "write_skew_in_loops"]),
    // ---- endings of short transactions ---------------------------------------------------------------------------------
    broken("priority", "loaded and not validated", &["validate an unlocked read"], &["ten_at_a_time"]),
    // ---- endings -------------------------------------------------------------------------------------------------------
    broken("priority", "faults and rejects not validated", &["finish: only commits"], &["zombie_index", "torn_reject"]),
    broken("priority", "finished before the commit", &["finish: too late"], &["lost_update_found", "write_skew"]),
    broken("priority", "a postponement leaks its locks", &["release a slot"], &["enabled_by_another_procedure"]),
    broken("priority", "an abort leaks its locks", &["release: only commits"], &["lost_update_found", "blind_writes_found"]),
    broken("priority", "an abort keeps the values", &["value after an abort"], &["rejects"]),
    // ---- two names for one element --------------------------------------------------------------------------------------
    broken("priority", "own writes hidden from other names", &["aliases take the write"], &["same_account"]),
    broken("priority", "own writes hidden, optimistic", &["each alias of a write"], &["coverage_beyond_the_array", "everything_at_once"]),
    broken("priority", "one lock taken twice, ordered", &["rank of a lock", "lock of a rank"], &["same_account"]),
    broken("priority", "one lock taken twice, optimistic", &["own other entries"], &["coverage_beyond_the_array"]),
    // ---- long reads ----------------------------------------------------------------------------------------------------
    broken("priority", "a long reader may read more elements than it states", &["long reads: no end"], &["long_walks"]),
    broken("priority", "elements of a long reader count each time", &["long reads: duplicates stay"], &["long_walks"]),
    broken("priority", "a long reader does not validate", &["long reads: validate"], &["long_walks"]),
];
