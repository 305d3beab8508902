//! Desugaring of the user's tree before it is parsed: macros, iterators, `tx.update`, and assignments to several places are written out.
//! Both printers therefore see one form.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprClosure, ExprMethodCall, Pat, Stmt};

use super::iterate::{self, ArrayNames, Iterators};
use super::text;
use super::tree::{GENERATED, INDEX, TRIED, names, strip};
use super::user_macros::failed;
use crate::front::diag::{Diagnostics, Rule};

/// Desugars the body of a function whose handle has this name.
pub(super) fn desugar(item: &mut syn::ItemFn, handle: Option<&Ident>, diags: &mut Diagnostics) {
    super::user_macros::written_out(item, diags);
    super::last_loop::written_out(item);
    let mut iterators = Iterators::default();
    super::exchanged::zips(item);
    super::split::written_out(item);
    iterators.variables(item);
    iterate::tried(item, handle);
    iterators.local_closures(item);
    iterate::type_of_function(item);
    super::chosen::written_out(item);
    let arrays = ArrayNames::of(item);
    let lent = super::elements::lent_parameters(item);
    let rows = super::rows::Rows::of(item);
    Desugar { handle, diags, iterators, arrays, lent, rows }.visit_block_mut(&mut item.block);
}

struct Desugar<'a> {
    handle: Option<&'a Ident>,
    diags: &'a mut Diagnostics,
    iterators: Iterators,
    arrays: ArrayNames,
    /// The parameters that are references to arrays.
    lent: Vec<String>,
    rows: super::rows::Rows,
}

