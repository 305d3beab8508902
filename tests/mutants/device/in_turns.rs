//! The mutants of the stage that runs transactions in their turn on one block.

use super::Mutant;

const fn mutant(name: &'static str, at: &'static [&'static str]) -> Mutant {
    Mutant { engine: "in-turns", name, at, caught_by: &["short_turns_in_push_order"] }
}

pub(super) const IN_TURNS: &[Mutant] = &[
    mutant("the last one that claims comes first", &["the earliest one of a turn"]),
    mutant("one that writes claims like one that reads", &["claim of a writer"]),
    mutant("one that reads claims nothing", &["claim of a reader"]),
    mutant("one that reads does not look for writers", &["writers before a turn"]),
    mutant("one that writes does not look for readers", &["readers before a turn"]),
    mutant("no turn waits for earlier ones", &["earlier turns"]),
    mutant("a turn does not wait for earlier ones of its window", &["groups of a turn"]),
    mutant("a window does not wait for earlier ones", &["windows before"]),
    mutant("arrays do not go back", &["arrays go back"]),
];
