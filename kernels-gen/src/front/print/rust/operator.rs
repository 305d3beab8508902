//! Operators on values whose type only rustc knows, and comparisons of such values.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, Ident};

use super::{Rewriter, argument, generated};
use crate::front::parse::{Called, is_compound};
use crate::ir::LocationId;
use crate::ir::open::{CallId, Generic, TyId};

impl Rewriter<'_> {
    /// Prints an operator that may be a function of the user's program. Returns whether it is not one of numbers for certain.
    fn operation(&mut self, expr: &mut Expr, call: CallId, location: LocationId) -> bool {
        let site = &self.calls[call.0 as usize];
        let Called::Operator(receiver, name) = &site.called else { return false };
        if receiver.witness.is_none() && !receiver.of_params {
            return false;
        }
        self.checked = true;
        let span = generated(site.span());
        let run = format_ident!("stm_run_{}", name, span = span);
        let (before, left, right) = match &*expr {
            Expr::Binary(node) => {
                let (left, right) = (argument(&node.left), argument(&node.right));
                match name.to_string().ends_with("_assign") {
                    true => {
                        (Some(quote_spanned!(span=> let stm_value = #right;)), left, quote_spanned!(span=> stm_value))
                    }
                    false => (None, left, right),
                }
            }
            Expr::Unary(node) => (None, argument(&node.expr), TokenStream::new()),
            _ => return false,
        };
        let (base, tx, question) = self.frame(site, call, span);
        let location = self.location(location);
        *expr = Expr::Verbatim(super::call::in_block(
            &quote_spanned! {span=>
                use ::stm_runtime::__private::ops::Operators as _;
                #before
                ::stm_runtime::__private::ops::Operation::operate(
                    (#left).#run::<_, STM_CHECKED>(#right), #base, #location, #tx
                ) #question
            },
            span,
        ));
        true
    }

    /// Prints `place op= value` where an index leads to the place: the value first.
    pub(super) fn operation_on_part(&mut self, expr: &mut Expr, (call, ty): (CallId, TyId), location: LocationId) {
        let own = matches!(&self.calls[call.0 as usize].called, Called::Operator(receiver, _) if receiver.witness.is_some() || receiver.of_params);
        let Expr::Binary(node) = &mut *expr else { return };
        if !own {
            return self.compound_part(expr, ty, None, Some(location));
        }
        self.visit_expr_mut(&mut node.right);
        self.part(&mut node.left, true);
        let span = generated(node.op.span());
        let [value, place] = ["stm_right", "stm_place"].map(|name| Ident::new(name, span));
        let right = std::mem::replace(&mut *node.right, syn::parse_quote_spanned!(span=> #value));
        let left = std::mem::replace(&mut *node.left, syn::parse_quote_spanned!(span=> (*#place)));
        self.operation(expr, call, location);
        *expr = Expr::Verbatim(quote_spanned!(span=> { let #value = #right; let #place = &mut #left; #expr; }));
    }

    /// Requires that values of a type unknown to the macro are compared as the device does it.
    pub(super) fn comparison(&self, expr: &mut Expr, ty: TyId) {
        let Expr::Binary(node) = &mut *expr else { return };
        if !self.infer.has_unknown(ty) {
            return;
        }
        let (left, span) = (argument(&node.left), generated(node.op.span()));
        let generic = self.tx.generics.iter().any(|generic| matches!(generic, Generic::Type(_)));
        let equality = matches!(node.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_));
        *node.left = Expr::Verbatim(match generic {
            _ if !equality => quote_spanned!(span=> ::stm_runtime::__private::local::ordered(#left)),
            true => quote_spanned!(span=> ::stm_runtime::__private::local::comparable(#left)),
            false => quote_spanned! {span=>
                ::stm_runtime::__private::local::alike(#left, |stm_alike| match stm_alike {
                    ::stm_runtime::__private::local::Alike::VALUES => {}
                    #[allow(unreachable_patterns)]
                    _ => {}
                })
            },
        });
    }

    pub(super) fn operator_of_any(
        &mut self,
        expr: &mut Expr,
        (call, ty): (CallId, TyId),
        location: LocationId,
        late: bool,
    ) {
        if self.operation(expr, call, location) {
            return;
        }
        match expr {
            Expr::Binary(node) if is_compound(&node.op) => {
                self.compound(expr, ty, None, location, late);
            }
            _ => self.operator(expr, ty, None, location),
        }
    }
}
