//! Engines that are changed so that a test meets what is rare: other timing, other patience. And engines with mistakes that a
//! sanitizer has to see.

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

/// A set takes more entries than it has room for.
pub const NO_END_OF_A_SET: Variant = Variant {
    engine: Some("priority"),
    name: "no end of a set",
    edits: &[("stated bound", "STM_DEVICE bool is_full(bool) const { return false; }")],
};

/// Every index is within its array. This engine learns no address before the body, so the index is checked nowhere else.
pub const NO_END_OF_AN_ARRAY: Variant = Variant {
    engine: Some("gpu-stm"),
    name: "no end of an array",
    edits: &[("end of an array", "STM_DEVICE bool holds(u64) const { return true; }")],
};

/// A product of signed numbers overflows.
pub const SIGNED_OVERFLOW: Variant = Variant {
    engine: Some("priority"),
    name: "signed overflow",
    edits: &[(
        "bucket of a lock",
        "STM_DEVICE u32 bucket(const void* lock) const { return ((u32)((int)((u64)lock >> 2 | 1 << 20) * 1640531527) >> 8) & (buckets - 1); }",
    )],
};

/// A number is shifted by more than its width.
pub const WIDE_SHIFT: Variant = Variant {
    engine: Some("priority"),
    name: "a wide shift",
    edits: &[(
        "bucket of a lock",
        "STM_DEVICE u32 bucket(const void* lock) const { return ((u32)((u64)lock >> 2) * 2654435769u >> 8 * buckets) & (buckets - 1); }",
    )],
};

/// An entry lies between two places for entries.
pub const NOT_ALIGNED: Variant = Variant {
    engine: Some("priority"),
    name: "an entry that is not aligned",
    edits: &[("new entry", "Entry* e = (Entry*)((u8*)&indexed[count++] + 2);")],
};

/// All of them.
pub const ALL: &[Variant] = &[
    ALONE,
    SHORT_LAUNCHES,
    SLOW_LOOPS,
    LAST_OWNERS,
    PATIENT,
    PATIENT_AND_UNORDERED,
    PLAIN_STORES,
    NO_END_OF_A_SET,
    NO_END_OF_AN_ARRAY,
    SIGNED_OVERFLOW,
    WIDE_SHIFT,
    NOT_ALIGNED,
];
