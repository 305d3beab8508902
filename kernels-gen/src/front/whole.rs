//! Checks of a transaction as a whole, as far as the macro can see.

use crate::Trouble;
use crate::compile::{self, Blame, Program};
use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::front::parse::{Parsed, Signature};
use crate::front::placeholder;
use crate::ir::open::Form;

/// Compiles a transaction to the end, with placeholders for what only rustc knows, to find the remaining problems.
pub(crate) fn check(parsed: &Parsed, signature: &Signature, diags: &mut Diagnostics) {
    let tx = &parsed.transaction;
    if tx.form != Form::Transaction {
        return;
    }
    let alone = parsed.external.is_empty();
    let program = match alone {
        true => Program::alone(tx.clone()),
        false => placeholder::program(tx, &parsed.infer, &parsed.external.calls),
    };
    let Err(error) = compile::flat(&program) else { return };
    let rule = match (error.rule, error.at) {
        (Some(trouble), _) => rule_of(trouble),
        // A placeholder need not fit; rustc or the compilation of the procedure reports real problems.
        _ if !alone => return,
        (None, Some(Blame::Param(_))) => Rule::ParameterType,
        (None, Some(Blame::Result)) => Rule::Signature,
        (None, _) => Rule::Expression,
    };
    let at = match error.at {
        Some(Blame::Param(param)) => signature.params.get(param as usize).map(|param| SourceSpan::of(&param.ty)),
        Some(Blame::Result) => Some(SourceSpan::of(&signature.result)),
        Some(Blame::Statement(at)) => parsed.spans.get(at.0 as usize).copied(),
        None => None,
    };
    diags.report(rule, at.unwrap_or_else(|| SourceSpan::of(&signature.name)), error.message);
}

fn rule_of(trouble: Trouble) -> Rule {
    match trouble {
        Trouble::Recursion => Rule::Recursion,
        Trouble::Unbounded => Rule::Unbounded,
        Trouble::TooLarge => Rule::TooLarge,
        Trouble::LocalMemory => Rule::LocalMemory,
        Trouble::Expansion => Rule::Expansion,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_one_code_in_the_macro_and_behind_it() {
        for trouble in Trouble::ALL {
            assert_eq!(rule_of(*trouble).code(), trouble.code());
        }
    }
}
