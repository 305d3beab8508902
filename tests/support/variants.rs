//! Engines that are changed so that a test meets what is rare: other timing, other spin limits. And engines with mistakes
//! that a sanitizer has to see.

use stm_runtime::Engine;

use crate::mutation::mutant;

/// A change of an engine.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The engine that it is for; `None` where it is for any.
    pub engine: Option<&'static str>,
    /// What is different.
    pub name: &'static str,
    /// The mutations that make it, by their labels in the device code.
    pub at: &'static [&'static str],
}

impl Variant {
    /// The engine with that change.
    ///
    /// # Errors
    /// A label marks no line of the engine's headers, or several.
    pub fn of(&self, engine: Engine) -> Result<Engine, String> {
        mutant(engine, self.name, self.at)
    }
}

/// Attempts end in a conflict unless their thread is alone.
pub const ALONE: Variant =
    Variant { engine: None, name: "an engine for one thread", at: &["finish: one thread alone"] };

/// Launches end after a small part of their time, and attempts take long: no launch sees forty transactions.
pub const SHORT_LAUNCHES: Variant = Variant {
    engine: None,
    name: "an engine of short launches",
    at: &["time of a launch", "run the body: after a nap"],
};

/// A loop that meets an element for the first time sleeps for long.
pub const SLOW_LOOPS: Variant =
    Variant { engine: None, name: "an engine with slow loops", at: &["entry of a new element"] };

/// The threads have the last owner numbers that fit into a lock word.
pub const LAST_OWNERS: Variant = Variant {
    engine: Some("pr-stm"),
    name: "pr-stm with its last owners",
    at: &["word of a pre-lock: last owners", "a lower owner goes first"],
};

/// A thread that waits for a lock waits until it is free.
pub const PATIENT: Variant =
    Variant { engine: Some("gpu-stm"), name: "gpu-stm without a spin limit", at: &["spin limit"] };

/// The same with locks that are taken in any order, which deadlocks.
pub const PATIENT_AND_UNORDERED: Variant = Variant {
    engine: Some("gpu-stm"),
    name: "gpu-stm without a spin limit, unordered",
    at: &["spin limit", "order of locks"],
};

/// Values are stored with plain stores: a race.
pub const PLAIN_STORES: Variant = Variant { engine: None, name: "plain stores", at: &["write back: plain store"] };

/// A set takes more entries than it has room for.
pub const NO_END_OF_A_SET: Variant =
    Variant { engine: Some("priority"), name: "no end of a set", at: &["stated bound: no end"] };

/// Every index is within its array. This engine learns no address before the body, so the index is checked nowhere else.
pub const NO_END_OF_AN_ARRAY: Variant =
    Variant { engine: Some("gpu-stm"), name: "no end of an array", at: &["end of an array"] };

/// A product of signed numbers overflows.
pub const SIGNED_OVERFLOW: Variant =
    Variant { engine: Some("priority"), name: "signed overflow", at: &["bucket of a lock: signed overflow"] };

/// A number is shifted by more than its width.
pub const WIDE_SHIFT: Variant =
    Variant { engine: Some("priority"), name: "a wide shift", at: &["bucket of a lock: wide shift"] };

/// An entry lies between two places for entries.
pub const NOT_ALIGNED: Variant =
    Variant { engine: Some("priority"), name: "an entry that is not aligned", at: &["new entry"] };

/// Sizes for the short batches of the emulator, so that they come to the chains of a set and to several scans.
pub const SMALL: Variant =
    Variant { engine: None, name: "an engine of small sizes", at: &["short searches", "short scans"] };

/// The same of the server of commits: the emulator pays for each meeting of lanes.
pub const FEW_SERVER_LANES: Variant =
    Variant { engine: Some("csmv"), name: "csmv with few server lanes", at: &["few server lanes"] };

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
    SMALL,
    FEW_SERVER_LANES,
];
