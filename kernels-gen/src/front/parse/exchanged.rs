//! `std::mem::swap` and `std::mem::replace` of variables: assignments.

use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall};

use super::text;
use super::tree::{PART, strip};

/// Returns the assignments that a call stands for; `None` for other calls.
pub(super) fn written_out(call: &ExprCall) -> Option<Expr> {
    let Expr::Path(path) = strip(&call.func) else { return None };
    let mut names = path.path.segments.iter().rev().map(|segment| text::plain(&segment.ident));
    let (name, module) = (names.next()?, names.next()?);
    let span = Span::mixed_site().located_at(call.func.span());
    let [old, new] = [0, 1].map(|k| Ident::new(&format!("{PART}{k}"), span));
    let args: Vec<&Expr> = call.args.iter().collect();
    let tokens = match (module.as_str(), name.as_str(), args.as_slice()) {
        ("mem", "swap", [a, b]) => {
            let (a, b) = (place(a)?, place(b)?);
            quote_spanned!(span=> { let #old = #a; #a = #b; #b = #old; })
        }
        ("mem", "replace", [a, value]) => {
            let a = place(a)?;
            quote_spanned!(span=> { let #old = #a; let #new = #value; #a = #new; #old })
        }
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// Returns the place of `&mut place`, if finding it has no effect.
fn place(expr: &Expr) -> Option<&Expr> {
    match strip(expr) {
        Expr::Reference(node) if node.mutability.is_some() && is_plain(&node.expr) => Some(&node.expr),
        _ => None,
    }
}

/// Returns whether evaluating an expression has no effect.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(node) => is_plain(&node.base),
        Expr::Index(node) => is_plain(&node.expr) && is_plain(&node.index),
        Expr::Unary(node) => matches!(node.op, syn::UnOp::Deref(_)) && is_plain(&node.expr),
        Expr::Binary(node) => {
            node.op.to_token_stream().to_string().len() == 1 && is_plain(&node.left) && is_plain(&node.right)
        }
        Expr::Cast(node) => is_plain(&node.expr),
        _ => false,
    }
}
