//! Checks of values that are too large, as far as the macro sees it: lengths that the source gives, of types that it names.

use super::parsed::Parsed;
use super::signature::Signature;
use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::infer::{Space, UNWIELDY};
use crate::ir::VarId;
use crate::locals::{self, MOST_BYTES};

/// Reports a type that is too large for passes over it, and variables that take too much memory. Returns whether there is no such
/// problem.
pub(crate) fn fits(parsed: &Parsed, signature: &Signature, diags: &mut Diagnostics) -> bool {
    let spaces = parsed.infer.spaces(|_| Space::NONE);
    let tx = &parsed.transaction;
    let unwieldy = (0..tx.vars.len()).find(|k| spaces[tx.vars[*k].ty.0 as usize].is_unwieldy());
    if let Some(var) = unwieldy {
        diags.report(Rule::Type, place(parsed, signature, VarId(var as u32)), UNWIELDY);
        return false;
    }
    if spaces.iter().any(|space| space.is_unwieldy()) {
        diags.report(Rule::Type, &signature.name, UNWIELDY);
        return false;
    }
    let own = locals::of_function(tx, |ty| spaces[ty.0 as usize]);
    let bytes = own.bytes.max(own.arrays);
    if let Some((var, most)) = own.largest.filter(|_| bytes > MOST_BYTES) {
        let message = locals::too_large(bytes, (tx, var, most), false);
        diags.report(Rule::LocalMemory, place(parsed, signature, var), message);
        return false;
    }
    true
}

/// Returns where a variable is declared.
fn place(parsed: &Parsed, signature: &Signature, var: VarId) -> SourceSpan {
    if let Some(param) = signature.params.get(var.0 as usize) {
        return SourceSpan::of(&param.ty);
    }
    let declared = locals::declarations(&parsed.transaction).get(&var).copied();
    let span = declared.and_then(|at| parsed.spans.get(at.0 as usize)).copied();
    span.unwrap_or_else(|| SourceSpan::of(&signature.name))
}
