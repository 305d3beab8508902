//! Hand-written tests of the language: the meaning of each construct, on every back end; engines take turns.
//!
//! A function of values is a plain function too, and rustc's own code for it gives the expected result of a transaction, faults
//! included (`values`, `control`, `functions`, `order`, `faults`). Tests of arrays state their results themselves.

#![allow(clippy::all, clippy::todo, reason = "the tests write what users may write")]

#[macro_use]
mod harness;

mod alternatives;
mod arrays;
mod both_ways;
mod by_path;
mod chosen;
mod closure_names;
mod closures;
mod conflicts;
mod constant_lengths;
mod control;
mod defaults;
mod either_way;
mod elements;
mod ends;
mod everyday;
mod exclusive_defaults;
mod facts;
mod faults;
mod flattened;
mod functions;
mod generic;
mod generic_operators;
mod generic_vectors;
mod imported;
mod in_place;
mod inferred_records;
mod inferred_types;
mod iterators;
mod kept_results;
mod lengths;
mod lent;
mod letters;
mod limits;
mod lists;
mod long;
mod many;
mod methods;
mod named;
mod named_arrays;
mod nested;
mod open_types;
mod options;
mod order;
mod ordered_parameters;
mod own_operators;
mod pairs;
mod parts;
mod places;
mod repeated;
mod results;
mod rev_after_steps;
mod reversed_keys;
mod several;
mod steps;
mod trait_bounds;
mod trait_constants;
mod trait_parameters;
mod traits;
mod units;
mod usual;
mod values;
mod variants;
mod wide;
mod wrapping;
