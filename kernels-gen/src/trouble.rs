//! Rules of the language that a transaction can break in a way that shows only when everything is known that it names.

/// A rule with a page in `docs/errors`, which [`crate::compile`] checks when the program runs. The macro checks it before
/// that, as far as it can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// A function calls itself through others.
    Recursion,
    /// Nothing says how many elements the transaction touches.
    Unbounded,
    /// It touches too many elements.
    TooLarge,
    /// Its local variables take too much memory.
    LocalMemory,
    /// It is too long with all that it calls, or calls nest too deep.
    Expansion,
}

impl Trouble {
    /// Every such rule.
    pub const ALL: &'static [Trouble] =
        &[Trouble::Recursion, Trouble::Unbounded, Trouble::TooLarge, Trouble::LocalMemory, Trouble::Expansion];

    /// The stable code.
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
