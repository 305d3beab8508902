//! The mutants of the scheduler, of an attempt, and of the contract between bodies and engines.

use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const SCHEDULER: &[Mutant] = &[
    // ---- the scheduler -------------------------------------------------------------------------------------------------
    broken("priority", "transactions that wait are not executed again", &["what waits is due"], &["enabled_after_a_launch"]),
    broken("priority", "faulted transactions are executed again", &["final statuses: without faults"], &["finished_transactions_are_final"]),
    broken("priority", "rejected transactions are executed again", &["final statuses: without rejects"], &["finished_transactions_are_final"]),
    broken("priority", "a false guard is final", &["final statuses: with postponed"], &["enabled_by_another_procedure"]),
    broken("priority", "finished transactions are executed in each pass", &["status of a transaction"], &["finished_transactions_are_final"]),
    broken("priority", "a pass over one procedure executes others too", &["transaction is due"], &["finished_transactions_are_final"]),
    broken("priority", "a scan skips a transaction", &["end of a scan"], &["lost_update"]),
    broken("priority", "the last transaction of a thread is left out", &["end of the range"], &["lost_update"]),
    broken("priority", "the status is not kept", &["keep the status"], &["lost_update"]),
    broken("priority", "each ending counts twice", &["count the status"], &["finished_transactions_are_final"]),
    broken("priority", "postponements count twice", &["count the postponements"], &["waits_are_counted_once"]),
    broken("priority", "postponements of earlier passes count again", &["what a pass leaves"], &["limits_leave_the_rest"]),
    broken("priority", "a pass that finishes nothing is followed by others", &["end of the passes"], &["waits_are_counted_once"]),
    broken("priority", "the pass limit is overlooked", &["pass limit"], &["limits_leave_the_rest"]),
    broken("priority", "each pass of the first launch begins anew", &["first pass: each pass"], &["finished_transactions_are_final"]),
    broken("priority", "each launch begins anew", &["first pass: each launch"], &["limits_leave_the_rest"]),
    broken("priority", "one lane of a warp is counted", &["sum of a warp"], &["finished_transactions_are_final"]),
    broken("local", "partitions are taken in their order", &["number of the partition"], &["parts_count"]),
    broken("local", "transactions begin before their partition is there", &["partition is there"], &["parts_count", "parts_keep_their_money"]),
    broken("local", "a partition goes back before its transactions are done", &["partition is done"], &["parts_count", "parts_keep_their_money"]),
    // ---- an attempt ----------------------------------------------------------------------------------------------------
    broken("priority", "the body runs without its locks", &["run the body: without its locks"], &["lost_update", "ten_at_a_time"]),
    broken("priority", "results are not kept", &["give the result"], &["lost_update_found"]),
    broken("priority", "components of a result lie side by side", &["place of a result"], &["records_stay_whole"]),
    broken("priority", "the reason of a fault is lost", &["give the detail"], &["faults_among_good_ones"]),
    broken("priority", "only commits are recorded", &["what is recorded"], &["write_skew", "rejects"]),
    broken("priority", "what was undone is recorded as written", &["record"], &["rejects", "faults_among_good_ones"]),
    broken("priority", "the last entry of a history is lost", &["number of entries"], &["lost_update"]),
    // ---- the contract --------------------------------------------------------------------------------------------------
    broken("priority", "histories name elements instead of locks", &["lock of an element"], &["coverage_beyond_the_array"]),
    broken("priority", "histories know one array", &["place of an entry"], &["lost_update_found"]),
    broken("priority", "conflicts are not counted", &["count a conflict"], &["conflicts_are_profiled"]),
    broken("jvstm", "all conflicts count as those with locks", &["count a conflict: as locked"], &["shortest_rings"]),
    broken("priority", "a conflict counts twice at its line", &["count at the line"], &["conflicts_are_profiled"]),
    broken("priority", "waits are not counted by function", &["count a wait"], &["conflicts_are_profiled"]),
    broken("priority", "the first function holds every lock word", &["who holds a lock word"], &["conflicts_are_profiled"]),
    broken("priority", "a lock word takes an entry for each conflict", &["entry of a lock word"], &["conflicts_are_profiled"]),
    broken("priority", "the line of a fault is lost", &["detail of a fault"], &["faults_among_good_ones"]),
    // ---- arrays that no procedure writes --------------------------------------------------------------------------------
    broken("priority", "an index past the end of a constant array", &["end of a constant array"], &["written_by_every_other_run"]),
    // ---- declared bounds -----------------------------------------------------------------------------------------------
    broken("priority", "known elements count against the bound", &["known element"], &["known_elements_do_not_count"]),
    broken("priority", "known elements count once the set was sorted out", &["known element that stays"], &["known_elements_do_not_count"]),
    broken("priority", "the bound grows by the known elements", &["stated bound: grows"], &["known_elements_do_not_count"]),
];
