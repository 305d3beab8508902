//! Functions of the standard library that are written out: `std::mem::swap`, `replace` and `take` of variables, and `std::iter::zip`.

use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprCall};

use super::text;
use super::tree::{PART, strip};

/// Returns the assignments that a call stands for; `None` for other calls. `is_reference`: whether a name is that of a `&mut`.
pub(super) fn written_out(call: &ExprCall, is_reference: impl Fn(&Expr) -> bool) -> Option<Expr> {
    let Expr::Path(path) = strip(&call.func) else { return None };
    let mut names = path.path.segments.iter().rev().map(|segment| text::plain(&segment.ident));
    let (name, module) = (names.next()?, names.next()?);
    let span = Span::mixed_site().located_at(call.func.span());
    let [old, new] = [0, 1].map(|k| Ident::new(&format!("{PART}{k}"), span));
    let args: Vec<&Expr> = call.args.iter().collect();
    let place = |expr| place(expr, &is_reference);
    let tokens = match (module.as_str(), name.as_str(), args.as_slice()) {
        ("mem", "swap", [a, b]) => {
            let (a, b) = (place(a)?, place(b)?);
            quote_spanned!(span=> { let #old = #a; #a = #b; #b = #old; })
        }
        ("mem", "replace", [a, value]) => {
            let a = place(a)?;
            quote_spanned!(span=> { let #old = #a; let #new = #value; #a = #new; #old })
        }
        ("mem", "take", [a]) => {
            let a = place(a)?;
            quote_spanned!(span=> { let #old = #a; #a = ::core::default::Default::default(); #old })
        }
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// Writes `std::iter::zip(a, b)` as the method, `once(a)` as an array, and `repeat(a)` as a range, before chains are looked for.
pub(super) fn zips(item: &mut syn::ItemFn) {
    struct Zips;
    impl VisitMut for Zips {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            visit_mut::visit_expr_mut(self, expr);
            if let Expr::Call(call) = expr
                && let Some(new) = of_iter(call)
            {
                *expr = new;
            }
        }
    }
    Zips.visit_block_mut(&mut item.block);
}

/// Returns what a function of `std::iter` is written as.
fn of_iter(call: &ExprCall) -> Option<Expr> {
    let Expr::Path(path) = &*call.func else { return None };
    let segments: Vec<_> = path.path.segments.iter().collect();
    let [.., module, name] = segments.as_slice() else { return None };
    if module.ident != "iter" {
        return None;
    }
    let (args, span) = (call.args.iter().collect::<Vec<_>>(), path.path.span());
    let tokens = match (name.ident.to_string().as_str(), args.as_slice()) {
        ("zip", [a, b]) => quote_spanned!(span=> (#a).into_iter().zip(#b)),
        ("once", [a]) => quote_spanned!(span=> [#a].into_iter()),
        ("repeat", [a @ Expr::Lit(_)]) => quote_spanned!(span=> (0_u64..).map(|_| #a)),
        ("repeat_n", [a @ Expr::Lit(_), count]) => quote_spanned!(span=> (0_usize..#count).map(|_| #a)),
        // The value is evaluated once, also where no element is taken: it may fault, and what it is made of may change.
        ("repeat", [a]) => quote_spanned!(span=> [#a].into_iter().cycle()),
        ("repeat_n", [a, count]) => quote_spanned!(span=> [#a].into_iter().cycle().take(#count)),
        _ => return None,
    };
    syn::parse2(tokens).ok()
}

/// Returns the place of `&mut place`, if finding it has no effect, or of a name of such a reference.
fn place(expr: &Expr, is_reference: impl Fn(&Expr) -> bool) -> Option<Expr> {
    match strip(expr) {
        Expr::Reference(node) if node.mutability.is_some() && is_plain(&node.expr) => Some((*node.expr).clone()),
        name @ Expr::Path(_) if is_reference(name) => Some(syn::parse_quote_spanned!(name.span()=> *#name)),
        _ => None,
    }
}

/// Returns whether evaluating an expression has no effect.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Field(node) => is_plain(&node.base),
        Expr::Index(node) => is_plain(&node.expr) && is_plain(&node.index),
        Expr::Unary(node) => match node.op {
            syn::UnOp::Deref(_) => is_plain(&node.expr),
            syn::UnOp::Neg(_) => matches!(strip(&node.expr), Expr::Lit(_)),
            _ => false,
        },
        Expr::Binary(node) => {
            node.op.to_token_stream().to_string().len() == 1 && is_plain(&node.left) && is_plain(&node.right)
        }
        Expr::Cast(node) => is_plain(&node.expr),
        _ => false,
    }
}
