//! Engines changed to provoke rare cases: other timing, other spin limits. And engines with mistakes that a sanitizer must
//! detect.

use stm_runtime::Engine;

use crate::mutation::mutant;

/// A changed engine.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The engine that the change is for; `None` for any engine.
    pub engine: Option<&'static str>,
    /// The name of the change.
    pub name: &'static str,
    /// The labels of its mutations in the device code.
    pub at: &'static [&'static str],
}

impl Variant {
    /// Returns the engine with that change.
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

/// Launches end after a small part of their time, and attempts take long: no launch executes forty transactions.
pub const SHORT_LAUNCHES: Variant = Variant {
    engine: None,
    name: "an engine of short launches",
    at: &["time of a launch", "run the body: after a nap"],
};

/// A loop that accesses an element for the first time sleeps for long.
pub const SLOW_LOOPS: Variant =
    Variant { engine: None, name: "an engine with slow loops", at: &["entry of a new element"] };

/// The threads have the largest owner numbers that fit in a lock word.
pub const LAST_OWNERS: Variant = Variant {
    engine: Some("pr-stm"),
    name: "pr-stm with its last owners",
    at: &["word of a pre-lock: last owners", "a lower owner goes first"],
};

/// A thread that waits for a lock waits until it is free.
pub const PATIENT: Variant =
    Variant { engine: Some("gpu-stm"), name: "gpu-stm without a spin limit", at: &["spin limit"] };

/// The same with locks acquired in any order, which deadlocks.
pub const PATIENT_AND_UNORDERED: Variant = Variant {
    engine: Some("gpu-stm"),
    name: "gpu-stm without a spin limit, unordered",
    at: &["spin limit", "order of locks"],
};

/// Values are stored with plain stores: a race.
pub const PLAIN_STORES: Variant = Variant { engine: None, name: "plain stores", at: &["write back: plain store"] };

/// A set accepts more entries than it has room for.
pub const NO_END_OF_A_SET: Variant =
    Variant { engine: Some("priority"), name: "no end of a set", at: &["stated bound: no end"] };

/// Every index counts as in bounds. This engine knows no address before the body, so the index is checked nowhere else.
pub const NO_END_OF_AN_ARRAY: Variant =
    Variant { engine: Some("gpu-stm"), name: "no end of an array", at: &["end of an array"] };

/// A product of signed numbers overflows.
pub const SIGNED_OVERFLOW: Variant =
    Variant { engine: Some("priority"), name: "signed overflow", at: &["bucket of a lock: signed overflow"] };

/// A number is shifted by more than its width.
pub const WIDE_SHIFT: Variant =
    Variant { engine: Some("priority"), name: "a wide shift", at: &["bucket of a lock: wide shift"] };

/// An entry is not aligned.
pub const NOT_ALIGNED: Variant =
    Variant { engine: Some("priority"), name: "an entry that is not aligned", at: &["new entry"] };

/// Sizes for the short batches of the emulator, so that they reach the chains of a set and several scans.
pub const SMALL: Variant =
    Variant { engine: None, name: "an engine of small sizes", at: &["short searches", "short scans"] };

/// The same for the commit server: the emulator pays for each convergence of lanes.
pub const FEW_SERVER_LANES: Variant =
    Variant { engine: Some("csmv"), name: "csmv with few server lanes", at: &["few server lanes"] };

/// All variants.
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
