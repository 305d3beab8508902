//! `(a, b.c) = value`: desugared as in rustc into a `let` and an assignment to each place, from left to right.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, RangeLimits, Stmt};

use super::tree::PART;

/// Returns the desugared assignment; `None` where it has one place, or is one that the language does not have.
pub(super) fn written_out(assign: &ExprAssign) -> Option<Expr> {
    let mut places = Vec::new();
    let left = match &*assign.left {
        left @ (Expr::Tuple(_) | Expr::Struct(_) | Expr::Call(_)) => pattern(left, &mut places)?,
        _ => return None,
    };
    let (value, span) = (&assign.right, generated(assign.eq_token.span));
    let mut block: syn::ExprBlock = syn::parse2(quote_spanned!(span=> { let #left = #value; })).ok()?;
    for (name, place) in places {
        let (to, span) = (place, generated(place.span()));
        let whole: Expr = syn::parse2(quote_spanned!(span=> #to = #name)).ok()?;
        block.block.stmts.push(Stmt::Expr(whole, Some(syn::token::Semi(span))));
    }
    Some(Expr::Block(block))
}

/// Returns the tokens for a message about the value of an assignment: for a part, the place that it is assigned to.
pub(super) fn blamed(assign: &ExprAssign) -> TokenStream {
    match &*assign.right {
        Expr::Path(path) => match path.path.get_ident().map(ToString::to_string) {
            Some(name) if name.starts_with(PART) => Ident::new(&name, assign.left.span()).into_token_stream(),
            _ => path.to_token_stream(),
        },
        other => other.to_token_stream(),
    }
}

/// Returns the pattern with a name for each place.
fn pattern<'e>(left: &'e Expr, places: &mut Vec<(Ident, &'e Expr)>) -> Option<TokenStream> {
    let span = left.span();
    let list = |parts: &mut dyn Iterator<Item = &'e Expr>, places: &mut Vec<(Ident, &'e Expr)>| {
        parts.map(|part| pattern(part, places)).collect::<Option<Vec<_>>>()
    };
    Some(match left {
        Expr::Paren(node) => return pattern(&node.expr, places),
        Expr::Infer(_) => quote_spanned!(span=> _),
        Expr::Range(node) if is_rest(node) => quote_spanned!(span=> ..),
        Expr::Tuple(node) => {
            let parts = list(&mut node.elems.iter(), places)?;
            quote_spanned!(span=> (#(#parts,)*))
        }
        Expr::Call(node) if matches!(&*node.func, Expr::Path(_)) => {
            let (name, parts) = (&node.func, list(&mut node.args.iter(), places)?);
            quote_spanned!(span=> #name(#(#parts,)*))
        }
        Expr::Struct(node) if node.rest.is_none() => {
            let parts = list(&mut node.fields.iter().map(|field| &field.expr), places)?;
            let (path, names) = (&node.path, node.fields.iter().map(|field| &field.member));
            let rest = node.dot2_token;
            quote_spanned!(span=> #path { #(#names: #parts,)* #rest })
        }
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) => {
            let name = Ident::new(&format!("{PART}{}", places.len()), generated(span));
            places.push((name.clone(), left));
            name.into_token_stream()
        }
        // Arrays are not destructured, and the rest is not a place.
        _ => return None,
    })
}

fn is_rest(range: &syn::ExprRange) -> bool {
    range.start.is_none() && range.end.is_none() && matches!(range.limits, RangeLimits::HalfOpen(_))
}

/// Returns the span of a generated name at the position of its origin: no name of the user can refer to it.
fn generated(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

#[cfg(test)]
mod tests;
