//! Transactions shared by the tests: snapshots print them, every back end runs them, and real compilers compile them.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::complexity,
    clippy::style,
    reason = "cases show what users may write"
)]

use kernels_gen::spec::Source;
use stm_runtime::Kernel;

pub mod arrays;
pub mod branches;
pub mod closures;
pub mod constants;
pub mod elements;
pub mod enums;
pub mod floats;
pub mod footprint;
pub mod generics;
pub mod guards;
pub mod helpers;
pub mod integers;
pub mod iterators;
pub mod labels;
pub mod lengths;
pub mod literals;
pub mod locals;
pub mod loops;
pub mod matches;
pub mod methods;
pub mod names;
pub mod options;
pub mod order;
pub mod orderable;
pub mod own_methods;
pub mod panics;
pub mod patterns;
pub mod pieces;
pub mod prints;
pub mod ranges;
pub mod records;
pub mod results;
pub mod short_circuit;
pub mod slots;
pub mod sums;
pub mod transfer;
pub mod tuples;
pub mod updates;

/// A transaction of a case.
pub struct Known {
    pub case: &'static str,
    pub name: &'static str,
    pub kernel: Kernel,
}

impl Known {
    /// What the macro left of it.
    pub fn source(&self) -> &'static Source {
        self.kernel.source().expect("the macro made it")
    }
}

macro_rules! known {
    ($($case:ident: $($name:ident)*;)*) => {
        fn functions() -> Vec<Known> {
            vec![$($(known(stringify!($case), stringify!($name), $case::$name::kernel()),)*)*]
        }
    };
}

fn known(case: &'static str, name: &'static str, kernel: Kernel) -> Known {
    Known { case, name, kernel }
}

/// Every transaction of every case.
pub fn all() -> Vec<Known> {
    let mut all = functions();
    all.push(known("closures", "expression", closures::expression()));
    all.push(known("generics", "add_u32", generics::add::<u32>::kernel()));
    all.push(known("generics", "add_i64", generics::add::<i64>::kernel()));
    all.push(known("generics", "gather_i64", generics::gather::<i64, 3>::kernel()));
    all
}

known! {
    arrays: histogram fixed spots nested named;
    branches: classify both_ends;
    closures: touch count;
    constants: bound values;
    elements: gather spread;
    enums: raise number pay fee take_off;
    floats: single double;
    footprint: exact stated same_element;
    generics: keys pairs;
    guards: slices;
    helpers: pay collect;
    integers: checked wrapped wide both_words;
    iterators: weigh halve pair_up;
    labels: blocks loops;
    lengths: wrapped ends;
    literals: inferred cast limits;
    locals: shift visit;
    loops: count all_bytes forever wraps;
    matches: ranges guarded ends;
    methods: integers floats;
    names: template;
    options: take choose settle;
    order: operands;
    orderable: computed pointer chosen;
    own_methods: buy compare reserve;
    panics: asserted unwrapped;
    patterns: chain otherwise follow ends;
    pieces: filled_up of_what_was_computed of_too_much of_what_changes of_what_was_before of_another of_what_changes_with_it in_a_branch
        if_the_old_value_wants_it at_arguments;
    prints: show;
    ranges: backwards steps;
    records: whole fields rebuilt;
    results: audit get withdraw never nothing;
    short_circuit: pure effects;
    slots: intents paths;
    sums: branches loops two_reads_first read_before_the_loop
        one_of_two leaves_early twice_itself taken_from to_another_element to_another_array decides;
    transfer: transfer;
    tuples: swap part;
    updates: closure function record;
}
