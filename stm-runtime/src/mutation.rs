//! Mutants of the runtime: deliberate errors in single places, to show that tests detect them.
//!
//! `mutant!("area: what is wrong", right, wrong)` is `right`. In a build with the feature `mutation`, which no package
//! enables, it is `wrong` in a process whose environment variable `STM_MUTANT` holds the name. A mutant can have several
//! places. `tests/mutants` runs them; its lists have every name in the sources of the runtime, and no other.

/// Evaluates the first expression, the correct one; in mutation builds, the second one if the mutant is chosen.
#[cfg(not(feature = "mutation"))]
macro_rules! mutant {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        $right
    };
}

#[cfg(feature = "mutation")]
macro_rules! mutant {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        if crate::mutation::is_chosen($name) { $wrong } else { $right }
    };
}

/// Lists the unit tests of a module for mutation testing. They are marked `#[cfg_attr(test, test)]`: without a test harness they
/// are plain functions.
#[cfg(any(test, feature = "mutation"))]
macro_rules! hunted {
    ($($name:ident)*) => {
        #[cfg(feature = "mutation")]
        pub(crate) const CASES: &[crate::mutation::Case] =
            &[$(crate::mutation::Case { name: concat!(module_path!(), "::", stringify!($name)), run: $name }),*];
    };
}

#[cfg(feature = "mutation")]
pub use hunt::{Case, is_chosen, was_reached};

#[cfg(feature = "mutation")]
mod hunt {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A unit test for mutation testing. It panics on failure.
    #[derive(Debug, Clone, Copy)]
    pub struct Case {
        /// Its path in the crate.
        pub name: &'static str,
        /// Runs it.
        pub run: fn(),
    }

    static REACHED: AtomicBool = AtomicBool::new(false);

    /// Returns true in a process that is this mutant.
    pub fn is_chosen(name: &str) -> bool {
        static CHOSEN: OnceLock<Option<String>> = OnceLock::new();
        let is_chosen = CHOSEN.get_or_init(|| std::env::var("STM_MUTANT").ok()).as_deref() == Some(name);
        if is_chosen {
            REACHED.store(true, Ordering::Relaxed);
        }
        is_chosen
    }

    /// Returns true once a place of the chosen mutant was evaluated.
    #[must_use]
    pub fn was_reached() -> bool {
        REACHED.load(Ordering::Relaxed)
    }
}
