//! `#[cfg(..)]` before a statement becomes `if cfg!(..)`: only rustc knows the configuration. The statement is checked in every one.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Meta, Stmt};

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
