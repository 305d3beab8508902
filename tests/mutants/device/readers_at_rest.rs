//! The mutants of the stage of readers.

use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const READERS_AT_REST: &[Mutant] = &[
    broken("readers-at-rest", "a reader sees another value", &["value at rest"], &["readers_of_all_kinds", "long_readers_and_writers"]),
    broken("readers-at-rest", "a reader is proved with another version", &["version at rest"], &["readers_of_all_kinds", "long_readers_and_writers"]),
    broken("readers-at-rest", "a reader commits although its guard is false", &["guards at rest"], &["readers_of_all_kinds"]),
    broken("readers-at-rest", "a reader ends where its bound of iterations does", &["end of a cut range"], &["iterations_exceeded"]),
    broken("readers-at-rest", "a reader returns nothing", &["result at rest"], &["readers_of_all_kinds"]),
    broken(
        "readers-at-rest",
        "a reader may read more elements than it states",
        &["stated accesses at rest"],
        &["capacity_exceeded", "known_elements_do_not_count"],
    ),
];
