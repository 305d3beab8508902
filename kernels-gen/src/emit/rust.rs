//! The user's function again, for the CPU: the same tree, with inferred types written down and verbs told their site.
//!
//! Types go where the user left them out, with the user's spans, so that rustc refuses a wrong inference at the user's
//! line. Integer operators that can fault become calls, because a fault is an outcome and not a panic.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprLit, Ident, Lit, Local, Pat, PatType, Stmt};

use crate::analysis::SiteMap;
use crate::analysis::infer::Infer;
use crate::ir::{SiteId, Transaction, TyId};
use crate::parse::{Note, Notes, Parsed, Yields};
use crate::spec::Scalar;

/// Rewrites the body in place. Gives back whether it uses the overflow mode.
pub(crate) fn rewrite(block: &mut syn::Block, parsed: &Parsed, sites: &SiteMap, handle: &Ident) -> bool {
    let Parsed { transaction: tx, infer, notes, .. } = parsed;
    let mut rewriter = Rewriter { tx, infer, notes, sites, handle, checked: false };
    rewriter.visit_block_mut(block);
    rewriter.checked
}

struct Rewriter<'a> {
    tx: &'a Transaction,
    infer: &'a Infer,
    notes: &'a Notes,
    sites: &'a SiteMap,
    handle: &'a Ident,
    checked: bool,
}

impl VisitMut for Rewriter<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        let ty = self.notes.of_local(local);
        visit_mut::visit_local_mut(self, local);
        let known = ty.and_then(|ty| self.answer(ty));
        if let (Some(scalar), Pat::Ident(ident)) = (known, &local.pat) {
            let ty = type_name(scalar, ident.ident.span());
            let colon_token = syn::token::Colon(ident.ident.span());
            let pat = Box::new(local.pat.clone());
            local.pat =
                Pat::Type(PatType { attrs: Vec::new(), pat, colon_token, ty: Box::new(syn::Type::Verbatim(ty)) });
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // The note belongs to the address, which the rewriting of inner nodes does not change.
        let note = self.notes.of_expr(expr);
        visit_mut::visit_expr_mut(self, expr);
        match note {
            Some(Note::Literal(ty)) => self.suffix(expr, ty),
            Some(Note::Verb { site, nested }) => self.verb(expr, site, nested, None),
            Some(Note::Reject { site, yields, nested }) => self.verb(expr, site, nested, Some(yields)),
            Some(Note::Operator { ty, amount, site }) => self.operator(expr, ty, amount, site),
            Some(Note::Compound { ty, amount, site, late }) => self.compound(expr, ty, amount, site, late),
            Some(Note::Loop { site }) => self.count_iterations(expr, site),
            None => {}
        }
    }
}

