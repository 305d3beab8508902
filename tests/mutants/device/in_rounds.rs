//! The mutants of the stage that runs transactions in rounds.

use super::Mutant;

const fn mutant(name: &'static str, at: &'static [&'static str]) -> Mutant {
    Mutant { engine: "in-rounds", name, at, caught_by: &["short_turns_in_push_order"] }
}

pub(super) const IN_ROUNDS: &[Mutant] = &[
    mutant("readers claim nothing", &["claims of readers"]),
    mutant("an earlier writer is overlooked", &["look at the claims of writers"]),
    mutant("an earlier reader is overlooked", &["look at the claims of readers"]),
    mutant("what does not commit changes elements", &["commit in turn"]),
    mutant("some run before all have claimed", &["all claim before one runs"]),
    mutant("a transaction whose turn has not come is lost", &["a transaction that does not run stays"]),
    mutant("a later transaction has the earlier claim", &["the earliest claims"]),
    mutant("an earlier round still claims", &["claims of a round"]),
];