impl VisitMut for Desugar<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        super::conditional::lets(block);
        super::inserted::lets(block);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        super::user_macros::as_expression(stmt);
        super::conditional::written_out(stmt);
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        iterate::type_of_let(local);
        if let Some(init) = &mut local.init
            && init.diverge.is_some()
        {
            super::inserted::examined(&mut init.expr);
            self.iterators.matched(&mut init.expr, &mut [&mut local.pat], local.let_token.span);
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_match_mut(&mut self, node: &mut syn::ExprMatch) {
        super::conditional::arms(node);
        super::inserted::examined(&mut node.expr);
        super::alternatives::written_out(node, self.diags);
        let mut patterns: Vec<&mut Pat> = node.arms.iter_mut().map(|arm| &mut arm.pat).collect();
        self.iterators.matched(&mut node.expr, &mut patterns, node.match_token.span);
        visit_mut::visit_expr_match_mut(self, node);
    }

    fn visit_expr_let_mut(&mut self, node: &mut syn::ExprLet) {
        super::inserted::examined(&mut node.expr);
        self.iterators.matched(&mut node.expr, &mut [&mut node.pat], node.let_token.span);
        visit_mut::visit_expr_let_mut(self, node);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Call(call) = expr {
            iterate::type_of_bytes(call);
        }
        if let Some(new) = super::passed_parts::written_out(expr, &self.arrays) {
            *expr = new;
        }
        if let Some(new) = super::inserted::written_out(expr) {
            *expr = new;
        }
        if let Expr::MethodCall(call) = expr {
            super::slice_to_array::length_written(&mut call.receiver);
        }
        let new = match expr {
            // Of what an iterator has become.
            Expr::Macro(node) => super::user_macros::expand(&node.mac, self.diags),
            Expr::Assign(node) => super::several::written_out(node),
            Expr::Call(node) => {
                // Only what comes later knows which names are those of references.
                let exchanged = super::exchanged::written_out(node, |_| false);
                match exchanged.or_else(|| super::defaults::written_out(node)) {
                    Some(new) => Some(new),
                    None => {
                        let (new, span) = (self.iterators.call(node), node.func.span());
                        new.and_then(|new| self.iterated(new, span))
                    }
                }
            }
            Expr::Try(node) => match &*node.expr {
                Expr::MethodCall(call) if self.is_update(call) => self.update(call, true),
                _ => None,
            },
            Expr::MethodCall(call) if self.is_update(call) => self.update(call, false),
            Expr::MethodCall(call) if call.method == TRIED => {
                let (value, span) = (strip(&call.receiver), call.method.span());
                syn::parse2(quote_spanned!(span=> #value?)).ok()
            }
            Expr::MethodCall(call) => {
                let new = self.iterators.method(call, &self.arrays);
                let span = call.method.span();
                new.and_then(|new| self.iterated(new, span))
            }
            Expr::ForLoop(node) => {
                super::elements::lent(node, &self.lent);
                let new = self.iterators.for_loop(node, &self.arrays);
                let span = node.for_token.span;
                new.and_then(|new| self.iterated(new, span))
            }
            _ => None,
        };
        match new {
            Some(new) => {
                *expr = new;
                self.visit_expr_mut(expr);
            }
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }
}

impl Desugar<'_> {
    fn is_update(&self, call: &ExprMethodCall) -> bool {
        let named = matches!(&*call.receiver, Expr::Path(path) if path.path.get_ident() == self.handle);
        named && self.handle.is_some() && call.method == "update" && call.args.len() == 3
    }

    /// Returns the loops that an iterator has become.
    fn iterated(&mut self, new: Result<TokenStream, iterate::Refused>, span: Span) -> Option<Expr> {
        match new {
            Ok(tokens) => syn::parse2(tokens).ok(),
            Err(refused) => {
                self.diags.report(Rule::Iterator, refused.at, refused.message);
                failed(span)
            }
        }
    }

    /// Writes out `tx.update(array, index, |value| new)` as a read and a write.
    fn update(&mut self, call: &ExprMethodCall, tried: bool) -> Option<Expr> {
        let args: Vec<&Expr> = call.args.iter().collect();
        let Expr::Closure(ExprClosure { inputs, body, .. }) = args[2] else {
            let message =
                "the last argument of `update` is a closure, as in `tx.update(array, index, |value| value + 1)?`";
            self.diags.report(Rule::Method, args[2], message);
            return failed(call.method.span());
        };
        let inputs: Vec<&Pat> = inputs.iter().collect();
        let [pat] = inputs.as_slice() else {
            self.diags.report(Rule::Method, args[2], "the closure of `update` takes one value; write `|value| ..`");
            return failed(call.method.span());
        };
        if let Some(at) = returns(body) {
            self.diags.report(
                Rule::Expression,
                at,
                "a closure of `update` cannot `return`; give the new value at its end",
            );
            return failed(call.method.span());
        }
        let mapped = self.rows.mapped(args[0], pat, body);
        let body = mapped.as_ref().unwrap_or(body);
        let (tx, array, index) = (&call.receiver, args[0], args[1]);
        let span = call.method.span();
        let (name, read, write) = (Ident::new(INDEX, span), Ident::new("read", span), Ident::new("write", span));
        let question = tried.then(|| quote_spanned!(span=> ?));
        // Where the closure calls its value by the name of the array, the value has a scope of its own.
        if text::source(array)
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| pattern_names(pat).contains(word))
        {
            let new = Ident::new(GENERATED, Span::mixed_site().located_at(span));
            return syn::parse2(quote_spanned! {span=> {
                let #name = #index;
                let #new = { let #pat = #tx.#read(#array, #name)?; #body };
                #tx.#write(#array, #name, #new) #question
            }})
            .ok();
        }
        syn::parse2(quote_spanned! {span=> {
            let #name = #index;
            let #pat = #tx.#read(#array, #name)?;
            #tx.#write(#array, #name, #body) #question
        }})
        .ok()
    }
}

/// Returns the names in a pattern.
pub(crate) fn pattern_names(pat: &Pat) -> std::collections::HashSet<String> {
    names(pat).into_iter().map(|key| key.split('#').next().unwrap_or_default().to_owned()).collect()
}

/// Returns a `return` in an expression.
fn returns(expr: &Expr) -> Option<Expr> {
    struct Finder(Option<Expr>);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_expr_return(&mut self, node: &'ast syn::ExprReturn) {
            self.0 = Some(Expr::Return(node.clone()));
        }
    }
    let mut finder = Finder(None);
    syn::visit::Visit::visit_expr(&mut finder, expr);
    finder.0
}
