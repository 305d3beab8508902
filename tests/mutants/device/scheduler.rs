//! The mutants of the scheduler, of an attempt, and of the contract between bodies and engines.

use super::Mutant;

pub(super) const SCHEDULER: &[Mutant] = &[
    // ---- the scheduler -------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "faulted transactions are executed again",
        at: &["final statuses: without faults"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "priority",
        name: "rejected transactions are executed again",
        at: &["final statuses: without rejects"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "priority",
        name: "a false guard is final",
        at: &["final statuses: with postponed"],
        caught_by: &["enabled_by_another_procedure"],
    },
    Mutant {
        engine: "priority",
        name: "finished transactions are executed in each pass",
        at: &["status of a transaction"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "priority",
        name: "a pass over one procedure executes others too",
        at: &["transaction is due"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "priority",
        name: "a scan skips a transaction",
        at: &["end of a scan"],
        caught_by: &["lost_update"],
    },
    Mutant {
        engine: "priority",
        name: "the last transaction of a thread is left out",
        at: &["end of the range"],
        caught_by: &["lost_update"],
    },
    Mutant {
        engine: "priority",
        name: "the status is not kept",
        at: &["keep the status"],
        caught_by: &["lost_update"],
    },
    Mutant {
        engine: "priority",
        name: "each ending counts twice",
        at: &["count the status"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "priority",
        name: "postponements count twice",
        at: &["count the postponements"],
        caught_by: &["waits_are_counted_once"],
    },
    Mutant {
        engine: "priority",
        name: "postponements of earlier passes count again",
        at: &["what a pass leaves"],
        caught_by: &["limits_leave_the_rest"],
    },
    Mutant {
        engine: "priority",
        name: "a pass that finishes nothing is followed by others",
        at: &["end of the passes"],
        caught_by: &["waits_are_counted_once"],
    },
    Mutant {
        engine: "priority",
        name: "the pass limit is overlooked",
        at: &["pass limit"],
        caught_by: &["limits_leave_the_rest"],
    },
    Mutant {
        engine: "priority",
        name: "each pass of the first launch begins anew",
        at: &["first pass: each pass"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "priority",
        name: "each launch begins anew",
        at: &["first pass: each launch"],
        caught_by: &["limits_leave_the_rest"],
    },
    Mutant {
        engine: "priority",
        name: "one lane of a warp is counted",
        at: &["sum of a warp"],
        caught_by: &["finished_transactions_are_final"],
    },
    Mutant {
        engine: "local",
        name: "partitions are taken in their order",
        at: &["number of the partition"],
        caught_by: &["parts_count"],
    },
    Mutant {
        engine: "local",
        name: "transactions begin before their partition is there",
        at: &["partition is there"],
        caught_by: &["parts_count", "parts_keep_their_money"],
    },
    Mutant {
        engine: "local",
        name: "a partition goes back before its transactions are done",
        at: &["partition is done"],
        caught_by: &["parts_count", "parts_keep_their_money"],
    },
    // ---- an attempt ----------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "the body runs without its locks",
        at: &["run the body: without its locks"],
        caught_by: &["lost_update", "ten_at_a_time"],
    },
    Mutant {
        engine: "priority",
        name: "results are not kept",
        at: &["give the result"],
        caught_by: &["lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "components of a result lie side by side",
        at: &["place of a result"],
        caught_by: &["records_stay_whole"],
    },
    Mutant {
        engine: "priority",
        name: "the reason of a fault is lost",
        at: &["give the detail"],
        caught_by: &["faults_among_good_ones"],
    },
    Mutant {
        engine: "priority",
        name: "only commits are recorded",
        at: &["what is recorded"],
        caught_by: &["write_skew", "rejects"],
    },
    Mutant {
        engine: "priority",
        name: "what was undone is recorded as written",
        at: &["record"],
        caught_by: &["rejects", "faults_among_good_ones"],
    },
    Mutant {
        engine: "priority",
        name: "the last entry of a history is lost",
        at: &["number of entries"],
        caught_by: &["lost_update"],
    },
    // ---- the contract --------------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "histories name elements instead of locks",
        at: &["lock of an element"],
        caught_by: &["coverage_beyond_the_array"],
    },
    Mutant {
        engine: "priority",
        name: "histories know one array",
        at: &["place of an entry"],
        caught_by: &["lost_update_found"],
    },
    Mutant {
        engine: "priority",
        name: "conflicts are not counted",
        at: &["count a conflict"],
        caught_by: &["conflicts_are_profiled"],
    },
    Mutant {
        engine: "jvstm",
        name: "all conflicts count as those with locks",
        at: &["count a conflict: as locked"],
        caught_by: &["shortest_rings"],
    },
    Mutant {
        engine: "priority",
        name: "a conflict counts twice at its line",
        at: &["count at the line"],
        caught_by: &["conflicts_are_profiled"],
    },
    Mutant {
        engine: "priority",
        name: "waits are not counted by function",
        at: &["count a wait"],
        caught_by: &["conflicts_are_profiled"],
    },
    Mutant {
        engine: "priority",
        name: "the first function holds every lock word",
        at: &["who holds a lock word"],
        caught_by: &["conflicts_are_profiled"],
    },
    Mutant {
        engine: "priority",
        name: "a lock word takes an entry for each conflict",
        at: &["entry of a lock word"],
        caught_by: &["conflicts_are_profiled"],
    },
    Mutant {
        engine: "priority",
        name: "the line of a fault is lost",
        at: &["detail of a fault"],
        caught_by: &["faults_among_good_ones"],
    },
    // ---- arrays that no procedure writes --------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "an index past the end of a constant array",
        at: &["end of a constant array"],
        caught_by: &["written_by_every_other_run"],
    },
    // ---- declared bounds -----------------------------------------------------------------------------------------------
    Mutant {
        engine: "priority",
        name: "known elements count against the bound",
        at: &["known element"],
        caught_by: &["known_elements_do_not_count"],
    },
    Mutant {
        engine: "priority",
        name: "known elements count once the set was sorted out",
        at: &["known element that stays"],
        caught_by: &["known_elements_do_not_count"],
    },
    Mutant {
        engine: "priority",
        name: "the bound grows by the known elements",
        at: &["stated bound: grows"],
        caught_by: &["known_elements_do_not_count"],
    },
];
