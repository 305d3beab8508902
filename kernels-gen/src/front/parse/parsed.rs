//! The result of the pass over a function.

use super::checks::Checks;
use super::external::ExternalSymbols;
use super::notes::Notes;
use crate::front::diag::SourceSpan;
use crate::infer::Infer;
use crate::ir::open::Function;

/// A parsed function before its types are checked.
pub(crate) struct Parsed {
    /// The transaction; its `types` are still empty.
    pub(crate) transaction: Function,
    pub(crate) infer: Infer,
    pub(crate) notes: Notes,
    pub(crate) checks: Checks,
    /// The tokens of each position.
    pub(crate) spans: Vec<SourceSpan>,
    pub(crate) external: ExternalSymbols,
}

impl Parsed {
    /// Notes the constant that states how many elements the function touches.
    pub(crate) fn state_accesses(&mut self, constant: &syn::Expr) {
        self.transaction.options.max_accesses_constant = Some(self.external.number_constant(constant).0);
    }
}
