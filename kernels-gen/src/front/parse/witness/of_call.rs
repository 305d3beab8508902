//! For which types a free function is called: rustc finds them by the arguments, and by the result where something else says its type.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Finder, has};
use crate::front::parse::external::{CallSite, Called, Passed, Witnesses};
use crate::front::parse::own_operator as operator;
use crate::infer::Class;
use crate::ir::open::{CallId, TyId};

impl Finder<'_> {
    /// Returns the arguments of a function, without `&` and `&mut`, and its result; `None` where none of them is known, but perhaps
    /// literals.
    pub(super) fn witnesses(&self, call: CallId, site: &CallSite) -> Option<Witnesses> {
        let result = match site.called {
            Called::Function(_) | Called::Associated(..) => self.result(call),
            _ => return None,
        };
        // What is open in an argument of a function of a type may follow from the result.
        let open = matches!(site.called, Called::Associated(..));
        let known: Vec<_> = site.passed.iter().map(|passed| self.passed_type(*passed, open)).collect();
        let says = |(known, passed): (&Option<_>, &Passed)| known.is_some() && !self.is_literal(*passed);
        let said = result.is_some() || known.iter().zip(&site.passed).any(says);
        let any = |found: Option<_>| found.unwrap_or_else(|| quote!(::core::unreachable!()));
        said.then(|| Witnesses { arguments: known.into_iter().map(any).collect(), result })
    }

    /// Returns the name that marks what a function returns: whether its arguments say for which types it is.
    pub(super) fn mark(&self, site: &CallSite, passed: &[TokenStream]) -> TokenStream {
        let says = |(passed, tokens): (&Passed, &TokenStream)| {
            !self.is_literal(*passed) && !has(tokens, &["unknown", "returned_open"])
        };
        match site.passed.iter().zip(passed).any(says) {
            true => quote!(returned),
            false => quote!(returned_open),
        }
    }

    /// Returns whether the call is one of a function of a type to which literals alone are passed.
    pub(super) fn is_of_literals(&self, site: &CallSite) -> bool {
        let of_type = matches!(site.called, Called::Associated(..));
        of_type && !site.passed.is_empty() && site.passed.iter().all(|passed| self.is_literal(*passed))
    }

    fn is_literal(&self, passed: Passed) -> bool {
        match passed {
            Passed::Value(ty)
            | Passed::Reference(ty)
            | Passed::Exclusive(ty)
            | Passed::Either(ty)
            | Passed::Shared(ty)
            | Passed::Listed(ty) => matches!(self.infer.class(ty), Class::Int | Class::Float),
            Passed::Call(_) | Passed::Other => false,
        }
    }

    fn passed_type(&self, passed: Passed, open: bool) -> Option<TokenStream> {
        let found = match passed {
            Passed::Value(ty) | Passed::Reference(ty) | Passed::Exclusive(ty) | Passed::Either(ty) => {
                self.passed(Passed::Value(ty))
            }
            Passed::Shared(_) | Passed::Listed(_) | Passed::Call(_) => self.passed(passed),
            Passed::Other => return None,
        };
        let unusable = if open { &["unknown"][..] } else { &["unknown", "returned_open"] };
        Some(found).filter(|found| !has(found, unusable) && operator::size(found) <= operator::MOST_TOKENS)
    }

    /// Returns the result of a call, if something other than a call says its type.
    fn result(&self, call: CallId) -> Option<TokenStream> {
        let (types, ty) = self.arguments.get(&call)?;
        let own = self.call(&self.external.calls[call.0 as usize], types).map(|own| own.to_string());
        let said = |found: &TokenStream| {
            operator::size(found) <= operator::MOST_TOKENS && own.as_ref() != Some(&found.to_string())
        };
        self.said(*ty).filter(said)
    }

    /// Returns an expression of a type that follows from no call.
    pub(super) fn said(&self, ty: TyId) -> Option<TokenStream> {
        if self.infer.answer(ty).is_some() {
            return self.operand(ty);
        }
        let plain = |found: &TokenStream| !has(found, &["unknown", "returned", "returned_open"]);
        self.value(ty).filter(plain).or_else(|| self.of_parts(ty, |part| self.said(part)))
    }
}
