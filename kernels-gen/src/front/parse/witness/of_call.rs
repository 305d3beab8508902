//! For which types a free function is called: rustc finds them by the arguments, and by the result where something else says its type.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Finder, has};
use crate::front::parse::external::{CallSite, Called, Passed, Witnesses};
use crate::front::parse::own_operator as operator;
use crate::infer::Class;
use crate::ir::open::{CallId, Length, TyId};

impl Finder<'_> {
    /// Returns the arguments of a free function, without `&` and `&mut`, and its result; `None` where these are literals alone, or not all
    /// known.
    pub(super) fn witnesses(&self, call: CallId, site: &CallSite) -> Option<Witnesses> {
        let Called::Function(_) = site.called else { return None };
        let arguments: Option<Vec<_>> = site.passed.iter().map(|passed| self.passed_type(*passed)).collect();
        let (arguments, result) = (arguments?, self.result(call));
        let literal = |passed: &Passed| match passed {
            Passed::Value(ty)
            | Passed::Reference(ty)
            | Passed::Exclusive(ty)
            | Passed::Either(ty)
            | Passed::Shared(ty) => {
                matches!(self.infer.class(*ty), Class::Int | Class::Float)
            }
            Passed::Call(_) | Passed::Other => false,
        };
        let said = result.is_some() || !site.passed.iter().all(literal);
        said.then_some(Witnesses { arguments, result })
    }

    fn passed_type(&self, passed: Passed) -> Option<TokenStream> {
        let found = match passed {
            Passed::Value(ty) | Passed::Reference(ty) | Passed::Exclusive(ty) | Passed::Either(ty) => {
                self.passed(Passed::Value(ty))
            }
            Passed::Shared(_) | Passed::Call(_) => self.passed(passed),
            Passed::Other => return None,
        };
        Some(found).filter(|found| !has(found, &["unknown"]) && operator::size(found) <= operator::MOST_TOKENS)
    }

    /// Returns the result of a call, if something other than a call says its type.
    fn result(&self, call: CallId) -> Option<TokenStream> {
        let (_, ty) = self.arguments.get(&call)?;
        self.said(*ty).filter(|found| operator::size(found) <= operator::MOST_TOKENS)
    }

    /// Returns an expression of a type that follows from no call.
    fn said(&self, ty: TyId) -> Option<TokenStream> {
        if self.infer.answer(ty).is_some() {
            return self.operand(ty);
        }
        let plain = |found: &TokenStream| !has(found, &["unknown", "returned"]);
        self.value(ty).filter(plain).or_else(|| match self.infer.class(ty) {
            Class::Option(inner) => self.said(*inner).map(|inner| quote!(::core::option::Option::Some(#inner))),
            Class::Array(element, Length::Known(length)) => {
                let length = proc_macro2::Literal::u64_unsuffixed(*length);
                self.said(*element).map(|element| quote!([#element; #length]))
            }
            Class::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.said(*part)).collect::<Option<Vec<_>>>()?;
                Some(quote!((#(#parts,)*)))
            }
            _ => None,
        })
    }
}
