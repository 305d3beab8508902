//! Rules of the language that can be checked only when everything that a transaction names is known.

/// A rule with a page in `docs/errors`. [`crate::compile`] checks it when the program runs; the macro checks it before
/// that, as far as it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// A function calls itself through others.
    Recursion,
    /// The number of elements that the transaction touches has no bound.
    Unbounded,
    /// It touches too many elements.
    TooLarge,
    /// Its local variables take too much memory.
    LocalMemory,
    /// It is too long with everything that it calls, or calls nest too deep.
    Expansion,
}

impl Trouble {
    /// Every such rule.
    pub const ALL: &'static [Trouble] =
        &[Trouble::Recursion, Trouble::Unbounded, Trouble::TooLarge, Trouble::LocalMemory, Trouble::Expansion];

    /// Returns the stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Trouble::Recursion => "STM0040",
            Trouble::Unbounded => "STM0050",
            Trouble::TooLarge => "STM0051",
            Trouble::LocalMemory => "STM0052",
            Trouble::Expansion => "STM0053",
        }
    }
}
