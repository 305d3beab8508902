//! `for` over a chain.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprForLoop, Lifetime};

use super::arrays::ArrayNames;
use super::bind::bind;
use super::chain::{Chain, Source, Step, chain, iterated};
use super::flow::loops;
use super::generate::{Exit, Generator};
use super::{Desugared, Refused};
use crate::front::parse::tree::strip;

/// Desugars a `for`, except over what the language's own loops count: ranges, and arrays from one end to the other.
pub(super) fn for_loop(generator: &mut Generator<'_>, node: &ExprForLoop, variables: &ArrayNames) -> Desugared {
    // What `flatten` has become is a loop of the language.
    if is_own(&node.expr) || super::super::elements::is_fallible(node) {
        return None;
    }
    if let Some(new) = super::open_range::with_end(node) {
        return Some(Ok(new));
    }
    let chain = match strip(&node.expr) {
        Expr::Reference(reference) if is_changed(reference) => iterated(&node.expr),
        _ => chain(&node.expr)?,
    };
    Some(chain.and_then(|mut chain| {
        chain.check(variables)?;
        let loops = written_out(generator, node, chain);
        generator.refused.take().map_or(loops, Err)
    }))
}

fn is_changed(node: &syn::ExprReference) -> bool {
    let part = matches!(strip(&node.expr), Expr::Index(index) if matches!(strip(&index.index), Expr::Range(_)));
    node.mutability.is_some() || part
}

fn written_out(generator: &mut Generator<'_>, node: &ExprForLoop, chain: Chain) -> Result<TokenStream, Refused> {
    let (span, exit, next) = (generator.span, generator.exit(), generator.exit());
    let label = node.label.as_ref();
    let mut body = node.body.clone();
    // The label stays on the loop if there is one loop, and `continue` reaches the end of its body.
    let one = chain.is_one_loop();
    if !one {
        let mut jumps = Jumps { label: label.map(|label| &label.name), depth: 0, exit: &exit, next: &next };
        jumps.visit_block_mut(&mut body);
    }
    let outer = label.filter(|_| one).map(|label| label.to_token_stream()).unwrap_or_default();
    let loops = loops(generator, chain, &exit, &outer, &mut |_, item| {
        let lets = bind(&node.pat, item, span);
        let inside = next.around(&quote_spanned!(span=> #lets #body), span);
        quote_spanned!(span=> { #inside })
    })?;
    let loops = exit.around(&loops, span);
    Ok(generator.block(&loops))
}

/// Returns whether the loops of the language cover the head.
fn is_own(expr: &Expr) -> bool {
    let Some(Ok(Chain { source, steps })) = chain(expr) else { return false };
    match source {
        Source::Range { end: Some(_), .. } => {
            let after = steps.iter().skip_while(|step| matches!(step, Step::Every(_)));
            let steps_by = steps.iter().filter(|step| matches!(step, Step::Every(_))).count();
            steps_by <= 1 && after.into_iter().all(|step| matches!(step, Step::Rev(_)))
        }
        Source::Array { part: None, exclusive: false, .. } => {
            let mut steps = steps.iter().skip_while(|step| matches!(step, Step::Enumerate));
            let numbers = steps.clone().count();
            steps.all(|step| matches!(step, Step::Rev(_))) && numbers <= 2
        }
        _ => false,
    }
}

/// Turns `break` and `continue` of a loop into exits of blocks, because several loops stand for it.
struct Jumps<'a> {
    label: Option<&'a Lifetime>,
    /// How many loops of the user are around the present place.
    depth: u32,
    exit: &'a Exit,
    next: &'a Exit,
}

impl Jumps<'_> {
    fn is_ours(&self, label: Option<&Lifetime>) -> bool {
        match (label, self.label) {
            (None, _) => self.depth == 0,
            (Some(label), Some(ours)) => label.ident == ours.ident,
            (Some(_), None) => false,
        }
    }

    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }
}

impl VisitMut for Jumps<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let (exit, span) = match expr {
            Expr::Break(node) if node.expr.is_none() && self.is_ours(node.label.as_ref()) => {
                (self.exit, node.break_token.span)
            }
            Expr::Continue(node) if self.is_ours(node.label.as_ref()) => (self.next, node.continue_token.span),
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
                return self.inside(|this| visit_mut::visit_expr_mut(this, expr));
            }
            Expr::Closure(_) => return,
            _ => return visit_mut::visit_expr_mut(self, expr),
        };
        let leave = exit.leave(super::generated(span));
        if let Ok(syn::Stmt::Expr(leave, _)) = syn::parse2(leave) {
            *expr = leave;
        }
    }
}
