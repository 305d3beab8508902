//! `tx.update(line, at, |seats| seats.map(|n| n + 1))`, where `&line[k]` says that the elements of `line` are arrays: the new value is
//! one of the same type, so its length need not be known.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprReference, Pat};

use super::text;
use super::tree::{GENERATED, strip};

/// The names before an index, as in `&line[k]`.
#[derive(Default)]
pub(super) struct Rows(HashSet<String>);

impl<'ast> Visit<'ast> for Rows {
    fn visit_expr_reference(&mut self, node: &'ast ExprReference) {
        if let Expr::Index(index) = strip(&node.expr) {
            self.0.extend(name_of(&index.expr));
        }
        visit::visit_expr_reference(self, node);
    }
}

impl Rows {
    pub(super) fn of(item: &syn::ItemFn) -> Rows {
        let mut rows = Rows::default();
        rows.visit_block(&item.block);
        rows
    }

    /// Returns the new value of an element of a shared array, if it is what `map` gives for an array.
    pub(super) fn mapped(&self, array: &Expr, pat: &Pat, new: &Expr) -> Option<Expr> {
        let (Pat::Ident(old), Expr::MethodCall(call)) = (pat, strip(new)) else { return None };
        let is_row = name_of(array).is_some_and(|name| self.0.contains(&name));
        let (Some(Expr::Closure(closure)), 1) = (call.args.first(), call.args.len()) else { return None };
        let of_old = call.method == "map" && name_of(&call.receiver) == Some(text::key(&old.ident));
        let (Some(element), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
        if !is_row || !of_old {
            return None;
        }
        let (span, from, body) = (Span::mixed_site().located_at(call.method.span()), &call.receiver, &closure.body);
        let [to, k] = ["row", "at"].map(|name| Ident::new(&format!("{GENERATED}{name}"), span));
        syn::parse2(quote_spanned! {span=> {
            let mut #to = #from;
            for #k in 0..#to.len() {
                let #element = #to[#k];
                #to[#k] = #body;
            }
            #to
        }})
        .ok()
    }
}

fn name_of(expr: &Expr) -> Option<String> {
    match strip(expr) {
        Expr::Path(path) => path.path.get_ident().map(text::key),
        _ => None,
    }
}
