//! The transactions of the suite, written as users write them.
//!
//! They cover every way in which an engine may run a transaction: all addresses known from the arguments (`increment`), an
//! address that was read (`increment_found`), accesses in loops (`increment_run`), no writes (`total`). Wide elements (8
//! bytes) and narrow ones have different layouts on a device, so the important ones exist for both.

pub mod bank;
pub mod columns;
pub mod commuting;
pub mod constants;
pub mod counters;
pub mod dirty;
pub mod endings;
pub mod guards;
pub mod helpers;
pub mod in_order;
pub mod locals;
pub mod pairs;
pub mod readers;
pub mod records;
pub mod sets;
pub mod sums;
pub mod tickets;
pub mod types;

macro_rules! kernels {
    ($($file:ident: $($name:ident)*;)*) => {
        /// Returns every procedure, with its source file.
        #[must_use]
        pub fn all() -> Vec<(&'static str, stm_runtime::Kernel)> {
            vec![$($((stringify!($file), $file::$name::kernel()),)*)*]
        }
    };
}

kernels! {
    bank: transfer transfer_narrow transfer_found transfer_between transfer_between_found turn_around deposit audit
        audit_narrow;
    columns: place;
    commuting: withdraw pay_in move_twice sell deliver count_in_a_byte observe turn_twice double raise_to spend score;
    constants: buy sum_of_prices raise_prices;
    counters: increment increment_narrow increment_found increment_found_narrow look look_narrow
        increment_run increment_slowly total;
    dirty: spoil_and_refuse spoil_and_fault spoil_and_wait spoil_run spoil_found look look_narrow copy_on refuse_spoilt;
    endings: nothing never grow grow_wrapping divide refuse too_many too_many_writes one_and_many one_and_many_writes spin;
    guards: pass_on raise_flag write_then_wait wait_only wait_torn;
    in_order: put_or_sum shift add_and_move draw_number count_up take_from put_into count_anew compare_stocks hand_on put_and_refuse move_some collect look_around read_cell read_found gather_often;
    locals: count count_found pass_on sum spoil leave_duty sit_down stand_up;
    pairs: raise_pair raise_pair_narrow see_pair see_pair_narrow refuse_torn leave_duty leave_duty_wide leave_team follow
        follow_narrow shift_index use_index wait_whole;
    readers: audit_once_rich follow relink balance_of sum_far sum_opposites change_opposites;
    records: move_over move_whole see_purses transfer_by_functions sit_down stand_up switch_light step_machine shift_parts
        rely_on_parts;
    sets: read_again read_twice read_then_raise write_then_read fill_then_sum fill_again_then_sum write_twice set_pair set_pair_found
        read_same sum_again sum_in_turn half_by_half;
    sums: sell sell_in_all sell_whole sell_if_open set_open see_sum add_to_both add_price raise_price;
    tickets: enter pay replace replace_even mark turn;
    types: mixed convert add_bytes add_short add_wide;
}