impl Rewriter<'_> {
    /// The type, if code that is reached depends on it.
    fn answer(&self, ty: TyId) -> Option<Scalar> {
        self.infer.answer(ty)
    }

    fn site(&self, site: SiteId) -> Literal {
        Literal::u32_suffixed(self.sites.get(site).map_or(0, |s| s.0))
    }

    fn suffix(&self, expr: &mut Expr, ty: TyId) {
        let Some(scalar) = self.answer(ty) else { return };
        if let Expr::Lit(ExprLit { lit, .. }) = expr {
            let text = match &*lit {
                Lit::Int(int) => format!("{int}{}", scalar.rust()),
                Lit::Float(float) if float.to_string().ends_with('.') => format!("{float}0{}", scalar.rust()),
                Lit::Float(float) => format!("{float}{}", scalar.rust()),
                _ => return,
            };
            if let Ok(mut literal) = text.parse::<Literal>() {
                literal.set_span(lit.span());
                *lit = Lit::new(literal);
            }
        }
    }

    fn verb(&self, expr: &mut Expr, site: SiteId, nested: bool, yields: Option<Yields>) {
        let Expr::MethodCall(call) = &mut *expr else { return };
        let span = call.method.span();
        call.method = Ident::new(&format!("{}_at", call.method), span);
        if let Some(yields) = yields {
            let ty = self.yielded(yields, span);
            call.turbofish = syn::parse2(quote_spanned!(span=> ::<#ty>)).ok();
        }
        let site = self.site(site);
        if !nested {
            call.args.push(Expr::Verbatim(site.to_token_stream()));
            return;
        }
        // `tx` is borrowed when its method is called, so arguments that use it come first.
        let (handle, method, turbofish) = (&call.receiver, &call.method, &call.turbofish);
        let mixed = generated(span);
        let mut lets = TokenStream::new();
        let mut args = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            let name = Ident::new(&format!("stm_{k}"), mixed);
            lets.extend(quote_spanned!(mixed=> let #name = #arg;));
            args.push(name);
        }
        // A call, because a block that starts a statement cannot be followed by `?`.
        let tokens = quote_spanned! {mixed=>
            ::core::convert::identity({ #lets #handle.#method #turbofish (#(#args,)* #site) })
        };
        *expr = Expr::Verbatim(tokens);
    }

    fn yielded(&self, yields: Yields, span: proc_macro2::Span) -> TokenStream {
        let scalar = match yields {
            Yields::Result => self.tx.result,
            Yields::Inferred(ty) => self.answer(ty),
        };
        scalar.map_or_else(|| quote_spanned!(span=> ()), |s| type_name(s, span))
    }

    fn operator(&mut self, expr: &mut Expr, ty: TyId, amount: Option<TyId>, site: SiteId) {
        let tokens = match &*expr {
            Expr::Binary(node) => {
                let operands = [argument(&node.left), argument(&node.right)];
                self.call(&node.op, ty, amount, site, &operands)
            }
            Expr::Unary(node) => self.call(&node.op, ty, amount, site, &[argument(&node.expr)]),
            _ => None,
        };
        if let Some(tokens) = tokens {
            *expr = Expr::Verbatim(tokens);
        }
    }

    fn compound(&mut self, expr: &mut Expr, ty: TyId, amount: Option<TyId>, site: SiteId, late: bool) {
        let Expr::Binary(node) = &*expr else { return };
        let (left, right, span) = (&node.left, &node.right, generated(node.op.span()));
        let tokens = if late {
            let value = Ident::new("stm_value", span);
            let call = self.call(&node.op, ty, amount, site, &[argument(left), value.to_token_stream()]);
            call.map(|call| quote_spanned!(span=> { let #value = #right; #left = #call; }))
        } else {
            let call = self.call(&node.op, ty, amount, site, &[argument(left), argument(right)]);
            call.map(|call| quote_spanned!(span=> #left = #call))
        };
        if let Some(tokens) = tokens {
            *expr = Expr::Verbatim(tokens);
        }
    }

    /// The call that stands for an operator of integers; `None` for floats, which cannot fault.
    fn call(
        &mut self,
        op: &(impl ToTokens + Spanned),
        ty: TyId,
        amount: Option<TyId>,
        site: SiteId,
        operands: &[TokenStream],
    ) -> Option<TokenStream> {
        let scalar = self.answer(ty).filter(|s| s.is_int())?;
        let word = match (op.to_token_stream().to_string().trim_end_matches('='), operands.len()) {
            ("-", 1) => "neg",
            ("+", _) => "add",
            ("-", _) => "sub",
            ("*", _) => "mul",
            ("/", _) => "div",
            ("%", _) => "rem",
            ("<<", _) => "shl",
            (">>", _) => "shr",
            _ => return None,
        };
        self.checked = true;
        let span = generated(op.span());
        let (word, ty, site) = (Ident::new(word, span), type_name(scalar, span), self.site(site));
        let amount =
            amount.and_then(|a| self.answer(a)).map(|a| type_name(a, span)).map(|a| quote_spanned!(span=> #a,));
        Some(quote_spanned! {span=>
            ::stm_runtime::__private::ops::#word::<#ty, #amount STM_CHECKED>(#(#operands,)* #site)?
        })
    }

    fn count_iterations(&self, expr: &mut Expr, site: SiteId) {
        let body = match expr {
            Expr::While(node) => &mut node.body,
            Expr::Loop(node) => &mut node.body,
            Expr::ForLoop(node) => &mut node.body,
            _ => return,
        };
        let (handle, site, span) = (self.handle, self.site(site), generated(body.brace_token.span.open()));
        let count = Expr::Verbatim(quote_spanned!(span=> #handle.iteration_at(#site)?));
        body.stmts.insert(0, Stmt::Expr(count, Some(syn::token::Semi(span))));
    }
}

/// An operand as an argument: without its parentheses, about which rustc would warn.
fn argument(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Paren(inner) => argument(&inner.expr),
        other => other.to_token_stream(),
    }
}

/// The place of a token of the user, for a token of ours: messages point there, and lints know that it is generated.
fn generated(span: proc_macro2::Span) -> proc_macro2::Span {
    proc_macro2::Span::mixed_site().located_at(span)
}

/// A scalar's name that no `use` can shadow.
fn type_name(scalar: Scalar, span: proc_macro2::Span) -> TokenStream {
    let name = Ident::new(scalar.rust(), span);
    quote_spanned!(span=> #name)
}
