//! Local variables and their parts: an index can fault, so it is a call.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, Ident, Pat, Stmt};

use super::{Rewriter, generated};
use crate::front::parse::{BAD, GOOD, INTO, Note, names_variant};
use crate::ir::LocationId;
use crate::ir::open::TyId;

impl Rewriter<'_> {
    /// Rewrites a place or a part of one: indices become calls that can fault.
    pub(super) fn part(&mut self, expr: &mut Expr, mutable: bool) {
        if !(mutable && computes_index(expr)) {
            return self.part_after(expr, mutable, None);
        }
        // The variable is borrowed while its element is accessed, and an index may read it, so the indices are computed first.
        let (mut before, span) = (TokenStream::new(), generated(expr.span()));
        self.part_after(expr, mutable, Some(&mut before));
        *expr = Expr::Verbatim(quote_spanned!(span=> (*{ #before &mut #expr })));
    }

    /// Rewrites a place, and computes indices in `before` if it is given.
    fn part_after(&mut self, expr: &mut Expr, mutable: bool, mut before: Option<&mut TokenStream>) {
        let note = self.notes.of_expr(expr);
        match expr {
            Expr::Paren(node) => self.part_after(&mut node.expr, mutable, before),
            Expr::Field(node) => self.part_after(&mut node.base, mutable, before),
            Expr::Index(node) => {
                self.part_after(&mut node.expr, mutable, before.as_deref_mut());
                self.visit_expr_mut(&mut node.index);
                let Some(Note::Element { location }) = note else { return };
                let (array, location, span) =
                    (&node.expr, self.location(location), generated(node.bracket_token.span.open()));
                let mut index = node.index.to_token_stream();
                if let Some(before) = before {
                    let name = Ident::new(&format!("stm_at_{}", before.clone().into_iter().count()), span);
                    before.extend(quote_spanned!(span=> let #name = #index;));
                    index = name.into_token_stream();
                }
                let element = match mutable {
                    true => quote_spanned!(span=> element_mut(&mut #array[..], #index, #location)?),
                    false => quote_spanned!(span=> element(&#array[..], #index, #location)?),
                };
                *expr = Expr::Verbatim(quote_spanned!(span=> (*::stm_runtime::__private::local::#element)));
            }
            other => self.visit_expr_mut(other),
        }
    }

    /// Rewrites `array[a..b]`.
    pub(super) fn slice(&mut self, expr: &mut Expr, location: LocationId) {
        let Expr::Index(node) = &mut *expr else { return };
        self.part_after(&mut node.expr, false, None);
        self.visit_expr_mut(&mut node.index);
        let (array, range, location) = (&node.expr, &node.index, self.location(location));
        let span = generated(node.bracket_token.span.open());
        *expr = Expr::Verbatim(quote_spanned! {span=>
            (*::stm_runtime::__private::local::part(&#array[..], #range, #location)?)
        });
    }

    pub(super) fn step(&mut self, expr: &mut Expr, location: LocationId) {
        let Expr::MethodCall(node) = expr else { return };
        let (location, span) = (self.location(location), generated(node.method.span()));
        if let Some(step) = node.args.first_mut() {
            *step = Expr::Verbatim(quote_spanned!(span=> ::stm_runtime::__private::local::step(#step, #location)?));
        }
    }

    /// Rewrites `place.take()`, `place.get_mut(k)` and the like.
    pub(super) fn exchange(&mut self, expr: &mut Expr) {
        if let Expr::MethodCall(node) = expr {
            self.part(&mut node.receiver, true);
            node.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            if let ("get_mut", Some(index)) = (node.method.to_string().as_str(), node.args.first()) {
                // The index can be computed from the array, which is borrowed then.
                let (array, method, span) = (&node.receiver, &node.method, generated(node.method.span()));
                *expr = Expr::Verbatim(quote_spanned!(span=> { let stm_at = #index; #array.#method(stm_at) }));
            }
        }
    }

    /// Rewrites `place op= value` where an index leads to the place: the value first.
    pub(super) fn compound_part(
        &mut self,
        expr: &mut Expr,
        ty: TyId,
        amount: Option<TyId>,
        location: Option<LocationId>,
    ) {
        let Expr::Binary(node) = expr else { return };
        self.visit_expr_mut(&mut node.right);
        self.part(&mut node.left, true);
        let span = generated(node.op.span());
        let (value, place) = (Ident::new("stm_value", span), Ident::new("stm_place", span));
        let operands = [quote_spanned!(span=> *#place), value.to_token_stream()];
        let call = location.and_then(|location| self.op(&node.op, ty, amount, location, &operands));
        let call = call.unwrap_or_else(|| {
            let sign: TokenStream =
                node.op.to_token_stream().to_string().trim_end_matches('=').parse().unwrap_or_default();
            quote_spanned!(span=> *#place #sign #value)
        });
        let (left, right) = (&node.left, &node.right);
        *expr = Expr::Verbatim(quote_spanned! {span=>
            { let #value = #right; let #place = &mut #left; *#place = #call; }
        });
    }
}

/// Leaves out a shared reference: the value is copied.
pub(super) fn erase(expr: &mut Expr) {
    let inner = match expr {
        Expr::Reference(node) => &mut node.expr,
        Expr::Unary(node) => &mut node.expr,
        Expr::MethodCall(node) => &mut node.receiver,
        Expr::Call(node) => match node.args.first_mut() {
            Some(first) => first,
            None => return,
        },
        _ => return,
    };
    let inner = std::mem::replace(inner, Expr::Verbatim(TokenStream::new()));
    *expr = match inner {
        Expr::Path(_) | Expr::Lit(_) | Expr::Paren(_) | Expr::MethodCall(_) | Expr::Field(_) => inner,
        other => Expr::Verbatim(quote_spanned!(generated(other.span())=> (#other))),
    };
}

/// Requires that a value has a type with `Ord`.
pub(super) fn total(expr: &mut Expr) {
    if let Expr::Call(node) = &*expr {
        let (args, span) = (&node.args, node.func.span());
        *expr = Expr::Verbatim(quote_spanned!(span=> ::stm_runtime::__private::local::total(#args)));
    }
}

/// Prints an array whose length the context says.
pub(super) fn repeated(expr: &mut Expr) {
    if let Expr::Repeat(node) = &*expr
        && let Expr::Infer(_) = &*node.len
    {
        let value = &node.expr;
        *expr = syn::parse_quote!(::stm_runtime::__private::local::repeated(#value));
    }
}

/// Turns `&name`, `name.copied()` or a matched `name` of a reference into its value.
pub(super) fn copy(expr: &mut Expr) {
    let (name, span) = match &*expr {
        Expr::Path(name) => {
            *expr = Expr::Verbatim(quote_spanned!(generated(name.span())=> (*#name)));
            return;
        }
        Expr::Reference(node) => (&node.expr, node.and_token.span),
        Expr::MethodCall(node) => (&node.receiver, node.method.span()),
        _ => return,
    };
    *expr = Expr::Verbatim(quote_spanned!(generated(span)=> (*#name)));
}

/// Leaves out the references of a pattern, whose value is a copy.
pub(super) fn erase_pattern(pat: &mut Pat) {
    match pat {
        Pat::Reference(node) => *pat = (*node.pat).clone(),
        Pat::Ident(node) if node.mutability.is_none() => node.by_ref = None,
        _ => {}
    }
}

/// Returns whether an index of the place is neither a literal nor a variable.
fn computes_index(place: &Expr) -> bool {
    fn is_there(index: &Expr) -> bool {
        match index {
            Expr::Lit(_) | Expr::Path(_) => true,
            Expr::Paren(node) => is_there(&node.expr),
            Expr::Cast(node) => is_there(&node.expr),
            _ => false,
        }
    }
    match place {
        Expr::Paren(node) => computes_index(&node.expr),
        Expr::Field(node) => computes_index(&node.base),
        Expr::Index(node) => !is_there(&node.index) || computes_index(&node.expr),
        _ => false,
    }
}

/// Writes the variants of the `match` of a method that `Option` and `Result` have.
pub(super) fn of_both(expr: &mut Expr, result: bool, known: bool) {
    let Expr::Match(node) = expr else { return };
    if !known {
        let (value, span) = (super::argument(&node.expr), super::generated(node.expr.span()));
        *node.expr = Expr::Verbatim(quote_spanned!(span=> ::stm_runtime::__private::local::an_option(#value)));
    }
    for arm in &mut node.arms {
        let span = super::generated(arm.pat.span());
        let value = match &arm.pat {
            Pat::TupleStruct(node) => node.elems.to_token_stream(),
            _ => continue,
        };
        let pat = match (names_variant(&arm.pat, GOOD), result) {
            (true, true) => quote_spanned!(span=> ::core::result::Result::Ok(#value)),
            (true, false) => quote_spanned!(span=> ::core::option::Option::Some(#value)),
            (false, true) => quote_spanned!(span=> ::core::result::Result::Err(#value)),
            (false, false) => quote_spanned!(span=> ::core::option::Option::None),
        };
        arm.pat = Pat::Verbatim(pat);
        variant_of_both(&mut arm.body, result);
    }
}

fn variant_of_both(body: &mut Expr, result: bool) {
    match body {
        Expr::Block(node) => {
            if let Some(Stmt::Expr(last, None)) = node.block.stmts.last_mut() {
                variant_of_both(last, result);
            }
        }
        Expr::Call(node) => {
            let (span, args, func) =
                (super::generated(node.func.span()), &node.args, node.func.to_token_stream().to_string());
            *body = Expr::Verbatim(match (func.as_str(), result) {
                (GOOD, true) => quote_spanned!(span=> ::core::result::Result::Ok(#args)),
                (GOOD, false) => quote_spanned!(span=> ::core::option::Option::Some(#args)),
                (BAD, true) => quote_spanned!(span=> ::core::result::Result::Err(#args)),
                (BAD, false) => quote_spanned!(span=> ::core::option::Option::None),
                _ => return,
            });
        }
        _ => {}
    }
}

/// Prints `value.into()` for a parameter for types, which has only what its bounds say.
pub(super) fn converted(expr: &mut Expr) {
    if let Expr::Call(node) = expr
        && let Expr::Path(path) = &mut *node.func
        && let Some(last) = path.path.segments.last_mut().filter(|last| last.ident == INTO)
    {
        last.ident = Ident::new("from", last.ident.span());
    }
}
