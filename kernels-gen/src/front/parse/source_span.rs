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

/// Returns what `$node` gives of an expression of one of these kinds without attributes, which would be its first tokens.
macro_rules! of_plain {
    ($expr:ident, $($kind:ident($node:ident) => $given:expr,)*) => {
        match $expr {
            $(Expr::$kind($node) if $node.attrs.is_empty() => Some($given),)*
            _ => None,
        }
    };
}

/// Returns the expression that a left-leaning expression begins with.
fn left(expr: &Expr) -> Option<&Expr> {
    of_plain! { expr,
        Binary(node) => &node.left,
        Assign(node) => &node.left,
        MethodCall(node) => &node.receiver,
        Call(node) => &node.func,
        Field(node) => &node.base,
        Index(node) => &node.expr,
        Cast(node) => &node.expr,
        Try(node) => &node.expr,
    }
}

/// Returns the first token of an expression; `None` where it has to be printed to be found.
fn first(mut expr: &Expr) -> Option<Span> {
    while let Some(left) = left(expr) {
        expr = left;
    }
    of_plain! { expr,
        Lit(node) => node.lit.span(),
        Path(node) => SourceSpan::of(node).first,
        Unary(node) => SourceSpan::of(&node.op).first,
        Paren(node) => node.paren_token.span.join(),
        Tuple(node) => node.paren_token.span.join(),
        Array(node) => node.bracket_token.span.join(),
        Repeat(node) => node.bracket_token.span.join(),
        If(node) => node.if_token.span,
        Match(node) => node.match_token.span,
        Block(node) => labelled(node.label.as_ref(), node.block.brace_token.span.join()),
        While(node) => labelled(node.label.as_ref(), node.while_token.span),
        Loop(node) => labelled(node.label.as_ref(), node.loop_token.span),
        ForLoop(node) => labelled(node.label.as_ref(), node.for_token.span),
    }
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
            Expr::If(node) if node.else_branch.is_some() => &node.else_branch.as_ref()?.1,
            _ => break,
        };
    }
    Some(match expr {
        Expr::If(node) => node.then_branch.brace_token.span.join(),
        Expr::MethodCall(node) => node.paren_token.span.join(),
        Expr::Call(node) => node.paren_token.span.join(),
        Expr::Index(node) => node.bracket_token.span.join(),
        Expr::Try(node) => node.question_token.span(),
        Expr::Cast(node) => SourceSpan::of(&node.ty).last,
        Expr::Field(node) => match &node.member {
            Member::Named(ident) => ident.span(),
            Member::Unnamed(index) => index.span,
        },
        Expr::Lit(node) => node.lit.span(),
        Expr::Path(node) => SourceSpan::of(node).last,
        Expr::Paren(node) => node.paren_token.span.join(),
        Expr::Tuple(node) => node.paren_token.span.join(),
        Expr::Array(node) => node.bracket_token.span.join(),
        Expr::Repeat(node) => node.bracket_token.span.join(),
        Expr::Match(node) => node.brace_token.span.join(),
        Expr::Block(node) => node.block.brace_token.span.join(),
        Expr::While(node) => node.body.brace_token.span.join(),
        Expr::Loop(node) => node.body.brace_token.span.join(),
        Expr::ForLoop(node) => node.body.brace_token.span.join(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
