//! Calls of methods that have the name of a built-in one, where only rustc knows the type: it finds the method of the user's own type,
//! or what stands for the built-in one.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprMethodCall};

use super::place::erase;
use super::{Rewriter, argument, call, generated, receiver_of};
use crate::front::parse::{Called, Note};
use crate::front::print::called;
use crate::ir::LocationId;
use crate::ir::open::{CallId, Generic};
use crate::methods::{METHODS, Method, Receiver};

fn is_shared_reference(arg: &Expr) -> bool {
    matches!(arg, Expr::Reference(node) if node.mutability.is_none())
}

impl Rewriter<'_> {
    /// Prints such a call. The parts of the expression are printed here, too.
    pub(super) fn perhaps(&mut self, expr: &mut Expr, note: Note) {
        let Note::Perhaps { call, location, by_reference, in_place, indexed, late } = note else { return };
        let Expr::MethodCall(node) = &mut *expr else { return };
        let Called::Perhaps(receiver, _) = &self.calls[call.0 as usize].called else { return };
        let (own, ty) = (receiver.witness.is_some(), receiver.ty);
        let mut before = TokenStream::new();
        match indexed && own {
            true => self.checked_place(&mut node.receiver, &mut before),
            false => self.visit_expr_mut(&mut node.receiver),
        }
        node.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
        let lent: Vec<bool> = node.args.iter().map(is_shared_reference).collect();
        if !own {
            node.args.iter_mut().zip(&lent).filter(|(_, lent)| **lent).for_each(|(arg, _)| erase(arg));
            match Method::may_fault(&node.method.to_string()) {
                true => self.method(expr, ty, location, by_reference),
                false => self.built_in(expr, by_reference),
            }
            return;
        }
        self.checked = true;
        let (span, given) = (generated(node.method.span()), receiver_of(node, by_reference));
        let mut of = given.clone();
        if !in_place {
            of = Ident::new("stm_of", span).into_token_stream();
            before.extend(quote_spanned!(span=> #[allow(unused_mut)] let mut #of = #given;));
        }
        let mut args: Vec<TokenStream> = node.args.iter().map(ToTokens::to_token_stream).collect();
        // Each argument is printed once, or nested calls would double the text. In place, it may not come before the receiver.
        if !(in_place && late) {
            for (k, arg) in args.iter_mut().enumerate() {
                let name = format_ident!("stm_{k}", span = span);
                before.extend(quote_spanned!(span=> let #name = #arg;));
                *arg = name.into_token_stream();
            }
        }
        self.items.insert(node.method.to_string(), called::perhaps_absent(&node.method));
        self.items.extend(called::found_last(&self.calls[call.0 as usize]));
        let printed = self.either(node, (call, location), &of, (&args, &lent));
        *expr = Expr::Verbatim(call::in_block(&quote!(#before #printed), span));
    }

    /// Prints both calls, of which one runs, and what rustc decides by.
    fn either(
        &self,
        node: &ExprMethodCall,
        (call, location): (CallId, LocationId),
        of: &TokenStream,
        (args, lent): (&[TokenStream], &[bool]),
    ) -> TokenStream {
        let (site, name, span) = (&self.calls[call.0 as usize], &node.method, generated(node.method.span()));
        let [run, find] =
            ["run", "find"].map(|start| format_ident!("stm_{start}_{}", name.unraw(), span = name.span()));
        let of = match of.clone().into_iter().count() {
            1 => of.clone(),
            _ => quote!((#of)),
        };
        let own = self.run(site, call, &quote_spanned!(span=> #of.#run::<_, STM_CHECKED>(#(#args),*)), span);
        let private = quote!(::stm_runtime::__private);
        // An `Option` of references holds values here, so what is built in takes the value of a reference.
        let args = args.iter().zip(lent).map(|(arg, lent)| {
            let value = lent.then(|| quote_spanned!(span=> *));
            quote_spanned!(span=> #private::callee::pass(stm_found, #value #arg))
        });
        let built_in = match METHODS.iter().find(|method| name == method.name && Method::may_fault(method.name)) {
            None => quote_spanned!(span=> #of.#name(#(#args),*)),
            Some(method) => {
                let number = if method.on == Receiver::Unsigned { "unsigned" } else { "signed" };
                let (number, location) = (Ident::new(number, span), self.location(location));
                quote_spanned! {span=>
                    #private::ops::#name::<_, STM_CHECKED>(#private::callee::#number(stm_found, #of), #(#args,)* #location)?
                }
            }
        };
        quote_spanned! {span=>
            let stm_found = #of.#find();
            if #private::callee::is_own(stm_found) { #own } else { #private::callee::pass(stm_found, #built_in) }
        }
    }

    /// Prints the argument of `cmp` as the reference that it was.
    pub(super) fn compared(&mut self, expr: &mut Expr, late: bool) {
        if let Expr::MethodCall(call) = &mut *expr
            && let Some(given) = call.args.first_mut()
        {
            let value = argument(given);
            *given = Expr::Verbatim(quote!(&(#value)));
        }
        if late {
            self.built_in(expr, false);
        }
    }

    /// Requires that the receiver of a method has a type whose methods are built in. A parameter for types with the bound `Ord` is one:
    /// rustc prefers what its bounds say to the trait of all types.
    pub(super) fn built_in(&mut self, expr: &mut Expr, by_reference: bool) {
        let Expr::MethodCall(node) = expr else { return };
        let (value, span) = (receiver_of(node, by_reference), generated(node.method.span()));
        let of_params = self.tx.generics.iter().any(|generic| matches!(generic, Generic::Type(_)));
        *node.receiver = Expr::Verbatim(match of_params {
            false => quote_spanned!(span=> (*::stm_runtime::__private::local::built_in(&(#value)))),
            true => {
                self.items.insert(
                    String::new(),
                    quote!(
                        #[allow(unused_imports)]
                        use ::stm_runtime::__private::local::Receives as _;
                    ),
                );
                quote_spanned!(span=> (*(&(#value)).stm_receiver()))
            }
        });
    }
}
