//! Mutants of the proof, and of the oracle that it replays histories on.

use super::{Mutant, caught};

#[rustfmt::skip]
pub(super) const PROOF: &[Mutant] = &[
    caught("proof: the last element of each array is not compared", &["unit proof::tests::every_element_is_compared"]),
    caught("proof: only the first array is compared", &["unit proof::tests::every_element_is_compared"]),
    caught("proof: outcomes are not compared", &["unit proof::tests::wrong_results_values_and_outcomes_are_caught"]),
    caught("proof: results are not compared", &["unit proof::tests::wrong_results_values_and_outcomes_are_caught"]),
    caught("proof: the last component of a result is not compared", &["unit proof::tests::every_component_of_a_result_is_compared"]),
    caught("proof: the order has places of the history", &["cpu-seeded proved_order"]),
    caught("proof: what push order leaves waiting may commit", &["unit proof::pushed::tests::what_waits_at_the_end_has_not_committed"]),
    caught("proof: a guard may hold at the end", &["unit proof::tests::a_guard_that_holds_at_the_end_is_caught"]),
    caught("proof: a transaction may be in the history twice", &["unit proof::tests::transactions_are_in_the_history_once_and_finished"]),
    caught("proof: a finished transaction may be missing in the history", &["unit proof::tests::transactions_are_in_the_history_once_and_finished"]),
    caught("proof: an unfinished transaction may be in the history", &["unit proof::tests::an_unfinished_transaction_has_no_history"]),
    caught("proof: aborted transactions may have written", &["unit proof::tests::aborted_transactions_have_not_written"]),
    caught("proof: a version that was never written may be read", &["unit proof::tests::a_version_that_was_never_written_cannot_be_read"]),
    caught("proof: two may write one version", &["unit proof::tests::a_version_written_twice_is_a_lost_update"]),
    caught("proof: versions may be missing", &["unit proof::tests::a_missing_version_is_a_gap_where_versions_are_dense"]),
    caught("proof: a reader may come before the writer", &["unit proof::tests::a_torn_snapshot_is_a_cycle"]),
    caught("proof: writers may come in any order", &["unit proof::tests::long_cycles_are_found_and_reported_short"]),
    caught("proof: the first reader may come after the next writer", &["unit proof::tests::write_skew_is_a_cycle"]),
    caught("proof: arrays share their versions", &["cpu-seeded lost_update_found"]),
    caught("proof: joined histories lie over each other", &["cpu-seeded lost_update"]),
    caught("reference: writes are undone oldest first", &["cpu-seeded undone_under_one_lock", "cpu-seeded dirty_values_spread"]),
    caught("reference: an abort keeps its writes", &["cpu-seeded rejects"]),
    caught("reference: the result before stays", &["cpu-seeded every_outcome_comes_back"]),
    caught("reference: an index may be the length", &["cpu-seeded faults_among_good_ones"]),
];
