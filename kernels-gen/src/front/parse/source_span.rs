//! The first and last token of a node, found without printing it: a query per node of a tree must not visit the whole node.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Block, Expr, Label, Member};

use crate::front::diag::SourceSpan;

/// A node that statements and locations come from.
pub(super) trait At: ToTokens {
    /// Returns its first and its last token.
    fn source_span(&self) -> SourceSpan {
        SourceSpan::of(self)
    }
}

impl At for Block {}
impl At for syn::Ident {}
impl At for syn::Local {}
impl At for syn::Pat {}
impl At for syn::Stmt {}
impl At for SourceSpan {}

impl At for Expr {
    fn source_span(&self) -> SourceSpan {
        match (first(self), last(self)) {
            (Some(first), Some(last)) => SourceSpan { first, last },
            _ => SourceSpan::of(self),
        }
    }
}

impl<T: At> At for Box<T> {
    fn source_span(&self) -> SourceSpan {
        T::source_span(self)
    }
}

/// Returns the part of an expression that its shortened text shows: chains of operators and calls lean to the left, and each link
/// has at least one character.
pub(super) fn beginning(whole: &Expr, characters: usize) -> &Expr {
    let (mut expr, mut links) = (whole, Vec::new());
    while let Some(left) = left(expr) {
        links.push(expr);
        expr = left;
    }
    links.len().checked_sub(characters + 1).map_or(whole, |above| links[above])
}

/// Returns the expression that a left-leaning expression begins with.
fn left(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Binary(node) if node.attrs.is_empty() => Some(&node.left),
        Expr::Assign(node) if node.attrs.is_empty() => Some(&node.left),
        Expr::MethodCall(node) if node.attrs.is_empty() => Some(&node.receiver),
        Expr::Call(node) if node.attrs.is_empty() => Some(&node.func),
        Expr::Field(node) if node.attrs.is_empty() => Some(&node.base),
        Expr::Index(node) if node.attrs.is_empty() => Some(&node.expr),
        Expr::Cast(node) if node.attrs.is_empty() => Some(&node.expr),
        Expr::Try(node) if node.attrs.is_empty() => Some(&node.expr),
        _ => None,
    }
}

/// Returns the first token of an expression; `None` where it has to be printed to be found.
fn first(mut expr: &Expr) -> Option<Span> {
    while let Some(left) = left(expr) {
        expr = left;
    }
    Some(match expr {
        Expr::Lit(node) if node.attrs.is_empty() => node.lit.span(),
        Expr::Path(node) if node.attrs.is_empty() => SourceSpan::of(node).first,
        Expr::Unary(node) if node.attrs.is_empty() => SourceSpan::of(&node.op).first,
        Expr::Paren(node) if node.attrs.is_empty() => node.paren_token.span.join(),
        Expr::Tuple(node) if node.attrs.is_empty() => node.paren_token.span.join(),
        Expr::Array(node) if node.attrs.is_empty() => node.bracket_token.span.join(),
        Expr::Repeat(node) if node.attrs.is_empty() => node.bracket_token.span.join(),
        Expr::If(node) if node.attrs.is_empty() => node.if_token.span,
        Expr::Match(node) if node.attrs.is_empty() => node.match_token.span,
        Expr::Block(node) if node.attrs.is_empty() => labelled(node.label.as_ref(), node.block.brace_token.span.join()),
        Expr::While(node) if node.attrs.is_empty() => labelled(node.label.as_ref(), node.while_token.span),
        Expr::Loop(node) if node.attrs.is_empty() => labelled(node.label.as_ref(), node.loop_token.span),
        Expr::ForLoop(node) if node.attrs.is_empty() => labelled(node.label.as_ref(), node.for_token.span),
        _ => return None,
    })
}

fn labelled(label: Option<&Label>, keyword: Span) -> Span {
    label.map_or(keyword, |label| label.name.apostrophe)
}

/// Returns the last token.
fn last(mut expr: &Expr) -> Option<Span> {
    loop {
        expr = match expr {
            Expr::Binary(node) => &node.right,
            Expr::Assign(node) => &node.right,
            Expr::Unary(node) => &node.expr,
            Expr::If(node) => match &node.else_branch {
                Some((_, other)) => other,
                None => return Some(node.then_branch.brace_token.span.join()),
            },
            Expr::MethodCall(node) => return Some(node.paren_token.span.join()),
            Expr::Call(node) => return Some(node.paren_token.span.join()),
            Expr::Index(node) => return Some(node.bracket_token.span.join()),
            Expr::Try(node) => return Some(node.question_token.span()),
            Expr::Cast(node) => return Some(SourceSpan::of(&node.ty).last),
            Expr::Field(node) => {
                return Some(match &node.member {
                    Member::Named(ident) => ident.span(),
                    Member::Unnamed(index) => index.span,
                });
            }
            Expr::Lit(node) => return Some(node.lit.span()),
            Expr::Path(node) => return Some(SourceSpan::of(node).last),
            Expr::Paren(node) => return Some(node.paren_token.span.join()),
            Expr::Tuple(node) => return Some(node.paren_token.span.join()),
            Expr::Array(node) => return Some(node.bracket_token.span.join()),
            Expr::Repeat(node) => return Some(node.bracket_token.span.join()),
            Expr::Match(node) => return Some(node.brace_token.span.join()),
            Expr::Block(node) => return Some(node.block.brace_token.span.join()),
            Expr::While(node) => return Some(node.body.brace_token.span.join()),
            Expr::Loop(node) => return Some(node.body.brace_token.span.join()),
            Expr::ForLoop(node) => return Some(node.body.brace_token.span.join()),
            _ => return None,
        };
    }
}

#[cfg(test)]
mod tests;
