//! Broken engines: what is wrong, which mutations of the device code make it so, and which scenarios must notice.

mod hunt;
mod locks;
mod partition;
mod priority;
mod scheduler;
mod undo_log;
mod version_chain;

pub(crate) use hunt::hunt;

/// One broken engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mutant {
    /// The good one.
    pub(crate) engine: &'static str,
    /// What is wrong.
    pub(crate) name: &'static str,
    /// The mutations that make it, by their labels in the device code.
    pub(crate) at: &'static [&'static str],
    /// The scenarios that notice, the best first.
    pub(crate) caught_by: &'static [&'static str],
}

/// All of them, by families of engines.
pub(crate) fn all() -> Vec<Mutant> {
    [
        priority::PRIORITY,
        locks::LOCKS,
        undo_log::UNDO_LOG,
        version_chain::VERSION_CHAIN,
        partition::PARTITION,
        scheduler::SCHEDULER,
    ]
    .concat()
}
