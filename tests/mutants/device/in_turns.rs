//! The mutants of the stage that runs transactions in their turn on one block.

use super::Mutant;

const fn mutant(name: &'static str, at: &'static [&'static str]) -> Mutant {
    Mutant { engine: "in-turns", name, at, caught_by: &["short_turns_in_push_order"] }
}

pub(super) const IN_TURNS: &[Mutant] = &[
    mutant("a writer does not wait for earlier readers", &["turn of a writer"]),
    mutant("a reader does not wait for writers of its share", &["turn of a reader"]),
    mutant("a transaction ends twice in a queue", &["two places in a queue"]),
    mutant("a reader does not wait for writers of earlier shares", &["shares before"]),
    mutant("only the first queue counts", &["look at the queues"]),
];
