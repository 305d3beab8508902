//! Mutants of the runtime: places where it can do the wrong thing on purpose, so that tests show that they would notice.
//!
//! `mutant!("area: what is wrong", right, wrong)` is `right`. In a build with the feature `mutation`, which no package asks
//! for, it is `wrong` in a process whose environment variable `STM_MUTANT` has the name. One mutant may have several
//! places. The hunt for mutants is in `tests/mutants`; its list has every name that stands here, and no other.

/// The first expression, which is the right one; in builds for the hunt, the second one where the mutant is chosen.
#[cfg(not(feature = "mutation"))]
macro_rules! mutant {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        $right
    };
}

#[cfg(feature = "mutation")]
macro_rules! mutant {
    ($name:literal, $right:expr, $wrong:expr $(,)?) => {
        if $crate::mutation::is_chosen($name) { $wrong } else { $right }
    };
}

/// Names the unit tests of a module that the hunt runs as well. They are `#[cfg_attr(test, test)]`, so that they are there
/// without a test harness.
#[cfg(any(test, feature = "mutation"))]
macro_rules! hunted {
    ($($name:ident)*) => {
        #[cfg(feature = "mutation")]
        pub(crate) const CASES: &[$crate::mutation::Case] =
            &[$($crate::mutation::Case { name: concat!(module_path!(), "::", stringify!($name)), run: $name }),*];
    };
}

#[cfg(feature = "mutation")]
pub use hunt::{Case, cases, is_chosen, was_reached};

#[cfg(feature = "mutation")]
mod hunt {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A unit test that tells mutants from the runtime. It panics where it fails.
    #[derive(Debug, Clone, Copy)]
    pub struct Case {
        /// Its path in the crate.
        pub name: &'static str,
        /// Runs it.
        pub run: fn(),
    }

    /// The unit tests that the hunt runs.
    pub fn cases() -> impl Iterator<Item = &'static Case> {
        crate::gpu::CASES.iter().copied().chain([crate::cpu::tests::CASES, crate::proof::tests::CASES]).flatten()
    }

    static REACHED: AtomicBool = AtomicBool::new(false);

    /// The process is to be this mutant.
    pub fn is_chosen(name: &str) -> bool {
        static CHOSEN: OnceLock<Option<String>> = OnceLock::new();
        let is_chosen = CHOSEN.get_or_init(|| std::env::var("STM_MUTANT").ok()).as_deref() == Some(name);
        if is_chosen {
            REACHED.store(true, Ordering::Relaxed);
        }
        is_chosen
    }

    /// A place of the chosen mutant was passed.
    #[must_use]
    pub fn was_reached() -> bool {
        REACHED.load(Ordering::Relaxed)
    }
}
