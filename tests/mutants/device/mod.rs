//! Broken engines: the mistake, the mutations of the device code that make it, and the scenarios that must detect it.

mod commuting;
mod deferred;
mod hunt;
mod in_order;
mod in_rounds;
mod in_turns;
mod locks;
mod partition;
mod priority;
mod readers_at_rest;
mod scheduler;
mod undo_log;
mod version_chain;

pub(crate) use hunt::hunt;

/// One broken engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mutant {
    /// The correct engine.
    pub(crate) engine: &'static str,
    /// The mistake.
    pub(crate) name: &'static str,
    /// The labels of its mutations in the device code.
    pub(crate) at: &'static [&'static str],
    /// The scenarios that detect it, the best first.
    pub(crate) caught_by: &'static [&'static str],
}

/// Returns a mutant: its engine, the mistake, the labels, and the scenarios.
const fn broken(
    engine: &'static str,
    name: &'static str,
    at: &'static [&'static str],
    caught_by: &'static [&'static str],
) -> Mutant {
    Mutant { engine, name, at, caught_by }
}

/// Returns all of them, by families of engines.
pub(crate) fn all() -> Vec<Mutant> {
    [
        commuting::COMMUTING,
        deferred::DEFERRED,
        in_order::IN_ORDER,
        in_rounds::IN_ROUNDS,
        in_turns::IN_TURNS,
        readers_at_rest::READERS_AT_REST,
        priority::PRIORITY,
        locks::LOCKS,
        undo_log::UNDO_LOG,
        version_chain::VERSION_CHAIN,
        partition::PARTITION,
        scheduler::SCHEDULER,
    ]
    .concat()
}
