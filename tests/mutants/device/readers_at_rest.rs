//! The mutants of the stage of readers.

use super::Mutant;

pub(super) const READERS_AT_REST: &[Mutant] = &[
    Mutant {
        engine: "readers-at-rest",
        name: "a reader sees another value",
        at: &["value at rest"],
        caught_by: &["readers_of_all_kinds", "long_readers_and_writers"],
    },
    Mutant {
        engine: "readers-at-rest",
        name: "a reader is proved with another version",
        at: &["version at rest"],
        caught_by: &["readers_of_all_kinds", "long_readers_and_writers"],
    },
    Mutant {
        engine: "readers-at-rest",
        name: "a reader commits although its guard is false",
        at: &["guards at rest"],
        caught_by: &["readers_of_all_kinds"],
    },
    Mutant {
        engine: "readers-at-rest",
        name: "a reader returns nothing",
        at: &["result at rest"],
        caught_by: &["readers_of_all_kinds"],
    },
    Mutant {
        engine: "readers-at-rest",
        name: "a reader may read more elements than it states",
        at: &["stated accesses at rest"],
        caught_by: &["capacity_exceeded", "known_elements_do_not_count"],
    },
];
