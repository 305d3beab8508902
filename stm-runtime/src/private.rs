//! What generated code names, and what the tests of this workspace need. No part of it is for people, and any of it may change.

pub use crate::backend::Array;
pub use crate::data::{Arrays, FormatsOf, NoFormats, NoParts, Parts, View, Words, arrays, constant, words, words_of};
pub use crate::element::{Index, Word};
pub use crate::print::print_line;
pub use crate::procedure::{ProcedureFn, Transaction, callee, finish, local, ops};
pub use kernels_gen::spec;
pub use stm_macros::stm_closure;

/// The hunt for mutants of the runtime.
#[cfg(feature = "mutation")]
pub mod mutation {
    pub use crate::mutation::{Case, is_chosen, was_reached};

    /// Returns the unit tests that the hunt can run.
    pub fn cases() -> impl Iterator<Item = &'static Case> {
        crate::gpu::CASES.iter().copied().chain([crate::cpu::tests::CASES, crate::proof::tests::CASES]).flatten()
    }
}
