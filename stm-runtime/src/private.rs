//! The items that generated code and the tests of this workspace use. They are internal, and may change.

pub use crate::backend::Array;
pub use crate::columns::Column;
pub use crate::computed::Computed;
pub use crate::data::{
    Arrays, Columned, Listed, MOST_VALUES, NoParts, NoTraits, Parts, TraitsOf, View, Words, arrays, constant, longest,
    value, words, words_of,
};
pub use crate::element::{Index, Word};
pub use crate::print::print_line;
pub use crate::procedure::{Arguments, Attempts, HostFunctions, ProcedureFn, Values, callee, local, ops};
pub use crate::tx::{Claim, Ended, InPlace, Kind, OnThreads, SlowPath};
pub use crate::{stm_applied, stm_values};
pub use kernels_gen::{meant, spec};
pub use stm_macros::stm_closure;

/// Mutation testing of the runtime.
#[cfg(feature = "mutation")]
pub mod mutation {
    pub use crate::mutation::{Case, is_chosen, was_reached};

    /// Returns the unit tests for mutation testing.
    pub fn cases() -> impl Iterator<Item = &'static Case> {
        crate::gpu::CASES
            .iter()
            .chain(crate::cpu::CASES)
            .chain([
                &crate::proof::tests::CASES,
                &crate::proof::pushed::tests::CASES,
                &crate::tx::attempt::tests::CASES,
                &crate::columns::tests::CASES,
                &crate::data::CASES,
                &crate::outcome::CASES,
            ])
            .copied()
            .flatten()
    }
}
