//! Hand-written tests of the language: the meaning of each construct, on every back end; engines take turns.
//!
//! A function of values is a plain function too, and rustc's own code for it gives the expected result of a transaction, faults
//! included (`values`, `control`, `functions`, `order`, `faults`). Tests of arrays state their results themselves.

#![allow(clippy::all, clippy::todo, reason = "the tests write what users may write")]

#[path = "language/alternatives.rs"]
mod alternatives;
#[path = "language/arrays.rs"]
mod arrays;
#[path = "language/both_ways.rs"]
mod both_ways;
#[path = "language/by_path.rs"]
mod by_path;
#[path = "language/chosen.rs"]
mod chosen;
#[path = "language/closure_names.rs"]
mod closure_names;
#[path = "language/closures.rs"]
mod closures;
#[path = "language/conflicts.rs"]
mod conflicts;
#[path = "language/constant_lengths.rs"]
mod constant_lengths;
#[path = "language/control.rs"]
mod control;
#[path = "language/defaults.rs"]
mod defaults;
#[path = "language/either_way.rs"]
mod either_way;
#[path = "language/elements.rs"]
mod elements;
#[path = "language/ends.rs"]
mod ends;
#[path = "language/everyday.rs"]
mod everyday;
#[path = "language/exclusive_defaults.rs"]
mod exclusive_defaults;
#[path = "language/facts.rs"]
mod facts;
#[path = "language/faults.rs"]
mod faults;
#[path = "language/flattened.rs"]
mod flattened;
#[path = "language/functions.rs"]
mod functions;
#[path = "language/generic.rs"]
mod generic;
#[path = "language/generic_operators.rs"]
mod generic_operators;
#[path = "language/generic_vectors.rs"]
mod generic_vectors;
#[path = "language/harness.rs"]
mod harness;
#[path = "language/imported.rs"]
mod imported;
#[path = "language/in_place.rs"]
mod in_place;
#[path = "language/inferred_records.rs"]
mod inferred_records;
#[path = "language/inferred_types.rs"]
mod inferred_types;
#[path = "language/iterators.rs"]
mod iterators;
#[path = "language/kept_results.rs"]
mod kept_results;
#[path = "language/lengths.rs"]
mod lengths;
#[path = "language/lent.rs"]
mod lent;
#[path = "language/letters.rs"]
mod letters;
#[path = "language/limits.rs"]
mod limits;
#[path = "language/lists.rs"]
mod lists;
#[path = "language/long.rs"]
mod long;
#[path = "language/many.rs"]
mod many;
#[path = "language/methods.rs"]
mod methods;
#[path = "language/named.rs"]
mod named;
#[path = "language/named_arrays.rs"]
mod named_arrays;
#[path = "language/nested.rs"]
mod nested;
#[path = "language/open_types.rs"]
mod open_types;
#[path = "language/options.rs"]
mod options;
#[path = "language/order.rs"]
mod order;
#[path = "language/ordered_parameters.rs"]
mod ordered_parameters;
#[path = "language/own_operators.rs"]
mod own_operators;
#[path = "language/pairs.rs"]
mod pairs;
#[path = "language/parts.rs"]
mod parts;
#[path = "language/places.rs"]
mod places;
#[path = "language/repeated.rs"]
mod repeated;
#[path = "language/results.rs"]
mod results;
#[path = "language/rev_after_steps.rs"]
mod rev_after_steps;
#[path = "language/reversed_keys.rs"]
mod reversed_keys;
#[path = "language/several.rs"]
mod several;
#[path = "language/steps.rs"]
mod steps;
#[path = "language/trait_bounds.rs"]
mod trait_bounds;
#[path = "language/trait_constants.rs"]
mod trait_constants;
#[path = "language/trait_parameters.rs"]
mod trait_parameters;
#[path = "language/traits.rs"]
mod traits;
#[path = "language/units.rs"]
mod units;
#[path = "language/usual.rs"]
mod usual;
#[path = "language/values.rs"]
mod values;
#[path = "language/variants.rs"]
mod variants;
#[path = "language/wide.rs"]
mod wide;
#[path = "language/wrapping.rs"]
mod wrapping;
