//! The mutants of the engines that keep versions.

use super::Mutant;

pub(super) const VERSION_CHAIN: &[Mutant] = &[
    // ---- version chains, under both engines -----------------------------------------------------------------------------------
    Mutant {
        engine: "jvstm",
        name: "the newest version is read",
        at: &["versions after the snapshot"],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "jvstm",
        name: "an empty version chain is read too early",
        at: &["before the newest value", "count of versions"],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow", "single_reads"],
    },
    Mutant {
        engine: "csmv",
        name: "a version takes the place of the one before",
        at: &["place of a version"],
        caught_by: &["torn_snapshot", "lost_update_found"],
    },
    Mutant {
        engine: "jvstm",
        name: "versions are read while they are overwritten",
        at: &["version still stands: unchecked"],
        caught_by: &["shortest_rings"],
    },
    Mutant {
        engine: "jvstm",
        name: "the check for overwritten versions is off by one",
        at: &["version still stands: off by one"],
        caught_by: &["shortest_rings"],
    },
    // ---- jvstm -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "jvstm",
        name: "records are not checked",
        at: &["check the records"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "jvstm",
        name: "the last commit is not checked",
        at: &["records to check"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "jvstm",
        name: "the clock advances before the versions are there",
        at: &["after the record", "advance the clock"],
        caught_by: &["torn_snapshot", "lost_update_found"],
    },
    Mutant {
        engine: "jvstm",
        name: "the clock of six bits wraps",
        at: &["time of a commit"],
        caught_by: &["lost_update", "lost_update_found"],
    },
    Mutant {
        engine: "jvstm",
        name: "the ring of records has half its length",
        at: &["place of a record"],
        caught_by: &["shortest_rings"],
    },
    Mutant {
        engine: "jvstm",
        name: "records are read while they are written again",
        at: &["record still stands"],
        caught_by: &["shortest_rings"],
    },
    Mutant {
        engine: "jvstm",
        name: "the record of a commit that has begun counts as whole",
        at: &["latest record"],
        caught_by: &["shortest_rings"],
    },
    // ---- csmv --------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "csmv",
        name: "the server orders without checking",
        at: &["drop conflicting transactions"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "records of what was read instead of what was written",
        at: &["record of writes"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "the first record since the snapshot is left out",
        at: &["first record to check"],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "only the first keys are compared",
        at: &["further keys"],
        caught_by: &["lost_update_in_loops", "more_writes_than_locks", "write_skew_wide"],
    },
    Mutant {
        engine: "csmv",
        name: "the clock does not wait for earlier commits",
        at: &["wait for earlier commits"],
        caught_by: &["commits_of_several_warps"],
    },
    Mutant {
        engine: "csmv",
        name: "a commit does not wait for the clock",
        at: &["wait for the own commit"],
        caught_by: &["commits_of_several_warps", "lost_update_found"],
    },
    Mutant {
        engine: "csmv",
        name: "the clock advances before the versions are there",
        at: &["put the versions", "after the batch"],
        caught_by: &["torn_snapshot", "lost_update_found", "money_is_conserved"],
    },
    Mutant {
        engine: "csmv",
        name: "a transaction that conflicts with its batch is submitted with it",
        at: &["conflicts within the batch"],
        caught_by: &["lost_update_found", "all_threads_on_one_element"],
    },
    Mutant {
        engine: "csmv",
        name: "only the first lane of a batch is compared",
        at: &["earlier lanes of the batch"],
        caught_by: &["lost_update_found", "write_skew"],
    },
];
