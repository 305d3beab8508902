//! Engines that are changed and not broken: their timing, or how patient they are, so that a test meets what is rare.

use stm_runtime::Engine;

use crate::mutation::{Edit, mutant};

/// A change of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The engine that it is for; `None` where it is for any.
    pub engine: Option<&'static str>,
    /// What is different.
    pub name: &'static str,
    /// The lines that are replaced.
    pub edits: &'static [Edit],
}

impl Variant {
    /// The engine with that change.
    ///
    /// # Errors
    /// A label marks no line of the engine's headers, or several.
    pub fn of(&self, engine: Engine) -> Result<Engine, String> {
        mutant(engine, self.name, self.edits)
    }
}

/// Attempts end in a conflict unless their thread is alone.
pub const ALONE: Variant = Variant {
    engine: None,
    name: "an engine for one thread",
    edits: &[("conclude", "status = tx.conclude(worker.threads == 1 ? status : STM_CONFLICT);")],
};

/// Launches end after a small part of their time, and attempts take long: no launch sees forty transactions.
pub const SHORT_LAUNCHES: Variant = Variant {
    engine: None,
    name: "an engine of short launches",
    edits: &[
        ("time of a launch", "stm_watch watch = {0, p.budget_ns / 256, stm_cycles(), false};"),
        ("run the body", "for (u32 nap = 0; nap < 20; ++nap) __nanosleep(20);\n@"),
    ],
};

/// A loop that meets an element for the first time sleeps for long.
pub const SLOW_LOOPS: Variant = Variant {
    engine: None,
    name: "an engine with slow loops",
    edits: &[("entry of a new element", "for (u32 nap = 0; e == nullptr && nap < 8000; ++nap) __nanosleep(20);\n@")],
};

/// The threads have the last owner numbers that fit into a lock word.
pub const LAST_OWNERS: Variant = Variant {
    engine: Some("pr-stm"),
    name: "pr-stm with its last owners",
    edits: &[
        (
            "word of a pre-lock",
            "STM_DEVICE u32 mine(const stm_entry& e) const { return stm_pr_pre_locked((u32)e.found.word, STM_PR_OWNER_MASK - this->worker->owner); }",
        ),
        (
            "a lower owner goes first",
            "if ((word & STM_PR_PRE_LOCKED) && stm_pr_owner(word) < STM_PR_OWNER_MASK - this->worker->owner) break;",
        ),
    ],
};

/// A thread that waits for a lock waits until it is free.
pub const PATIENT: Variant = Variant {
    engine: Some("gpu-stm"),
    name: "gpu-stm, patient",
    edits: &[("patience", "constexpr u32 STM_PATIENCE = ~0u;")],
};

/// The same with locks that are taken in any order, which deadlocks.
pub const PATIENT_AND_UNORDERED: Variant = Variant {
    engine: Some("gpu-stm"),
    name: "gpu-stm, patient and unordered",
    edits: &[("patience", "constexpr u32 STM_PATIENCE = ~0u;"), ("order of locks", "if (false) {")],
};

/// Values are stored with plain stores: a race.
pub const PLAIN_STORES: Variant = Variant {
    engine: None,
    name: "plain stores",
    edits: &[("write back", "if ((e.flags & STM_DIRTY) && e.ref.width == 4) *(u32*)e.ref.value = (u32)e.value;")],
};

/// All of them.
pub const ALL: &[Variant] =
    &[ALONE, SHORT_LAUNCHES, SLOW_LOOPS, LAST_OWNERS, PATIENT, PATIENT_AND_UNORDERED, PLAIN_STORES];
