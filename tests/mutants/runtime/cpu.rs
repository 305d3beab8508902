//! Mutants of CPU threads, and of their serial mode.

use super::{Mutant, caught};

#[rustfmt::skip]
pub(super) const CPU: &[Mutant] = &[
    // ---- attempts ------------------------------------------------------------------------------------------------------
    caught("cpu: own writes are not read", &["cpu-seeded read_own_write"]),
    caught("cpu: reads are not checked", &["cpu-seeded torn_snapshot", "cpu-seeded lost_update_in_loops"]),
    caught("cpu: an outcome counts whatever it has read", &["cpu-seeded torn_reject", "cpu-seeded zombie_panics"]),
    caught("cpu: a commit keeps the versions", &["cpu-seeded lost_update"]),
    caught("cpu: an abort keeps its locks", &["cpu-seeded lost_update_in_loops"]),
    caught("cpu: a lock is taken at another version than read", &["cpu-seeded lost_update_in_loops", "cpu-seeded repeated_read_narrow"]),
    caught("cpu: an element beside the locked one keeps the version", &["unit tx::attempt::tests::what_shares_a_lock_word_gets_its_next_version"]),
    caught("cpu: locked elements are read", &["cpu-seeded torn_snapshot", "cpu-seeded overtaking"]),
    caught("cpu: the lock of another is taken", &["cpu-seeded lost_update", "cpu-seeded blind_writes"]),
    caught("cpu: the lock words of an array have one name", &["cpu-seeded lost_update_in_loops"]),
    caught("cpu: only the first field of a record has a lock", &["cpu-seeded written_by_every_other_run"]),
    caught(
        "cpu: a commit stores one field of a record",
        &["cpu records_stay_whole", "unit tx::attempt::tests::a_record_is_read_at_once_with_own_writes_in_it"],
    ),
    caught("cpu: conflicts with locks do not count", &["unit cpu::tests::a_lock_that_stays_is_not_taken_for_a_guard"]),
    // ---- sets ----------------------------------------------------------------------------------------------------------
    caught("cpu: the first write of an element stays", &["cpu last_write_stays"]),
    caught("cpu: a large set of writes outlives its attempt", &["cpu own_writes_of_large_sets"]),
    caught("cpu: a large set of writes forgets the first", &["cpu own_writes_of_large_sets"]),
    // ---- threads and their results -------------------------------------------------------------------------------------
    caught(
        "cpu: a place in a list is taken for the transaction there",
        &["unit cpu::tests::what_is_executed_by_procedure_keeps_its_outcome"],
    ),
    caught("cpu: conflicts count as waiting", &["unit cpu::tests::a_lock_that_stays_is_not_taken_for_a_guard"]),
    caught("cpu: postponements count twice", &["cpu waits_are_counted_once"]),
    caught("cpu: reads count as changes", &["cpu-seeded reads_enable_nothing"]),
    caught("cpu: one pass more than the limit", &["cpu limits_leave_the_rest"]),
    caught("cpu: the stop flag is overlooked", &["cpu limits_leave_the_rest"]),
    caught("cpu: the time limit is overlooked", &["cpu limits_leave_the_rest"]),
    caught("cpu: a conflict counts twice at its line", &["cpu-seeded conflicts_are_profiled"]),
    caught("cpu: the first procedure holds everything", &["cpu-seeded conflicts_are_profiled"]),
    caught("cpu: conflicts are not added up", &["cpu-seeded conflicts_are_profiled"]),
    caught("cpu: passes of threads add up", &["cpu waits_are_counted_once"]),
    caught("cpu: the last thread says why", &["unit cpu::tests::guards_wait_beside_a_lock_that_stays"]),
    caught("cpu: the last transaction is not claimed", &["cpu transactions_and_threads"]),
    caught("cpu: a commit wakes nobody", &["cpu-seeded enabled_one_by_one"]),
    caught("cpu: a commit forgets whom it does not wake", &["cpu-seeded enabled_together"]),
    caught("cpu: who is due waits on when another comes", &["unit cpu::queues::tests::who_is_due_stays_due_when_another_comes"]),
    caught("cpu: a late entry replaces a newer one", &["unit cpu::queue::tests::a_late_entry_does_not_replace_that_of_a_later_visit"]),
    caught("cpu: what is due is left", &["cpu-seeded enabled_together"]),
    caught("cpu: who waits does not look again", &["cpu-seeded enabled_by_another_procedure", "cpu-seeded enabled_one_by_one"]),
    caught("cpu: a recorded run begins at old versions", &["cpu-seeded runs_again"]),
    caught("cpu: components of a result lie side by side", &["cpu records_stay_whole"]),
    caught("cpu: the first reason is lost", &["cpu rejects"]),
    // ---- the plan ------------------------------------------------------------------------------------------------------
    caught("cpu: the slower way goes on", &["unit cpu::pace::tests::the_faster_way_goes_on"]),
    caught("cpu: a stage begins where the one before it began", &["unit cpu::supply::tests::each_transaction_is_claimed_once"]),
    caught("cpu: a stage that ends early is taken for whole", &["unit cpu::supply::tests::each_transaction_is_claimed_once"]),
    caught("cpu: what waits is lost when the way changes", &["cpu-staged enabled_together", "cpu-staged enabled_by_another_procedure"]),
    caught("cpu: a writer runs at rest", &["unit cpu::tests::only_what_writes_nothing_runs_at_rest"]),
    caught("cpu: a reader runs again", &["cpu-staged readers_of_all_kinds"]),
    // ---- one at a time -------------------------------------------------------------------------------------------------
    caught("serial: postponements count twice", &["cpu/serial waits_are_counted_once"]),
    caught("serial: a write keeps the version", &["cpu/serial lost_update"]),
    caught("serial: an abort keeps its writes", &["cpu/serial faults_among_good_ones"]),
    caught("serial: one pass more than the limit", &["cpu/serial limits_leave_the_rest"]),
    caught("serial: one pass is all", &["cpu/serial enabled_one_by_one"]),
    caught("serial: a commit wakes nobody", &["cpu/serial enabled_one_by_one"]),
    caught("serial: a commit forgets whom it does not wake", &["cpu/serial enabled_together"]),
    caught("serial: the reason of a fault is lost", &["cpu/serial faults_among_good_ones"]),
    caught("rounds: all wait for the next round", &["unit cpu::rounds::tests::what_becomes_due_has_its_turn_in_push_order"]),
    caught("rounds: what has ended is due again", &["unit cpu::rounds::tests::what_becomes_due_has_its_turn_in_push_order"]),
    caught("rounds: what reads much is forgotten", &["unit cpu::rounds::tests::one_that_reads_much_waits_for_any_change"]),
];
