//! Mutants of the run loop, of chunks, and of arrays on a device.

use super::{Mutant, caught};

const RESULTS: &[&str] = &["unit data::compound::tests::both_values_of_a_result_have_their_places"];

pub(super) const DEVICE: &[Mutant] = &[
    // ---- the run loop --------------------------------------------------------------------------------------------------
    caught("run loop: one transaction at the end is left out", &["fibers transactions_and_threads"]),
    caught(
        "run loop: what the last chunk cannot do, no chunk can",
        &["fibers what_is_left_goes_on", "fibers enabled_by_a_later_chunk"],
    ),
    caught("run loop: each round has passes of its own", &["fibers limits_leave_the_rest"]),
    caught("run loop: each launch has passes of its own", &["fibers limits_leave_the_rest"]),
    caught("run loop: reasons stay on the device", &["fibers rejects"]),
    caught(
        "run loop: all have committed where all have finished",
        &["fibers outcomes_are_only_counted", "fibers rejects"],
    ),
    caught("run loop: conflicts count as waiting", &["fibers threads_give_way"]),
    caught("run loop: unexecuted transactions count as waiting", &["fibers enabled_after_a_launch"]),
    caught("run loop: each launch begins anew", &["fibers limits_leave_the_rest"]),
    caught("run loop: all procedures have the conflicts of the first", &["fibers conflicts_are_profiled"]),
    caught("run loop: rejects are not finished", &["fibers finished_transactions_are_final"]),
    caught("run loop: faults are not finished", &["fibers finished_transactions_are_final"]),
    caught("run loop: passes of chunks add up", &["fibers waits_are_counted_once"]),
    caught("run loop: postponements count twice", &["fibers waits_are_counted_once"]),
    caught("run loop: conflicts are not added up", &["fibers conflicts_are_profiled"]),
    caught("run loop: one cause is lost", &["fibers/jvstm shortest_rings"]),
    caught("run loop: the pass limit is one more", &["fibers limits_leave_the_rest"]),
    caught("device memory: copies overtake what zeroes it", &["fibers limits_leave_the_rest"]),
    caught("run loop: the stop flag is overlooked", &["fibers limits_leave_the_rest"]),
    caught("run loop: the time limit is overlooked", &["fibers limits_leave_the_rest"]),
    caught(
        "contention: the first rate is that of the device",
        &["unit contention::tests::many_conflicts_divide_the_threads"],
    ),
    caught(
        "contention: threads that the user wants are changed",
        &["unit contention::tests::nothing_is_tried_without_conflicts_or_against_the_user"],
    ),
    caught(
        "contention: a launch without progress keeps its threads",
        &["unit contention::tests::a_launch_without_progress_halves"],
    ),
    caught(
        "contention: waiting transactions are a measure",
        &["unit contention::tests::waiting_transactions_say_nothing_about_threads"],
    ),
    caught(
        "contention: many conflicts are no reason for fewer threads",
        &["unit contention::tests::many_conflicts_divide_the_threads"],
    ),
    caught("windows: what waits does not come again", &["unit window::tests::what_a_launch_did_not_reach_comes_first"]),
    caught("contention: short launches stay short", &["unit contention::tests::looks_grow_where_they_are_too_short"]),
    caught(
        "contention: a run that took longer is cut again",
        &["unit contention::tests::looks_grow_where_they_are_too_short"],
    ),
    caught("climb: worse numbers are kept", &["unit climb::tests::the_best_number_is_found_and_kept"]),
    caught("contention: worse shapes are kept", &["unit contention::tests::the_best_number_of_threads_is_found"]),
    caught(
        "contention: threads are taken away without conflicts",
        &["unit contention::tests::nothing_is_tried_without_conflicts_or_against_the_user"],
    ),
    // ---- chunks --------------------------------------------------------------------------------------------------------
    caught("chunks: what goes ahead lacks one transaction", &["fibers transactions_and_threads"]),
    caught("chunks: what is left has other arguments", &["fibers what_is_left_goes_on"]),
    caught(
        "plan: a sample of other transactions counts",
        &["unit remembered::tests::a_sample_is_for_the_same_transactions"],
    ),
    caught("plan: an array leaves the device for nothing", &["fibers small_batches_stay_on_the_host"]),
    caught("plan: an array stays where it came first", &["fibers small_batches_stay_on_the_host"]),
    caught("arrays: what the host changed stays there", &["fibers small_batches_stay_on_the_host"]),
    caught("chunks: every chunk counts from the first row", &["fibers columns_are_computed"]),
    caught("chunks: what is left counts like the first ones", &["fibers columns_are_computed"]),
    caught(
        "chunks: every chunk reads the first rows of a column of the device",
        &["fibers columns_live_on_the_device"],
    ),
    caught(
        "chunks: what is left reads the first rows of a column of the device",
        &["fibers columns_live_on_the_device"],
    ),
    caught("columns: a part of a column begins where it does", &["fibers columns_live_on_the_device"]),
    caught("results: a short chunk leaves them like a long one", &["fibers results_stay_on_the_device"]),
    caught("results: those of what is left are of the first ones", &["fibers results_stay_on_the_device"]),
    caught("chunks: columns of an earlier batch are found", &["fibers columns_stay_for_later_runs"]),
    caught(
        "chunks: every chunk begins at the first row",
        &["unit rows::tests::a_chunk_has_a_range_of_rows_of_each_procedure", "fibers procedures_of_several_widths"],
    ),
    caught(
        "chunks: what is left has the rows of others",
        &["unit rows::tests::picked_transactions_have_rows_in_their_order", "fibers procedures_of_several_widths"],
    ),
    caught("batch: transactions have the rows of others", &["cpu procedures_of_several_widths"]),
    caught("batch: columns begin at the first row", &["cpu columns_are_calls"]),
    caught("batch: columns have the first specialization", &["cpu columns_are_calls"]),
    caught(
        "columns: later columns replace earlier ones",
        &["unit columns::tests::rows_that_follow_lent_ones_come_after_them", "cpu columns_are_calls"],
    ),
    caught("batch: transactions keep the numbers of the first calls", &["cpu procedures_of_several_widths"]),
    caught("chunks: specializations have the numbers of the batch", &["fibers procedures_of_several_widths"]),
    caught("columns: a narrow value takes four bytes", &["unit columns::tests::a_column_is_as_wide_as_its_values"]),
    caught("chunks: the status of an earlier chunk stays", &["fibers chunks_of_several_launches"]),
    caught(
        "outcomes: what is left keeps its count",
        &["unit statuses::tests::what_is_counted_on_the_way_is_what_is_there"],
    ),
    caught("chunks: the last one of a list counts as committed", &["unit few::tests::a_list_is_whole_and_in_order"]),
    caught("chunks: results of an earlier chunk stay", &["fibers every_outcome_comes_back"]),
    caught("chunks: a short chunk has results like a long one", &["fibers every_outcome_comes_back"]),
    caught("chunks: histories number the transactions of a chunk", &["fibers every_outcome_comes_back"]),
    caught("chunks: a history has all that fits", &["unit histories::tests::a_record_that_counts_past_its_end_is_cut"]),
    caught(
        "histories: turns do not count",
        &["unit unordered::tests::versions_follow_the_order_of_turns_and_transactions"],
    ),
    caught("chunks: outcomes of what is left go to others", &["fibers what_is_left_goes_on"]),
    caught("chunks: the size that the user wants is overlooked", &["fibers chunks_are_as_large_as_asked"]),
    caught("partitions: the last transaction is left out", &["fibers/local parts_count"]),
    caught("partitions: numbers are given as they come", &["fibers/local parts_count"]),
    // ---- arrays -------------------------------------------------------------------------------------------------------
    caught(
        "layout: a started group has no lock",
        &["unit layout::tests::lock_tables_have_a_word_for_every_started_group"],
    ),
    caught("layout: lock words are read as values", &["fibers lost_update"]),
    caught(
        "layout: values are moved to lock words",
        &["unit layout::tests::elements_lie_as_the_device_reads_them", "fibers elements_between_runs"],
    ),
    caught("arrays: a recorded run begins at old versions", &["fibers runs_again"]),
    caught("arrays: cells keep their versions", &["fibers runs_again"]),
    caught("arrays: versions of an earlier run stay", &["fibers/jvstm runs_again"]),
    caught("arrays: lock words of another engine are good", &["fibers/estm engines_take_turns"]),
    caught(
        "arrays: zeros are what was there before",
        &["unit array::tests::elements_take_no_memory_before_they_are_written_and_then_that_of_the_device"],
    ),
    caught("arrays: each piece is written to the first elements", &["fibers elements_between_runs"]),
    caught("arrays: each component of a record is a group", &["fibers engines_take_turns_on_fields"]),
    caught(
        "arrays: an array that loops write is constant",
        &["cpu-seeded written_by_every_other_run", "fibers/gpu-stm written_by_every_other_run"],
    ),
    caught("arrays: two parameters are two arrays", &["fibers sums_of_one_array_under_two_names"]),
    caught("arrays: sums are deferred beside readers", &["fibers sums_of_every_kind"]),
    // ---- values --------------------------------------------------------------------------------------------------------
    caught("data: an `Ok` ends with its value", RESULTS),
    caught("data: an `Err` lies over the value of `Ok`", RESULTS),
    caught("data: an `Err` is printed as its `Ok`", RESULTS),
];
