//! Arms with alternatives and a guard, `A(x) | B(x) if x > 3 => ..`: where the guard is false for one alternative, Rust tries the next one.
//! So each alternative becomes an arm.

use syn::visit::{self, Visit};
use syn::{Arm, Expr, ExprMatch, Pat};

use super::tree::is_constant;
use crate::front::diag::{Diagnostics, Rule};

/// The most arms that one arm becomes.
const MOST: usize = 16;

/// Writes out the arms of a `match`.
pub(super) fn written_out(node: &mut ExprMatch, diags: &mut Diagnostics) {
    if !node.arms.iter().any(tries_each) {
        return;
    }
    for arm in std::mem::take(&mut node.arms) {
        let found = if tries_each(&arm) { cases(unguarded(&arm.pat)) } else { Vec::new() };
        match found.len() {
            0 => node.arms.push(arm),
            1..=MOST => node.arms.extend(found.into_iter().map(|case| with(&arm, case))),
            more => {
                let message = format!(
                    "with its guard, this pattern has {more} alternatives to try one after the other, and {MOST} are the most; write several arms"
                );
                diags.report(Rule::Pattern, &arm.pat, message);
                node.arms.push(arm);
            }
        }
    }
}

/// Returns whether the guard of an arm can be false for one alternative and true for a later one.
fn tries_each(arm: &Arm) -> bool {
    let Pat::Guard(node) = &arm.pat else { return false };
    let mut found = Found::default();
    found.visit_pat(&node.pat);
    if !found.alternatives {
        return false;
    }
    let mut effects = Effects(false);
    effects.visit_expr(&node.guard);
    found.names || effects.0
}

/// Whether a pattern has alternatives, and whether these declare names.
#[derive(Default)]
struct Found {
    alternatives: bool,
    names: bool,
    inside: bool,
}

impl<'ast> Visit<'ast> for Found {
    fn visit_pat_or(&mut self, node: &'ast syn::PatOr) {
        self.alternatives = true;
        let before = std::mem::replace(&mut self.inside, true);
        visit::visit_pat_or(self, node);
        self.inside = before;
    }

    fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
        self.names |= self.inside && !is_constant(node);
        visit::visit_pat_ident(self, node);
    }
}

/// Whether an expression may have an effect, and so another value at its second evaluation.
struct Effects(bool);

impl<'ast> Visit<'ast> for Effects {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Lit(_) | Expr::Path(_) => {}
            Expr::Binary(node) if !is_assignment(&node.op) => visit::visit_expr(self, expr),
            Expr::Unary(_) | Expr::Field(_) | Expr::Index(_) | Expr::Paren(_) | Expr::Group(_) | Expr::Cast(_) => {
                visit::visit_expr(self, expr);
            }
            _ => self.0 = true,
        }
    }
}

fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp as Op;
    !matches!(
        op,
        Op::Add(_)
            | Op::Sub(_)
            | Op::Mul(_)
            | Op::Div(_)
            | Op::Rem(_)
            | Op::And(_)
            | Op::Or(_)
            | Op::BitXor(_)
            | Op::BitAnd(_)
            | Op::BitOr(_)
            | Op::Shl(_)
            | Op::Shr(_)
            | Op::Eq(_)
            | Op::Lt(_)
            | Op::Le(_)
            | Op::Ne(_)
            | Op::Ge(_)
            | Op::Gt(_)
    )
}

/// Returns a pattern without its guard.
pub(super) fn unguarded(pat: &Pat) -> &Pat {
    match pat {
        Pat::Guard(node) => &node.pat,
        other => other,
    }
}

/// Returns the arm with another pattern before its guard.
fn with(arm: &Arm, case: Pat) -> Arm {
    let mut arm = arm.clone();
    if let Pat::Guard(node) = &mut arm.pat {
        *node.pat = case;
    }
    arm
}

/// Returns the alternatives of a pattern, in the order in which Rust tries them: the last part changes first.
fn cases(pat: &Pat) -> Vec<Pat> {
    match pat {
        Pat::Or(node) => node.cases.iter().flat_map(cases).collect(),
        other => {
            let mut found = vec![other.clone()];
            for part in 0..parts(&mut found[0]).len() {
                let of_part = cases(parts(&mut found[0])[part]);
                found = found.iter().flat_map(|whole| of_part.iter().map(|case| replaced(whole, part, case))).collect();
            }
            found
        }
    }
}

fn replaced(whole: &Pat, part: usize, case: &Pat) -> Pat {
    let mut whole = whole.clone();
    *parts(&mut whole)[part] = case.clone();
    whole
}

/// Returns the patterns that stand directly in a pattern.
fn parts(pat: &mut Pat) -> Vec<&mut Pat> {
    match pat {
        Pat::Tuple(node) => node.elems.iter_mut().collect(),
        Pat::TupleStruct(node) => node.elems.iter_mut().collect(),
        Pat::Slice(node) => node.elems.iter_mut().collect(),
        Pat::Struct(node) => node.fields.iter_mut().map(|field| &mut *field.pat).collect(),
        Pat::Paren(node) => vec![&mut node.pat],
        Pat::Reference(node) => vec![&mut node.pat],
        Pat::Type(node) => vec![&mut node.pat],
        Pat::Ident(node) => node.subpat.iter_mut().map(|(_, inner)| &mut **inner).collect(),
        _ => Vec::new(),
    }
}
