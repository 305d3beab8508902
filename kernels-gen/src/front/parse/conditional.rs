//! `#[cfg(..)]` before a statement becomes `if cfg!(..)`: only rustc knows the configuration. The statement is checked in every one.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Meta, Pat, Stmt};

/// Desugars a statement that is an expression with `#[cfg(..)]`.
pub(super) fn written_out(stmt: &mut Stmt) {
    let (attrs, span) = match &mut *stmt {
        Stmt::Expr(expr, _) => (attributes(expr), proc_macro2::Span::mixed_site()),
        Stmt::Macro(node) => (Some(&mut node.attrs), node.mac.path.span()),
        _ => return,
    };
    let Some(attrs) = attrs else { return };
    let Some(at) = attrs.iter().position(|attr| attr.path().is_ident("cfg")) else { return };
    let Meta::List(condition) = attrs[at].meta.clone() else { return };
    attrs.remove(at);
    let condition = condition.tokens;
    if let Ok(new) = syn::parse2(quote_spanned!(span=> if cfg!(#condition) { #stmt })) {
        *stmt = Stmt::Expr(new, None);
    }
}

/// Makes `#[cfg(..)]` before an arm of a `match` a guard. The second of two arms for one pattern, with `not(..)`, needs none.
pub(super) fn arms(node: &mut syn::ExprMatch) {
    let mut before: Vec<(String, TokenStream)> = Vec::new();
    for arm in &mut node.arms {
        let conditions = arm.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        let [Meta::List(condition)] = conditions.map(|attr| &attr.meta).collect::<Vec<_>>()[..] else { continue };
        let (condition, pat) = (condition.tokens.clone(), arm.pat.to_token_stream().to_string());
        arm.attrs.retain(|attr| !attr.path().is_ident("cfg"));
        if before.iter().any(|(other, earlier)| *other == pat && negated(earlier, &condition)) {
            continue;
        }
        let span = arm.fat_arrow_token.spans[0];
        let (inner, guard) = match &arm.pat {
            Pat::Guard(node) => {
                let guard = &node.guard;
                ((*node.pat).clone(), quote_spanned!(span=> cfg!(#condition) && (#guard)))
            }
            inner => {
                before.push((pat, condition.clone()));
                (inner.clone(), quote_spanned!(span=> cfg!(#condition)))
            }
        };
        if let Ok(guard) = syn::parse2(guard) {
            let (attrs, if_token, pat) = (Vec::new(), syn::Token![if](span), Box::new(inner));
            arm.pat = Pat::Guard(syn::PatGuard { attrs, pat, if_token, guard: Box::new(guard) });
        }
    }
}

/// Returns whether one condition is `not(..)` of the other.
fn negated(one: &TokenStream, other: &TokenStream) -> bool {
    let is = |a: &TokenStream, b: &TokenStream| quote!(not(#a)).to_string() == b.to_string();
    is(one, other) || is(other, one)
}

/// Joins two declarations of one name, with `#[cfg(..)]` and `#[cfg(not(..))]`, into one.
pub(super) fn lets(block: &mut syn::Block) {
    let mut k = 1;
    while k < block.stmts.len() {
        match joined(&block.stmts[k - 1], &block.stmts[k]) {
            Some(one) => drop(block.stmts.splice(k - 1..=k, [one])),
            None => k += 1,
        }
    }
}

fn joined(first: &Stmt, second: &Stmt) -> Option<Stmt> {
    let ((one, condition, value), (other, not, instead)) = (conditional_let(first)?, conditional_let(second)?);
    let same = one.pat.to_token_stream().to_string() == other.pat.to_token_stream().to_string();
    if !same || !negated(&condition, &not) {
        return None;
    }
    let (pat, span) = (&one.pat, one.let_token.span);
    syn::parse2(quote_spanned!(span=> let #pat = if cfg!(#condition) { #value } else { #instead };)).ok()
}

/// Returns a `let` with a condition, the condition, and its value.
fn conditional_let(stmt: &Stmt) -> Option<(&syn::Local, TokenStream, &Expr)> {
    let Stmt::Local(local) = stmt else { return None };
    let [attr] = local.attrs.as_slice() else { return None };
    let (Meta::List(condition), Some(init)) = (&attr.meta, &local.init) else { return None };
    let plain = attr.path().is_ident("cfg") && init.diverge.is_none();
    plain.then(|| (local, condition.tokens.clone(), &*init.expr))
}

/// Returns the attributes of a statement, which syn gives to the expression that it begins with.
fn attributes(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    Some(match expr {
        Expr::Assign(node) => return attributes(&mut node.left),
        Expr::Binary(node) => return attributes(&mut node.left),
        Expr::Block(node) => &mut node.attrs,
        Expr::If(node) => &mut node.attrs,
        Expr::Match(node) => &mut node.attrs,
        Expr::ForLoop(node) => &mut node.attrs,
        Expr::While(node) => &mut node.attrs,
        Expr::Loop(node) => &mut node.attrs,
        Expr::Call(node) => &mut node.attrs,
        Expr::MethodCall(node) => &mut node.attrs,
        Expr::Macro(node) => &mut node.attrs,
        Expr::Try(node) => &mut node.attrs,
        Expr::Path(node) => &mut node.attrs,
        Expr::Field(node) => &mut node.attrs,
        Expr::Index(node) => &mut node.attrs,
        Expr::Unary(node) => &mut node.attrs,
        Expr::Return(node) => &mut node.attrs,
        _ => return None,
    })
}
