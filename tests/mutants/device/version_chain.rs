//! The mutants of the engines that keep versions.

use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const VERSION_CHAIN: &[Mutant] = &[
    // ---- version chains, under both engines -----------------------------------------------------------------------------------
    broken("jvstm", "the newest version is read", &["versions after the snapshot"], &["torn_snapshot", "torn_snapshot_narrow"]),
    broken(
        "jvstm",
        "an empty version chain is read too early",
        &["before the newest value", "count of versions"],
        &["torn_snapshot", "torn_snapshot_narrow", "single_reads"],
    ),
    broken("csmv", "a version takes the place of the one before", &["place of a version"], &["torn_snapshot", "lost_update_found"]),
    broken("jvstm", "versions are read while they are overwritten", &["version still stands: unchecked"], &["shortest_rings"]),
    broken("jvstm", "the check for overwritten versions is off by one", &["version still stands: off by one"], &["shortest_rings"]),
    // ---- jvstm -------------------------------------------------------------------------------------------------------
    broken("jvstm", "records are not checked", &["check the records"], &["lost_update_found", "write_skew"]),
    broken("jvstm", "the last commit is not checked", &["records to check"], &["lost_update_found", "write_skew"]),
    broken("jvstm", "the clock advances before the versions are there", &["after the record", "advance the clock"], &["torn_snapshot", "lost_update_found"]),
    broken("jvstm", "the clock of six bits wraps", &["time of a commit"], &["lost_update", "lost_update_found"]),
    broken("jvstm", "the ring of records has half its length", &["place of a record"], &["shortest_rings"]),
    broken("jvstm", "records are read while they are written again", &["record still stands"], &["shortest_rings"]),
    broken("jvstm", "the record of a commit that has begun counts as whole", &["latest record"], &["shortest_rings"]),
    // ---- csmv --------------------------------------------------------------------------------------------------------
    broken("csmv", "the server orders without checking", &["drop conflicting transactions"], &["lost_update_found", "write_skew"]),
    broken("csmv", "records of what was read instead of what was written", &["record of writes"], &["lost_update_found", "write_skew"]),
    broken("csmv", "the first record since the snapshot is left out", &["first record to check"], &["lost_update_found", "write_skew"]),
    broken("csmv", "only the first keys are compared", &["further keys"], &["lost_update_in_loops", "more_writes_than_locks", "write_skew_wide"]),
    broken("csmv", "the clock does not wait for earlier commits", &["wait for earlier commits"], &["commits_of_several_warps"]),
    broken("csmv", "a commit does not wait for the clock", &["wait for the own commit"], &["commits_of_several_warps", "lost_update_found"]),
    broken(
        "csmv",
        "the clock advances before the versions are there",
        &["put the versions", "after the batch"],
        &["torn_snapshot", "lost_update_found", "money_is_conserved"],
    ),
    broken(
        "csmv",
        "a transaction that conflicts with its batch is submitted with it",
        &["conflicts within the batch"],
        &["lost_update_found", "all_threads_on_one_element"],
    ),
    broken("csmv", "only the first lane of a batch is compared", &["earlier lanes of the batch"], &["lost_update_found", "write_skew"]),
];
