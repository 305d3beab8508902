//! The scenarios: each fills a batch, runs it, and checks the result. The proof is part of every run.

mod bank;
mod chunks;
mod columns;
mod commuting;
mod computed;
mod constants;
mod counters;
mod counts;
mod dirty;
mod endings;
mod guards;
mod in_order;
mod launches;
mod locals;
mod mixture;
mod pairs;
mod profile;
mod readers;
mod records;
mod rings;
mod sets;
mod shapes;
mod stayed;
mod sums;
mod tickets;
mod types;

use crate::environment::Environment;
use crate::failure::TestResult;

/// A scenario.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&Environment) -> TestResult,
}

macro_rules! scenarios {
    ($($module:ident: $($name:ident)*;)*) => {
        /// All scenarios.
        pub static SCENARIOS: &[Scenario] = &[$($(Scenario { name: stringify!($name), run: $module::$name },)*)*];
    };
}

scenarios! {
    counters: lost_update lost_update_narrow lost_update_found lost_update_in_loops single_reads
        proved_order neighbours_in_one_word more_writes_than_locks all_threads_on_one_element;
    pairs: write_skew write_skew_wide write_skew_in_loops write_skew_of_one_lane overtaking torn_snapshot torn_snapshot_narrow torn_reject zombie_index zombie_loop;
    sets: repeated_read repeated_reads_in_loops repeated_reads_half_by_half
        repeated_read_narrow read_own_write read_own_write_in_loops blind_writes blind_writes_found
        last_write_stays own_writes_of_large_sets;
    bank: money_is_conserved same_account money_is_conserved_narrow same_lock coverage_beyond_the_array
        long_readers_and_writers ten_at_a_time many_arrays;
    guards: nothing_can_enable enabled_by_another_procedure enabled_one_by_one enabled_together guard_after_write
        guard_on_torn_pair enabled_by_a_later_chunk;
    endings: faults_among_good_ones rejects nothing_at_all capacity_exceeded known_elements_do_not_count
        iterations_exceeded wrapping;
    dirty: dirty_reads dirty_reads_narrow dirty_values_spread undone_under_one_lock dirty_guards crowd_on_few_elements;
    types: several_types conversions;
    constants: written_by_every_other_run;
    sums: sums_of_every_kind sums_of_what_commits sums_of_one_array_under_two_names;
    commuting: escrow_near_the_bounds one_element_twice sales_and_deliveries bytes_overflow_one_by_one extremes_and_bits
        sums_beside_others many_changes_of_few_elements reserves_and_scores;
    in_order: rows_in_order numbers_in_order rows_that_end records_in_order lines_in_order pieces_in_order turns_in_push_order short_turns_in_push_order;
    tickets: entries_that_nobody_reads entries_that_are_written_once entries_that_are_marked entries_in_push_order;
    readers: readers_of_all_kinds long_walks long_walks_over_records;
    records: records_stay_whole transfers_by_functions bookings_wait lights_go_around machines_go_around zombie_panics;
    locals: parts_count parts_keep_their_money parts_stay_apart parts_undo_and_do_not_skew parts_hold_records;
    shapes: odd_thread_counts lanes transactions_and_threads runs_again engines_take_turns
        engines_take_turns_on_fields elements_between_runs small_batches_stay_on_the_host;
    counts: waits_are_counted_once reads_enable_nothing finished_transactions_are_final limits_leave_the_rest;
    chunks: every_outcome_comes_back what_is_left_goes_on chunks_are_as_large_as_asked procedures_of_several_widths;
    columns: columns_are_calls columns_live_on_the_device columns_are_used_again columns_of_parts batches_overlap;
    computed: columns_are_computed columns_stay_for_later_runs outcomes_are_only_counted;
    stayed: results_stay_on_the_device;
    launches: threads_give_way enabled_after_a_launch chunks_of_several_launches;
    rings: shortest_rings commits_of_several_warps;
    profile: conflicts_are_profiled conflicts_in_partitions;
    mixture: everything_at_once random_coverage;
}

/// Returns the scenario of that name.
///
/// # Panics
/// There is no such scenario.
#[must_use]
pub fn named(name: &str) -> &'static Scenario {
    SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap_or_else(|| panic!("no scenario `{name}`"))
}
