//! Calls of functions for transactions.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprMethodCall, Token};

use super::{Rewriter, generated};
use crate::front::parse::{CallSite, Called, Note, Passed};
use crate::front::print::called;
use crate::ir::open::{CallId, Form};

impl Rewriter<'_> {
    /// Prints a call of the function's host version, which reports faults and knows where its locations are. `by_reference`: the receiver
    /// is the name of a reference.
    pub(super) fn call(&mut self, expr: &mut Expr, call: CallId, by_reference: bool) {
        self.checked = true;
        let printed = match &*expr {
            Expr::Call(node) => {
                let site = &self.calls[call.0 as usize];
                let (mut before, mut printed) = called::run(site);
                let mut args: Vec<_> =
                    arguments(&node.args, site).enumerate().map(|(at, arg)| argument(arg, passed(site, at))).collect();
                let exclusive = |arg: &Expr| matches!(arg, Expr::Reference(arg) if arg.mutability.is_some());
                if let Some(name) = site.of_core().filter(|_| !node.args.iter().any(exclusive)) {
                    let names = ["stm_a", "stm_b"].map(|name| Ident::new(name, generated(site.span())));
                    let check = called::is_of_core(name, &names);
                    before.extend(quote_spanned!(generated(site.span())=> let (#(#names),*) = (#(#args),*); #check));
                    args = names.map(ToTokens::into_token_stream).to_vec();
                }
                node.paren_token.surround(&mut printed, |inside| inside.extend(quote!(#(#args),*)));
                let close = node.paren_token.span.close();
                let called = match site.called {
                    Called::Function(_) => self.call_function(site, call, &printed, close),
                    _ => self.run(site, call, &printed, close),
                };
                in_block(&quote!(#before #called), generated(site.span()))
            }
            Expr::MethodCall(node) => {
                let receiver = match by_reference {
                    true => super::receiver_of(node, true),
                    false => node.receiver.to_token_stream(),
                };
                self.method_call(node, &receiver, &TokenStream::new(), call)
            }
            _ => return,
        };
        *expr = Expr::Verbatim(printed);
    }

    /// Prints a method call on an element of an array that can change. The indices are checked first; then the place is one for
    /// rustc too, so that it borrows it as the user's call does.
    pub(super) fn call_on_element(&mut self, expr: &mut Expr, call: CallId, by_reference: bool) {
        self.checked = true;
        let Expr::MethodCall(node) = expr else { return };
        let mut before = TokenStream::new();
        self.checked_place(&mut node.receiver, &mut before);
        node.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
        let receiver = match by_reference {
            true => super::receiver_of(node, true),
            false => node.receiver.to_token_stream(),
        };
        let printed = self.method_call(node, &receiver, &before, call);
        *expr = Expr::Verbatim(printed);
    }

    fn method_call(
        &mut self,
        node: &ExprMethodCall,
        receiver: &TokenStream,
        before: &TokenStream,
        call: CallId,
    ) -> TokenStream {
        let site = &self.calls[call.0 as usize];
        let span = generated(node.method.span());
        let run = format_ident!("stm_run_{}", node.method.unraw(), span = node.method.span());
        let args = arguments(&node.args, site).enumerate().map(|(at, arg)| argument(arg, passed(site, at)));
        let absent = called::absent(site, span);
        self.items.extend(called::found_last(site));
        let mut method = quote_spanned!(node.method.span()=> #run::<_, STM_CHECKED>);
        node.paren_token.surround(&mut method, |inside| inside.extend(quote!(#(#args),*)));
        let receiver = match receiver.clone().into_iter().count() {
            1 => receiver.clone(),
            _ => quote!((#receiver)),
        };
        let called = self.run(site, call, &quote!(#receiver.#method), node.paren_token.span.close());
        in_block(&quote!(#absent #before #called), span)
    }

    /// Calls the host version of a function, with where its locations begin and the handle.
    fn call_function(&self, site: &CallSite, call: CallId, version: &TokenStream, close: Span) -> TokenStream {
        let (base, tx, question) = self.frame(site, call, close);
        // The tokens span the user's call from first to last, so that messages underline the call.
        let frame = quote_spanned!(close=> (#base, #tx) #question);
        quote!(#version #frame)
    }

    /// Does the same for what may be a method without the attribute: rustc says so at the user's call.
    pub(super) fn run(&self, site: &CallSite, call: CallId, version: &TokenStream, close: Span) -> TokenStream {
        let (base, tx, question) = self.frame(site, call, close);
        let (span, version) = (generated(site.span()), called::with_found(site, version, close));
        quote_spanned!(span=> ::stm_runtime::__private::callee::Run::run(#version, #base, #tx) #question)
    }

    /// Returns where the locations of a call begin, the handle, and what passes a fault on.
    pub(super) fn frame(
        &self,
        site: &CallSite,
        call: CallId,
        close: Span,
    ) -> (TokenStream, &Ident, Option<TokenStream>) {
        let question = (!site.tries).then(|| quote_spanned!(close=> ?));
        let (number, this) = (Literal::usize_unsuffixed(call.0 as usize), self.this);
        let first = quote!(#this.first_location(#number));
        let base = match self.tx.form {
            Form::Transaction => first,
            Form::Function { .. } => quote!(stm_base + #first),
        };
        (base, self.handle, question)
    }

    /// Rewrites a place whose indices are checked in `before`.
    pub(super) fn checked_place(&mut self, expr: &mut Expr, before: &mut TokenStream) {
        let note = self.notes.of_expr(expr);
        match expr {
            Expr::Paren(node) => self.checked_place(&mut node.expr, before),
            Expr::Field(node) => self.checked_place(&mut node.base, before),
            Expr::Index(node) => {
                self.checked_place(&mut node.expr, before);
                self.visit_expr_mut(&mut node.index);
                let Some(Note::Element { location }) = note else { return };
                let span = generated(node.bracket_token.span.open());
                let (array, index, location) = (&node.expr, &node.index, self.location(location));
                let name = Ident::new(&format!("stm_at_{}", before.clone().into_iter().count()), span);
                before.extend(quote_spanned! {span=>
                    let #name = ::stm_runtime::__private::local::index(#index, #array[..].len(), #location)?;
                });
                *node.index = Expr::Verbatim(name.into_token_stream());
            }
            other => self.visit_expr_mut(other),
        }
    }
}

/// Rewrites a `return` or `?` of a function that does not return a `TxResult`, because its host version returns one.
pub(super) fn leave(expr: &mut Expr) {
    match expr {
        Expr::Return(node) => {
            let (value, span) = (node.expr.take(), generated(node.return_token.span));
            let value = value.map_or_else(|| quote_spanned!(span=> ()), |value| super::argument(&value));
            *expr = Expr::Verbatim(quote_spanned!(span=> return ::core::result::Result::Ok(#value)));
        }
        Expr::Try(node) => {
            let (value, span) = (&node.expr, generated(node.question_token.span));
            *expr = Expr::Verbatim(quote_spanned! {span=>
                (match #value {
                    ::core::option::Option::Some(stm_value) => stm_value,
                    ::core::option::Option::None => return ::core::result::Result::Ok(::core::option::Option::None),
                })
            });
        }
        _ => {}
    }
}

/// Rewrites `result?` of a function that returns a `Result` of its own.
pub(super) fn leave_with_error(expr: &mut Expr) {
    let Expr::Try(node) = &*expr else { return };
    let (value, span) = (&node.expr, generated(node.question_token.span));
    *expr = Expr::Verbatim(quote_spanned! {span=>
        (match #value {
            ::core::result::Result::Ok(stm_value) => stm_value,
            ::core::result::Result::Err(stm_error) => {
                return ::core::result::Result::Ok(::core::result::Result::Err(stm_error))
            }
        })
    });
}

/// Returns the arguments without the handle.
fn arguments<'a>(args: &'a Punctuated<Expr, Token![,]>, site: &CallSite) -> impl Iterator<Item = &'a Expr> {
    let handle = site.handle;
    args.iter().enumerate().filter(move |(k, _)| Some(*k) != handle).map(|(_, arg)| arg)
}

/// Returns how an argument is passed.
fn passed(site: &CallSite, at: usize) -> Option<&Passed> {
    site.passed.iter().filter(|passed| !matches!(passed, Passed::Listed(_))).nth(at)
}

/// Prints a list of shared arrays as an argument for each.
pub(super) fn list(expr: &mut Expr, count: u64) {
    let written = match &*expr {
        Expr::Reference(node) => &*node.expr,
        other => other,
    };
    let span = generated(expr.span());
    let places = (0..count).map(Literal::u64_unsuffixed);
    *expr = Expr::Verbatim(match written {
        Expr::Array(node) => node.elems.to_token_stream(),
        list => quote_spanned!(span=> #((#list)[#places]),*),
    });
}

/// Returns an argument. The name of a `&mut` is lent and not given away, also where the parameter takes any kind of reference.
fn argument(arg: &Expr, passed: Option<&Passed>) -> TokenStream {
    match (arg, passed) {
        (Expr::Path(_), Some(Passed::Exclusive(_))) => quote_spanned!(generated(arg.span())=> &mut *#arg),
        _ => arg.to_token_stream(),
    }
}

/// Returns items and an expression as an expression. It is a call, because a block that starts a statement cannot be followed by `?`.
pub(super) fn in_block(inside: &TokenStream, span: Span) -> TokenStream {
    quote_spanned!(span=> ::core::convert::identity({ #inside }))
}

impl CallSite {
    /// Returns the tokens to blame for the call.
    pub(crate) fn span(&self) -> Span {
        match &self.called {
            Called::Function(path) => path.segments.last().map_or_else(|| path.span(), |last| last.ident.span()),
            Called::Associated(_, name)
            | Called::Converts(_, name)
            | Called::Method(_, name)
            | Called::Operator(_, name)
            | Called::Perhaps(_, name) => name.span(),
        }
    }
}
